//! `craig doctor`: damage is found, reported with advice, and repaired.

use std::path::PathBuf;

use expect_test::expect;
use serde_json::json;

use crate::harness::Home;

/// The one segment of the only project's index.
fn segment(home: &Home) -> PathBuf {
    let side = std::fs::read_dir(home.path().join("craig.db.d")).unwrap();
    let folders = side.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let files =
        folders.flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    files.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "seg")).unwrap()
}

/// Replaces bytes of a file by as many others.
fn replace(file: &std::path::Path, before: &[u8], after: &[u8]) {
    let mut bytes = std::fs::read(file).unwrap();
    let at = bytes.windows(before.len()).position(|window| window == before).unwrap();
    bytes[at..at + before.len()].copy_from_slice(after);
    std::fs::write(file, bytes).unwrap();
}

/// Runs `craig doctor`; how large the index is does not matter, nor how Craig is installed.
fn check(home: &Home, args: &[&str], expect: expect_test::Expect) {
    let size = regex::Regex::new(r"\([0-9.]+ k?B\)").unwrap();
    let installation = regex::Regex::new(r"(?m)^(version|update|stored|setting|next) .*\n").unwrap();
    let text = home.transcript(&home.run(args));
    expect.assert_eq(&installation.replace_all(&size.replace_all(&text, "(SIZE)"), ""));
}

/// What `craig doctor` says of the installation: without the rest, sizes and the place of the program.
fn installation(home: &Home, args: &[&str]) -> String {
    let mut command = home.craig(args);
    let output = command
        .env_remove("CRAIG_DB")
        .env_remove("CLAUDE_CONFIG_DIR")
        .env_remove("CODEX_HOME")
        .output()
        .unwrap();
    let size = regex::Regex::new(r"[0-9.]+ k?B").unwrap();
    let program = std::fs::canonicalize(env!("CARGO_BIN_EXE_craig")).unwrap();
    let text = home.transcript(&output).replace(program.to_str().unwrap(), "CRAIG");
    let text =
        regex::Regex::new(r#""index_bytes": \d+"#).unwrap().replace_all(&text, r#""index_bytes": SIZE"#);
    size.replace_all(&text, "SIZE").replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

/// Removes the rights of others, which would be reported otherwise.
fn tighten(home: &Home) {
    use std::os::unix::fs::PermissionsExt as _;
    for (path, mode) in [("craig.db", 0o600), ("craig.db.d", 0o700)] {
        std::fs::set_permissions(home.path().join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    }
}

#[test]
fn an_intact_database_is_reported_as_intact() {
    let home = Home::with_ingested_shop();
    tighten(&home);
    let reported = home.succeed(&["doctor"]);
    assert!(
        reported.starts_with("sound  ") && reported.contains("1 project, 6 files, 1 index segment ("),
        "{reported}"
    );
    let reported = home.succeed(&["doctor", "--format", "json"]);
    assert!(
        reported.contains(r#""is_sound":true,"projects":1,"files":6,"segments":1,"index_bytes":"#),
        "{reported}"
    );
    assert!(reported.contains(r#""findings":[]"#), "{reported}");
}

#[test]
fn damage_is_reported_and_repaired() {
    let home = Home::with_ingested_shop();
    tighten(&home);
    let mut bytes = std::fs::read(segment(&home)).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(segment(&home), bytes).unwrap();
    replace(&home.database(), b"Sells things to people", b"Sells people to things");
    std::fs::create_dir(home.path().join("craig.db.d/0123456789ab")).unwrap();
    check(
        &home,
        &["doctor"],
        expect![[r#"
            exit 1
            -- stdout
            damaged: file shop README.md
              its text is damaged
              run 'craig doctor --repair', which rereads the file from its source
            damaged: index shop
              000000.seg: a checksum is wrong
              the next search or 'craig doctor --repair' rebuilds it
            note: left over HOME/craig.db.d/REFERENCE
              an index without a project
              run 'craig doctor --repair' to remove it
            damaged  HOME/craig.db: 1 project, 6 files, 0 index segments (SIZE)
        "#]],
    );
    check(
        &home,
        &["doctor", "--repair"],
        expect![[r#"
            exit 0
            -- stdout
            repaired: file shop README.md
              its text is damaged
              it was reread from its source
            repaired: index shop
              000000.seg: a checksum is wrong
              it was rebuilt from the database
            repaired: left over HOME/craig.db.d/REFERENCE
              an index without a project
              it was removed
            sound  HOME/craig.db: 1 project, 6 files, 2 index segments (SIZE)
        "#]],
    );
    assert!(home.succeed(&["doctor"]).starts_with("sound  "));
    home.check(
        &["file", "shop", "README.md"],
        expect![[r#"
            exit 0
            -- stdout
            # Shop

            Sells things to people.
        "#]],
    );
}

#[test]
fn what_is_damaged_is_not_shown() {
    let home = Home::with_ingested_shop();
    replace(&home.database(), b"Sells things to people", b"Sells people to things");
    home.check(
        &["file", "shop", "README.md"],
        expect![[r#"
            exit 1
            -- stderr
            error: the stored text of "README.md" is damaged
            hint: run 'craig doctor --repair', which rereads the file from its source
        "#]],
    );
    home.check(
        &["search", "what the shop sells", "-p", "shop", "--kind", "docs", "--no-refresh"],
        expect![[r#"
            exit 1
            -- stderr
            error: the stored text of "README.md" is damaged
            hint: run 'craig doctor --repair', which rereads the file from its source
        "#]],
    );
}

#[test]
fn without_a_database_there_is_nothing_to_examine() {
    let home = Home::new();
    home.check(
        &["doctor"],
        expect![[r#"
            exit 1
            -- stderr
            error: the database HOME/craig.db does not exist
            hint: check the spelling of --db; 'craig ingest <directory>' with the same --db creates it
        "#]],
    );
}

#[test]
fn the_plugin_of_claude_code_is_seen() {
    let home = Home::new();
    let lines = |home: &Home| {
        let text = installation(home, &["doctor"]);
        let is_about = |line: &&str| line.starts_with("assistant") || line.contains("laude");
        text.lines().filter(is_about).collect::<Vec<_>>().join("\n")
    };
    let plugin =
        |version: &str| json!({ "plugins": { "craig@craig": [{ "scope": "user", "version": version }] } });
    let installed = ".claude/plugins/installed_plugins.json";
    home.write(installed, plugin(env!("CARGO_PKG_VERSION")).to_string());
    expect!["assistant    Claude Code: the plugin VERSION"].assert_eq(&lines(&home));
    home.write(installed, plugin("99.1.0").to_string());
    installation(&home, &["install", "--yes", "--agent", "claude-code"]);
    expect![[r#"
        assistant    Claude Code: VERSION, CRAIG; and the plugin 99.1.0
        next         run 'craig uninstall --agent claude-code': the plugin of Claude Code starts the same server
        next         update the plugin of Claude Code: it belongs to Craig 99.1.0, not VERSION"#]]
    .assert_eq(&lines(&home));
    home.write(".claude/settings.json", r#"{"enabledPlugins": {"craig@craig": false}}"#);
    expect!["assistant    Claude Code: VERSION, CRAIG"].assert_eq(&lines(&home));
    installation(&home, &["uninstall", "--yes", "--agent", "claude-code"]);
    expect![[r#"
        assistant    Claude Code: not connected
        next         run 'craig install' to connect Claude Code"#]]
    .assert_eq(&lines(&home));
}

/// Installs Craig in Codex and Cursor and ingests the shop. VS Code, with a newer extension, is not connected, and Gemini CLI
/// starts another program.
fn install_in_two_of_four(home: &Home) {
    home.write(".cursor/mcp.json", "{}");
    home.write(
        ".gemini/settings.json",
        r#"{"mcpServers": {"craig": {"command": "/nowhere/craig", "args": ["mcp"]}}}"#,
    );
    home.write(".config/Code/User/settings.json", "{}");
    home.write(".codex/config.toml", "");
    home.write(".vscode/extensions/craig.craig-99.0.1-linux-x64/package.json", "{}");
    home.write(".config/craig/config.toml", "threads = 1\n");
    installation(home, &["install", "--yes", "--agent", "codex", "--agent", "cursor"]);
    installation(home, &["ingest", "shop"]);
}

#[test]
fn how_craig_is_installed_and_what_to_do_next() {
    let home = Home::with_shop();
    expect![[r#"
        exit 0
        -- stdout
        version      VERSION, installed by hand: CRAIG
        update       replace the program with the newer one
        stored       nothing yet
        next         run 'craig search "a question"' in a directory with code
    "#]]
    .assert_eq(&installation(&home, &["doctor"]));
    install_in_two_of_four(&home);
    expect![[r#"
        exit 0
        -- stdout
        sound  HOME/.local/share/craig/craig.db: 1 project, 6 files, 1 index segment (SIZE)
        version      VERSION, installed by hand: CRAIG
        update       replace the program with the newer one
        stored       SIZE in the database, SIZE in indexes
        setting      threads = 1 (HOME/.config/craig/config.toml)
        assistant    Codex: VERSION, CRAIG
        assistant    Cursor: VERSION, CRAIG
        assistant    VS Code: not connected
        assistant    Gemini CLI: starts /nowhere/craig, which is missing or reports no version
        extension    VS Code: 99.0.1
        next         run 'craig install': Gemini CLI starts /nowhere/craig, which is not Craig VERSION
        next         run 'craig install' to connect VS Code
        next         update the older one: VS Code has the extension 99.0.1, this is Craig VERSION (replace the program with the newer one)
    "#]].assert_eq(&installation(&home, &["doctor"]));
}

#[test]
fn the_installation_in_json() {
    let home = Home::with_shop();
    install_in_two_of_four(&home);
    expect![[r#"
        exit 0
        -- stdout
        {
          "database": "HOME/.local/share/craig/craig.db",
          "is_sound": true,
          "projects": 1,
          "files": 6,
          "segments": 1,
          "index_bytes": SIZE,
          "findings": [],
          "version": "VERSION",
          "program": "CRAIG",
          "installed_by": "hand",
          "update": "replace the program with the newer one",
          "remove": "delete the program",
          "database_bytes": NUMBER,
          "settings": [
            {
              "key": "threads",
              "value": 1,
              "from": "user",
              "place": "HOME/.config/craig/config.toml"
            }
          ],
          "assistants": [
            {
              "agent": "codex",
              "name": "Codex",
              "program": "CRAIG",
              "version": "VERSION"
            },
            {
              "agent": "cursor",
              "name": "Cursor",
              "program": "CRAIG",
              "version": "VERSION"
            },
            {
              "agent": "vscode",
              "name": "VS Code",
              "program": null,
              "version": null
            },
            {
              "agent": "gemini",
              "name": "Gemini CLI",
              "program": "/nowhere/craig",
              "version": null
            }
          ],
          "extensions": [
            {
              "editor": "VS Code",
              "version": "99.0.1"
            }
          ],
          "next": [
            "run 'craig install': Gemini CLI starts /nowhere/craig, which is not Craig VERSION",
            "run 'craig install' to connect VS Code",
            "update the older one: VS Code has the extension 99.0.1, this is Craig VERSION (replace the program with the newer one)"
          ]
        }
    "#]].assert_eq(&installation(&home, &["doctor", "--format", "json"]));
}

#[test]
fn a_malformed_configuration_is_named() {
    let home = Home::new();
    home.write(".claude.json", "{\"mcpServers\": ");
    let shown = installation(&home, &["doctor"]);
    expect![[r#"
        exit 0
        -- stdout
        version      VERSION, installed by hand: CRAIG
        update       replace the program with the newer one
        stored       nothing yet
        assistant    Claude Code: not connected; HOME/.claude.json: it is malformed: Expected value after colon in object property on line 1 column 16
        next         run 'craig search "a question"' in a directory with code
        next         correct the configuration of Claude Code, then run 'craig install --agent claude-code'
    "#]].assert_eq(&shown);
}
