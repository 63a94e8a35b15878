//! Craig in the configuration of assistants, in a home of its own.

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Output;

use expect_test::expect;

use crate::harness::Home;

/// Configurations as people have them.
const CONFIGS: &[(&str, &str)] = &[
    (
        ".claude.json",
        "{\n  \"numStartups\": 7,\n  \"mcpServers\": {\n    \"git\": {\n      \"command\": \"uvx\",\n      \"env\": { \"KEY\": \"hunter2\" }\n    }\n  },\n  \"projects\": {}\n}",
    ),
    (".claude/CLAUDE.md", "# My rules\n\nBe brief."),
    (
        ".codex/config.toml",
        "# mine\nmodel = \"x\" # really\n\n[mcp_servers.git]\ncommand = 'uvx'\n\n[profiles.a] # last\nmodel = \"y\"\n",
    ),
    (".cursor/mcp.json", "{\"mcpServers\":{}}\n"),
    (
        ".config/Code/User/mcp.json",
        "{\n\t// servers of mine\n\t\"servers\": {\n\t\t\"git\": { \"type\": \"stdio\", \"command\": \"uvx\" }, // keep\n\t},\n\t\"inputs\": []\n}\n",
    ),
    (
        ".config/zed/settings.json",
        "// Zed settings\n//\n{\n  \"theme\": \"One Dark\", // dark\n  /* sizes */\n  \"buffer_font_size\": 15,\n}\n",
    ),
    (
        ".config/opencode/opencode.jsonc",
        "{\r\n  \"$schema\": \"https://opencode.ai/config.json\" // crlf\r\n}\r\n",
    ),
    (".gemini/settings.json", "{}"),
    (".codeium/windsurf/mcp_config.json", ""),
];

fn home() -> Home {
    let home = Home::new();
    CONFIGS.iter().for_each(|(path, text)| home.write(path, text));
    home
}

/// The program as it knows itself.
fn program() -> String {
    Path::new(env!("CARGO_BIN_EXE_craig")).canonicalize().unwrap().display().to_string()
}

fn run(home: &Home, args: &[&str]) -> Output {
    let mut command = home.craig(args);
    for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "CRAIG_DB"] {
        command.env_remove(name);
    }
    command.output().unwrap()
}

#[track_caller]
fn succeed(home: &Home, args: &[&str]) -> String {
    let output = run(home, args);
    assert!(output.status.success(), "{}", home.transcript(&output));
    told(home, &output)
}

fn told(home: &Home, output: &Output) -> String {
    home.transcript(output).replace(&program(), "CRAIG")
}

/// Every file of the home with its text.
fn files(home: &Home) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![home.path()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(home.path()).unwrap().display().to_string();
                    found.insert(name, std::fs::read_to_string(&path).unwrap());
                }
            }
        }
    }
    found
}

fn text(home: &Home, path: &str) -> String {
    std::fs::read_to_string(home.path().join(path)).unwrap().replace(&program(), "CRAIG")
}

#[test]
fn what_is_installed_is_uninstalled_to_the_byte() {
    let home = home();
    let before = files(&home);
    succeed(&home, &["install", "--yes"]);
    let installed = files(&home);
    succeed(&home, &["install", "--yes"]);
    assert_eq!(files(&home), installed, "twice is once");
    succeed(&home, &["uninstall", "--yes"]);
    assert_eq!(files(&home), before);
    assert!(!home.path().join(".config/Code/User/prompts").exists(), "folders that were made are gone");
    succeed(&home, &["uninstall", "--yes"]);
    assert_eq!(files(&home), before);
}

#[test]
fn what_every_assistant_gets() {
    let home = home();
    succeed(&home, &["install", "--yes"]);
    let mut all = String::new();
    for (path, _) in CONFIGS {
        all += &format!("-- {path}\n{}\n", text(&home, path).replace("\r\n", "<crlf>\n"));
    }
    all += &format!("-- AGENTS.md\n{}", text(&home, ".codex/AGENTS.md"));
    all += &format!("-- instructions\n{}", text(&home, ".config/Code/User/prompts/craig.instructions.md"));
    assert_eq!(text(&home, ".config/zed/AGENTS.md"), text(&home, ".codex/AGENTS.md"));
    expect![[r#""#]].assert_eq(&all);
}

#[test]
fn changes_of_others_meanwhile_stay() {
    let home = home();
    succeed(&home, &["install", "--yes", "--agent", "claude-code", "--agent", "codex", "--agent", "zed"]);
    // Somebody adds a server after ours, and settings before and behind.
    let edit = |path: &str, from: &str, to: &str| {
        let text = std::fs::read_to_string(home.path().join(path)).unwrap();
        assert!(text.contains(from), "{path}: {text}");
        home.write(path, text.replacen(from, to, 1));
    };
    edit(".claude.json", "\"numStartups\": 7", "\"numStartups\": 8");
    edit(".codex/config.toml", "model = \"x\"", "model = \"z\"");
    edit(".config/zed/settings.json", "15,", "16,");
    edit(".config/zed/AGENTS.md", "<!-- craig:begin -->", "# Mine\n\n<!-- craig:begin -->");
    succeed(&home, &["uninstall", "--yes"]);
    let before: BTreeMap<_, _> = CONFIGS.iter().copied().collect();
    assert_eq!(text(&home, ".claude.json"), before[".claude.json"].replace('7', "8"));
    assert_eq!(text(&home, ".codex/config.toml"), before[".codex/config.toml"].replace("\"x\"", "\"z\""));
    assert_eq!(
        text(&home, ".config/zed/settings.json"),
        before[".config/zed/settings.json"].replace("15", "16")
    );
    assert_eq!(text(&home, ".config/zed/AGENTS.md").trim(), "# Mine");
}

#[test]
fn a_server_of_the_same_name_comes_back() {
    let home = Home::new();
    let before = "{\n  \"mcpServers\": {\n    \"craig\": { \"command\": \"other\", \"args\": [] },\n    \"z\": {}\n  }\n}\n";
    home.write(".cursor/mcp.json", before);
    succeed(&home, &["install", "--yes"]);
    assert!(text(&home, ".cursor/mcp.json").contains("CRAIG"));
    succeed(&home, &["uninstall", "--yes"]);
    assert_eq!(text(&home, ".cursor/mcp.json"), before);
}

#[test]
fn without_a_journal_the_server_is_found_all_the_same() {
    let home = home();
    succeed(&home, &["install", "--yes"]);
    std::fs::remove_dir_all(home.path().join(".local")).unwrap();
    succeed(&home, &["uninstall", "--yes"]);
    let left: Vec<String> =
        files(&home).into_iter().filter(|(_, text)| text.contains("craig")).map(|(path, _)| path).collect();
    assert_eq!(left, Vec::<String>::new());
    for (path, before) in CONFIGS.iter().filter(|(path, _)| path.ends_with("toml") || path.contains("zed")) {
        assert_eq!(text(&home, path), *before);
    }
}

#[test]
fn malformed_configurations_are_refused_and_the_others_written() {
    let home = home();
    home.write(".cursor/mcp.json", "{ \"mcpServers\": { \"a\": 1 \"b\": 2 } }");
    home.write(".codex/config.toml", "model = ");
    home.write(".gemini/settings.json", b"{ \"a\": \"\xff\" }");
    home.write(".codeium/windsurf/mcp_config.json", "{\"mcpServers\": []}");
    let bad = [
        ".cursor/mcp.json",
        ".codex/config.toml",
        ".gemini/settings.json",
        ".codeium/windsurf/mcp_config.json",
    ];
    let read = || bad.map(|path| std::fs::read(home.path().join(path)).unwrap());
    let before = read();
    let output = run(&home, &["install", "--yes", "--quiet"]);
    assert_eq!(read(), before);
    assert!(!home.path().join(".gemini/GEMINI.md").exists(), "one assistant is written whole or not at all");
    assert!(text(&home, ".claude.json").contains("CRAIG"));
    expect![[r#""#]].assert_eq(&told(&home, &output));
    assert_eq!(run(&home, &["install", "--yes", "--agent", "cursor"]).status.code(), Some(1));
}

#[test]
fn links_and_permissions_stay() {
    let home = Home::new();
    home.write("dotfiles/cursor.json", "{}\n");
    let file = home.path().join("dotfiles/cursor.json");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::create_dir(home.path().join(".cursor")).unwrap();
    let link = home.path().join(".cursor/mcp.json");
    symlink("../dotfiles/cursor.json", &link).unwrap();
    succeed(&home, &["install", "--yes"]);
    assert!(link.is_symlink() && text(&home, "dotfiles/cursor.json").contains("CRAIG"));
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    succeed(&home, &["uninstall", "--yes"]);
    assert!(link.is_symlink());
    assert_eq!(text(&home, "dotfiles/cursor.json"), "{}\n");

    std::fs::remove_file(&link).unwrap();
    symlink("nowhere/at/all.json", &link).unwrap();
    let output = run(&home, &["install", "--yes"]);
    assert_eq!(output.status.code(), Some(1), "{}", told(&home, &output));
    assert!(link.is_symlink() && !Path::new(&home.path().join(".cursor/nowhere")).exists());
}

#[test]
fn nothing_is_written_unasked() {
    let home = home();
    let before = files(&home);
    let mut all = told(&home, &run(&home, &["install"]));
    all += &succeed(&home, &["install", "--dry-run", "--agent", "claude-code"]);
    all += &succeed(&home, &["install", "--dry-run", "--agent", "codex", "--format", "json"]);
    all += &told(&home, &run(&Home::new(), &["install", "--yes"]));
    all += &told(&home, &run(&home, &["install", "--yes", "--agent", "emacs"]));
    assert!(!all.contains("hunter2"), "keys of others are not shown");
    assert_eq!(files(&home), before);
    expect![[r#""#]].assert_eq(&all);
}

#[test]
fn an_assistant_that_is_named_gets_its_files() {
    let home = Home::new();
    succeed(&home, &["install", "--yes", "--agent", "gemini"]);
    assert!(text(&home, ".gemini/settings.json").contains("CRAIG"));
    succeed(&home, &["uninstall", "--yes", "--agent", "gemini"]);
    assert!(!home.path().join(".gemini").exists());
}
