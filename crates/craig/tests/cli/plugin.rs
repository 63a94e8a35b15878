//! The plugin of Claude Code and the entry of the MCP registry: they name what the program has.

use std::path::{Path, PathBuf};

use regex::Regex;
use serde_json::{Value, json};

use crate::harness::Home;

const PLUGIN: &str = "editors/claude-code";

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn text(path: &str) -> String {
    std::fs::read_to_string(repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn object(path: &str) -> Value {
    serde_json::from_str(&text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The command line of an entry that starts a server.
fn started(server: &Value) -> String {
    let arguments = server["args"].as_array().unwrap().iter().map(|argument| argument.as_str().unwrap());
    [server["command"].as_str().unwrap()].into_iter().chain(arguments).collect::<Vec<_>>().join(" ")
}

/// Every command line of craig in the plugin.
fn command_lines() -> Vec<String> {
    let file = |name: &str| format!("{PLUGIN}/{name}");
    let mut lines = vec![
        started(&object(&file(".mcp.json"))["mcpServers"]["craig"]),
        started(&object(&file(".lsp.json"))["craig"]),
    ];
    let hooks = object(&file("hooks/hooks.json"));
    let of_hooks = hooks["hooks"].as_object().unwrap().values().flat_map(|groups| groups.as_array().unwrap());
    let of_hooks = of_hooks.flat_map(|group| group["hooks"].as_array().unwrap());
    // A hook must not fail where there is no craig.
    let command =
        |hook: &Value| hook["command"].as_str().unwrap().strip_suffix(" || true").unwrap().to_owned();
    lines.extend(of_hooks.map(command));
    let quoted = Regex::new("`(craig [^`]+)`").unwrap();
    for name in ["skills/craig/SKILL.md", "agents/code-search.md", "README.md"] {
        let text = text(&file(name));
        let before = lines.len();
        lines.extend(quoted.captures_iter(&text).map(|found| found[1].to_owned()));
        assert!(lines.len() > before, "{name} names no command");
    }
    lines
}

#[test]
fn commands_of_the_plugin_are_those_of_the_program() {
    let home = Home::new();
    let flag = Regex::new(r"--[a-z-]+").unwrap();
    let lines = command_lines();
    assert!(lines.contains(&"craig mcp --tools core".to_owned()) && lines.len() > 15, "{lines:?}");
    for line in &lines {
        let n_words = if line.starts_with("craig hook ") { 2 } else { 1 };
        let command = line.split(' ').skip(1).take(n_words).filter(|word| *word != "install");
        let command: Vec<&str> = command.chain(["--help"]).collect();
        let help = home.succeed(&command);
        for flag in flag.find_iter(line) {
            let is_there = Regex::new(&format!(r"{}[ ,\n]", flag.as_str())).unwrap().is_match(&help);
            assert!(is_there, "{line}: there is no {}", flag.as_str());
        }
    }
}

#[test]
fn tools_of_the_sub_agent_are_those_of_the_server() {
    let agent = text(&format!("{PLUGIN}/agents/code-search.md"));
    let named = Regex::new("mcp__plugin_craig_craig__([a-z_]+)").unwrap();
    let named: Vec<String> = named.captures_iter(&agent).map(|found| found[1].to_owned()).collect();
    assert_eq!(named, ["explore", "grep", "read_file", "references"]);
}

#[test]
fn the_marketplace_leads_to_the_plugin() {
    let marketplace = object(".claude-plugin/marketplace.json");
    let plugin = object(&format!("{PLUGIN}/.claude-plugin/plugin.json"));
    assert_eq!(marketplace["plugins"][0]["source"], format!("./{PLUGIN}"));
    assert_eq!(marketplace["plugins"][0]["name"], plugin["name"]);
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn the_bundle_of_claude_desktop_is_of_this_program() {
    let manifest = object("editors/claude-desktop/manifest.json");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(manifest["repository"]["url"], env!("CARGO_PKG_REPOSITORY"));
    assert_eq!(manifest["description"], object("server.json")["description"]);
    let server = &manifest["server"]["mcp_config"];
    assert_eq!(started(server), "${__dirname}/server/craig mcp --tools core --root ${user_config.folder}");
    assert!(manifest["user_config"]["folder"]["required"].as_bool().unwrap());
    let tools: Vec<_> = manifest["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(tools, ["explore", "grep", "read_file", "references"]);
}

#[test]
fn the_registry_entry_is_that_of_the_packages() {
    let server = object("server.json");
    let name = server["name"].as_str().unwrap();
    assert_eq!(server["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(server["repository"]["url"], env!("CARGO_PKG_REPOSITORY"));
    assert!(server["description"].as_str().unwrap().len() <= 100, "the registry takes no longer ones");
    for package in server["packages"].as_array().unwrap() {
        assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
        let arguments = json!([
            { "type": "positional", "value": "mcp" },
            { "type": "named", "name": "--tools", "value": "core" },
        ]);
        assert_eq!(package["packageArguments"], arguments);
    }
    // PyPI's description is the README; npm's `mcpName` is taken from server.json when the package is made.
    assert!(text("README.md").contains(&format!("<!-- mcp-name: {name} -->")));
    assert!(text("packaging/build").contains("mcpName"));
}
