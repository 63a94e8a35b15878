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
    (".copilot/mcp-config.json", "{\n  \"mcpServers\": {}\n}\n"),
    (
        ".cline/data/settings/cline_mcp_settings.json",
        "{\n  \"mcpServers\": {\n    \"git\": { \"command\": \"uvx\", \"disabled\": false }\n  }\n}\n",
    ),
    (".config/Claude/claude_desktop_config.json", "{ \"globalShortcut\": \"\" }"),
    (".junie/mcp/mcp.json", "{}\n"),
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
    for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "CRAIG_DB"] {
        command.env_remove(name);
    }
    command.output().unwrap()
}

#[track_caller]
fn succeed(home: &Home, args: &[&str]) -> String {
    let output = run(home, args);
    assert!(output.status.success(), "{}", home.transcript(&output));
    reported(home, &output)
}

fn reported(home: &Home, output: &Output) -> String {
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
fn uninstalling_everything_says_what_is_left() {
    let home = home();
    let first = run(&home, &["uninstall", "--all", "--yes"]);
    succeed(&home, &["install", "--yes"]);
    home.write(".config/craig/config.toml", "threads = 1\n");
    home.write(".local/share/craig/craig.db", "");
    home.write(".vscode/extensions/craig.craig-0.1.0/package.json", "{}");
    let second = run(&home, &["uninstall", "--all", "--yes", "--quiet", "--format", "json"]);
    assert!(!text(&home, ".claude.json").contains("CRAIG"));
    let both = reported(&home, &first) + &reported(&home, &second);
    let diffs = regex::Regex::new(r#"(?s)"agents": \[.*\],\n  "left""#).unwrap();
    expect![[r#"
        exit 0
        -- stdout
        remaining parts, and how to remove them:
          workspaces  delete the folders .puku (in workspaces that an editor had open) and .aidocs (also written by 'craig explain' and 'craig docs index')
          program     delete the program (CRAIG)
        exit 0
        -- stdout
        {
          "agents": […],
          "left": [
            {
              "what": "indexes",
              "remedy": "delete HOME/.local/share/craig"
            },
            {
              "what": "settings",
              "remedy": "delete HOME/.config/craig/config.toml"
            },
            {
              "what": "workspaces",
              "remedy": "delete the folders .puku (in workspaces that an editor had open) and .aidocs (also written by 'craig explain' and 'craig docs index')"
            },
            {
              "what": "extension",
              "remedy": "uninstall craig.craig in VS Code"
            },
            {
              "what": "program",
              "remedy": "delete the program (CRAIG)"
            }
          ]
        }
    "#]]
    .assert_eq(&diffs.replace(&both, "\"agents\": […],\n  \"left\""));
    let refused = run(&home, &["uninstall", "--all", "--yes", "--agent", "zed"]);
    assert_eq!(refused.status.code(), Some(1), "{}", reported(&home, &refused));
}

#[test]
fn the_extension_is_offered_where_vs_code_is_without_it() {
    let home = home();
    let offer = "code --install-extension craig.craig";
    let install = |home: &Home| reported(home, &run(home, &["install", "--yes"]));
    assert!(install(&home).contains(offer));
    home.write(".vscode/extensions/craig.craig-0.1.0/package.json", "{}");
    assert!(!install(&home).contains(offer));
    let list = |text: &str| home.write(".vscode/extensions/extensions.json", text);
    list(r#"[{"identifier": {"id": "craig.craig"}, "version": "0.1.0"}]"#);
    assert!(!install(&home).contains(offer));
    list("[]");
    assert!(install(&home).contains(offer), "it was uninstalled; its files go later");
    let without_editor = Home::new();
    without_editor.write(".cursor/mcp.json", "{}");
    assert!(!install(&without_editor).contains(offer));
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
    expect![[r#"
        -- .claude.json
        {
          "numStartups": 7,
          "mcpServers": {
            "git": {
              "command": "uvx",
              "env": { "KEY": "hunter2" }
            },
            "craig": {
              "type": "stdio",
              "command": "CRAIG",
              "args": ["mcp", "--tools", "core"]
            }
          },
          "projects": {}
        }
        -- .claude/CLAUDE.md
        # My rules

        Be brief.

        <!-- craig:begin -->
        ## Craig

        The MCP server `craig` has this machine's projects in an index. Ask it about code before you search with grep or read whole files:
        - `explore`: where something is, how it works, what to change for it. Give the question and your guesses: `names` (identifiers that the code may use) and `code` (a line or two that it may contain).
        - `references`: who uses a symbol, before you change it; with `depth`, the callers of its callers.
        - `grep`: every line with an exact text. `read_file`: more lines or whole definitions (`src/cart.py::Cart.total`), several in one call; lines that were shown need not be read again.
        - Do without it for a place that you know already, and for the rest of the session if a project cannot be indexed.
        <!-- craig:end -->

        -- .codex/config.toml
        # mine
        model = "x" # really

        [mcp_servers.git]
        command = 'uvx'

        [mcp_servers.craig]
        command = "CRAIG"
        args = ["mcp", "--tools", "core"]

        [profiles.a] # last
        model = "y"

        -- .cursor/mcp.json
        {"mcpServers":{
            "craig": {
              "type": "stdio",
              "command": "CRAIG",
              "args": ["mcp", "--tools", "core"]
            }
          }}

        -- .config/Code/User/mcp.json
        {
        	// servers of mine
        	"servers": {
        		"git": { "type": "stdio", "command": "uvx" }, // keep
        		"craig": {
        			"type": "stdio",
        			"command": "CRAIG",
        			"args": ["mcp", "--tools", "core"],
        		},
        	},
        	"inputs": []
        }

        -- .config/zed/settings.json
        // Zed settings
        //
        {
          "theme": "One Dark", // dark
          /* sizes */
          "buffer_font_size": 15,
          "context_servers": {
            "craig": {
              "command": "CRAIG",
              "args": ["mcp", "--tools", "core"],
              "env": {}
            }
          },
        }

        -- .config/opencode/opencode.jsonc
        {<crlf>
          "$schema": "https://opencode.ai/config.json", // crlf<crlf>
          "mcp": {<crlf>
            "craig": {<crlf>
              "type": "local",<crlf>
              "command": ["CRAIG", "mcp", "--tools", "core"],<crlf>
              "enabled": true<crlf>
            }<crlf>
          }<crlf>
        }<crlf>

        -- .gemini/settings.json
        {
          "mcpServers": {
            "craig": {
              "command": "CRAIG",
              "args": ["mcp", "--tools", "core"]
            }
          }
        }
        -- .codeium/windsurf/mcp_config.json
        {
          "mcpServers": {
            "craig": {
              "command": "CRAIG",
              "args": ["mcp", "--tools", "core"]
            }
          }
        }

        -- .copilot/mcp-config.json
        {
          "mcpServers": {
            "craig": {
              "type": "local",
              "command": "CRAIG",
              "args": ["mcp", "--tools", "core"],
              "tools": ["*"]
            }
          }
        }

        -- .cline/data/settings/cline_mcp_settings.json
        {
          "mcpServers": {
            "git": { "command": "uvx", "disabled": false },
            "craig": {
              "command": "CRAIG",
              "args": ["mcp", "--tools", "core"]
            }
          }
        }

        -- .config/Claude/claude_desktop_config.json
        {
          "globalShortcut": "",
          "mcpServers": {
            "craig": {
              "command": "CRAIG",
              "args": ["mcp", "--tools", "core"]
            }
          }
        }
        -- .junie/mcp/mcp.json
        {
          "mcpServers": {
            "craig": {
              "command": "CRAIG",
              "args": ["mcp", "--tools", "core"]
            }
          }
        }

        -- AGENTS.md
        <!-- craig:begin -->
        ## Craig

        The MCP server `craig` has this machine's projects in an index. Ask it about code before you search with grep or read whole files:
        - `explore`: where something is, how it works, what to change for it. Give the question and your guesses: `names` (identifiers that the code may use) and `code` (a line or two that it may contain).
        - `references`: who uses a symbol, before you change it; with `depth`, the callers of its callers.
        - `grep`: every line with an exact text. `read_file`: more lines or whole definitions (`src/cart.py::Cart.total`), several in one call; lines that were shown need not be read again.
        - Do without it for a place that you know already, and for the rest of the session if a project cannot be indexed.
        <!-- craig:end -->
        -- instructions
        ---
        description: When to ask Craig
        applyTo: "**"
        ---

        ## Craig

        The MCP server `craig` has this machine's projects in an index. Ask it about code before you search with grep or read whole files:
        - `explore`: where something is, how it works, what to change for it. Give the question and your guesses: `names` (identifiers that the code may use) and `code` (a line or two that it may contain).
        - `references`: who uses a symbol, before you change it; with `depth`, the callers of its callers.
        - `grep`: every line with an exact text. `read_file`: more lines or whole definitions (`src/cart.py::Cart.total`), several in one call; lines that were shown need not be read again.
        - Do without it for a place that you know already, and for the rest of the session if a project cannot be indexed.
    "#]].assert_eq(&all);
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
fn an_entry_of_an_older_craig_is_brought_up_to_date() {
    let home = home();
    let before = files(&home);
    succeed(&home, &["install", "--yes"]);
    let configurations = |home: &Home| {
        let mut files = files(home);
        files.retain(|path, _| !path.ends_with("installed.json"));
        files
    };
    let installed = configurations(&home);
    // As it was when the server was configured with all tools: the files, and the journal of what was inserted.
    for (path, text) in files(&home) {
        let older =
            text.replace(", \"--tools\", \"core\"", "").replace(", \\\"--tools\\\", \\\"core\\\"", "");
        assert!(!older.contains("--tools"), "{path}: {older}");
        home.write(&path, older);
    }
    succeed(&home, &["install", "--yes"]);
    assert_eq!(configurations(&home), installed);
    succeed(&home, &["uninstall", "--yes"]);
    assert_eq!(files(&home), before);
}

#[test]
fn continue_gets_a_file_of_its_own() {
    let home = Home::new();
    home.write(".continue/config.yaml", "name: mine\n");
    let before = files(&home);
    succeed(&home, &["install", "--yes"]);
    assert!(text(&home, ".continue/mcpServers/craig.json").contains("\"command\": \"CRAIG\""));
    succeed(&home, &["uninstall", "--yes"]);
    assert_eq!(files(&home), before);
    assert!(!home.path().join(".continue/mcpServers").exists());
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
    expect![[r#"
        exit 2
        -- stderr
        warning: HOME/.codex/config.toml was not changed: it is malformed: TOML parse error at line 1, column 9   | 1 | model =    |         ^ string values must be quoted, expected literal string
        warning: HOME/.cursor/mcp.json was not changed: it is malformed: Expected comma on line 1 column 25
        warning: HOME/.gemini/settings.json was not changed: it is not UTF-8 text
        warning: HOME/.codeium/windsurf/mcp_config.json was not changed: its "mcpServers" is not an object of servers by name
    "#]].assert_eq(&reported(&home, &output));
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
    assert_eq!(output.status.code(), Some(1), "{}", reported(&home, &output));
    assert!(link.is_symlink() && !Path::new(&home.path().join(".cursor/nowhere")).exists());
}

#[test]
fn nothing_is_written_unasked() {
    let home = home();
    let before = files(&home);
    let mut all = reported(&home, &run(&home, &["install"]));
    all += &succeed(&home, &["install", "--dry-run", "--agent", "claude-code"]);
    all += &succeed(&home, &["install", "--dry-run", "--agent", "codex", "--format", "json"]);
    all += &reported(&home, &run(&Home::new(), &["install", "--yes"]));
    all += &reported(&home, &run(&home, &["install", "--yes", "--agent", "emacs"]));
    assert!(!all.contains("hunter2"), "keys of others are not shown");
    assert_eq!(files(&home), before);
    expect![[r#"
        exit 1
        -- stderr
        error: there is no terminal for the confirmation
        hint: give --yes to write without confirmation, or --dry-run to see the changes
        exit 0
        -- stdout
        Claude Code
          edit HOME/.claude.json
            @@ -6,0 +7,5 @@
            +    },
            +    "craig": {
            +      "type": "stdio",
            +      "command": "CRAIG",
            +      "args": ["mcp", "--tools", "core"]
          edit HOME/.claude/CLAUDE.md
            @@ -3 +3,11 @@
            -Be brief.
            +Be brief.
            +
            +<!-- craig:begin -->
            +## Craig
            +
            +The MCP server `craig` has this machine's projects in an index. Ask it about code before you search with grep or read whole files:
            +- `explore`: where something is, how it works, what to change for it. Give the question and your guesses: `names` (identifiers that the code may use) and `code` (a line or two that it may contain).
            +- `references`: who uses a symbol, before you change it; with `depth`, the callers of its callers.
            +- `grep`: every line with an exact text. `read_file`: more lines or whole definitions (`src/cart.py::Cart.total`), several in one call; lines that were shown need not be read again.
            +- Do without it for a place that you know already, and for the rest of the session if a project cannot be indexed.
            +<!-- craig:end -->
        Claude Code: not written
        exit 0
        -- stdout
        [
          {
            "agent": "codex",
            "name": "Codex",
            "files": [
              {
                "path": "HOME/.codex/config.toml",
                "change": "edit",
                "diff": "@@ -6,0 +7,4 @@\n+[mcp_servers.craig]\n+command = \"CRAIG\"\n+args = [\"mcp\", \"--tools\", \"core\"]\n+\n"
              },
              {
                "path": "HOME/.codex/AGENTS.md",
                "change": "create",
                "diff": "@@ -0,0 +1,9 @@\n+<!-- craig:begin -->\n+## Craig\n+\n+The MCP server `craig` has this machine's projects in an index. Ask it about code before you search with grep or read whole files:\n+- `explore`: where something is, how it works, what to change for it. Give the question and your guesses: `names` (identifiers that the code may use) and `code` (a line or two that it may contain).\n+- `references`: who uses a symbol, before you change it; with `depth`, the callers of its callers.\n+- `grep`: every line with an exact text. `read_file`: more lines or whole definitions (`src/cart.py::Cart.total`), several in one call; lines that were shown need not be read again.\n+- Do without it for a place that you know already, and for the rest of the session if a project cannot be indexed.\n+<!-- craig:end -->\n"
              }
            ],
            "done": false,
            "error": null
          }
        ]
        exit 1
        -- stderr
        error: no coding assistant was found on this machine
        hint: name one with --agent: claude-code, codex, cursor, vscode, zed, opencode, gemini, windsurf, copilot, cline, continue, claude-desktop, junie
        exit 1
        -- stderr
        error: invalid value 'emacs' for '--agent <NAME>'
          [possible values: claude-code, codex, cursor, vscode, zed, opencode, gemini, windsurf, copilot, cline, continue, claude-desktop, junie]

        For more information, try '--help'.
    "#]].assert_eq(&all);
}

#[test]
fn an_assistant_that_is_named_gets_its_files() {
    let home = Home::new();
    succeed(&home, &["install", "--yes", "--agent", "gemini"]);
    assert!(text(&home, ".gemini/settings.json").contains("CRAIG"));
    succeed(&home, &["uninstall", "--yes", "--agent", "gemini"]);
    assert!(!home.path().join(".gemini").exists());
}
