//! Which crate may use which, and what libraries may depend on.

use crate::{check, metadata};

/// The table of ARCHITECTURE.md: a crate and the crates of the workspace that it may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("craig-text", &[]),
    ("craig-source", &["craig-text"]),
    ("craig-grammars", &[]),
    ("craig-chunk", &["craig-text", "craig-grammars", "craig-source"]),
    ("craig-model", &["craig-text"]),
    ("craig-store", &["craig-source", "craig-chunk", "craig-model"]),
    ("craig-search", &["craig-text", "craig-source", "craig-chunk", "craig-model", "craig-store"]),
    (
        "craig-context",
        &["craig-text", "craig-source", "craig-chunk", "craig-model", "craig-store", "craig-search"],
    ),
    ("craig-explain", &["craig-text", "craig-source", "craig-chunk", "craig-model", "craig-store"]),
    ("craig-symbols", &["craig-text", "craig-source", "craig-chunk", "craig-store"]),
    ("craig-insight", &["craig-text", "craig-source", "craig-chunk", "craig-store", "craig-symbols"]),
    ("craig-engine", ALL_LIBRARIES),
    ("craig-gateway", &["craig-engine"]),
    ("craig", &["craig-engine", "craig-gateway"]),
    // A developer's tool: it trains what the others use.
    ("craig-train", ALL_WITH_ENGINE),
];

const ALL_LIBRARIES: &[&str] = &[
    "craig-text",
    "craig-source",
    "craig-chunk",
    "craig-model",
    "craig-store",
    "craig-search",
    "craig-context",
    "craig-explain",
    "craig-symbols",
    "craig-insight",
];

const ALL_WITH_ENGINE: &[&str] = &[
    "craig-text",
    "craig-source",
    "craig-chunk",
    "craig-model",
    "craig-store",
    "craig-search",
    "craig-context",
    "craig-explain",
    "craig-symbols",
    "craig-insight",
    "craig-engine",
];

/// Programs and surfaces; everything else is a library: synchronous, and without any protocol.
const PROGRAMS: &[&str] = &["craig", "craig-gateway", "craig-train"];

/// Crates of surfaces: runtimes, protocols, command lines.
const NOT_IN_LIBRARIES: &[&str] = &[
    "anyhow",
    "async-std",
    "axum",
    "clap",
    "futures",
    "hyper",
    "indicatif",
    "lsp-server",
    "lsp-types",
    "reqwest",
    "rmcp",
    "smol",
    "tokio",
    "tonic",
    "tower",
    "tower-lsp",
    "ureq",
];

/// Exceptions, each with its decision: a provider is asked over HTTP, by one blocking client.
const ALLOWED_ALL_THE_SAME: &[(&str, &str)] = &[("craig-model", "ureq")];

/// A crate of the workspace with what it is built from; what only its tests use is left out.
struct Crate {
    name: String,
    dependencies: Vec<String>,
}

fn workspace_crates() -> Vec<Crate> {
    let metadata = metadata(&["--no-deps"]);
    let crates = metadata["packages"].as_array().unwrap().iter().map(|package| {
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        let built_from = dependencies.filter(|dependency| dependency["kind"] != "dev");
        Crate {
            name: package["name"].as_str().unwrap().to_owned(),
            dependencies: built_from
                .map(|dependency| dependency["name"].as_str().unwrap().to_owned())
                .collect(),
        }
    });
    crates.collect()
}

fn wrong_edges(crates: &[Crate]) -> Vec<String> {
    let mut wrong = Vec::new();
    for Crate { name, dependencies } in crates {
        let Some((_, allowed)) = MAY_USE.iter().find(|(of, _)| of == name) else {
            wrong.push(format!("{name} has no line in the table"));
            continue;
        };
        let ours = dependencies.iter().filter(|used| *used == "craig" || used.starts_with("craig-"));
        let forbidden = ours.filter(|used| !allowed.contains(&used.as_str()));
        wrong.extend(forbidden.map(|used| format!("{name} may not use {used}")));
    }
    wrong
}

fn wrong_dependencies(crates: &[Crate]) -> Vec<String> {
    let libraries = crates.iter().filter(|one| !PROGRAMS.contains(&one.name.as_str()));
    let wrong = libraries.flat_map(|Crate { name, dependencies }| {
        let is_allowed = |used: &str| ALLOWED_ALL_THE_SAME.contains(&(name.as_str(), used));
        let forbidden = dependencies
            .iter()
            .filter(move |used| NOT_IN_LIBRARIES.contains(&used.as_str()) && !is_allowed(used));
        forbidden.map(move |used| format!("the library {name} may not depend on {used}"))
    });
    wrong.collect()
}

#[test]
fn crates_use_each_other_as_the_table_says() {
    let crates = workspace_crates();
    assert!(crates.iter().any(|one| one.name == "craig-engine" && one.dependencies.len() > 3));
    check(wrong_edges(&crates));
}

#[test]
fn libraries_know_no_runtime_and_no_protocol() {
    check(wrong_dependencies(&workspace_crates()));
}

#[test]
fn wrong_edges_are_seen() {
    let made = |name: &str, dependencies: &[&str]| Crate {
        name: name.into(),
        dependencies: dependencies.iter().map(|&name| name.into()).collect(),
    };
    let bad = [
        made("craig-chunk", &["craig-source", "craig-store", "serde"]),
        made("craig-new", &[]),
        made("craig-model", &["tokio", "ureq"]),
        made("craig-store", &["ureq"]),
        made("craig", &["tokio", "clap", "craig-store"]),
    ];
    let expected = [
        "craig-chunk may not use craig-store",
        "craig-new has no line in the table",
        "craig may not use craig-store",
    ];
    assert_eq!(wrong_edges(&bad), expected);
    let expected =
        ["the library craig-model may not depend on tokio", "the library craig-store may not depend on ureq"];
    assert_eq!(wrong_dependencies(&bad), expected);
}
