//! What the code of each crate may touch: files, network, unsafe.

use std::path::Path;

use crate::code::{code_of, has_word, product_code_of, rust_files};
use crate::{check, workspace};

/// Crates whose code does no input and output of its own; craig-model asks providers through its one client.
const WITHOUT_IO: &[&str] = &["craig-chunk", "craig-context", "craig-model", "craig-text"];

/// Modules of the standard library that reach outside of the process.
const OUTSIDE: &[&str] = &["fs", "io", "net", "process", "env"];

/// Modules that open files, beside those of craig-source, and whose files these are.
const MAY_OPEN_FILES: &[(&str, &str)] = &[
    ("craig-store/src/access.rs", "whether there is a log beside the database"),
    ("craig-store/src/archive.rs", "archives of indexes"),
    ("craig-store/src/derived.rs", "what is derived from a database, and one that is set aside"),
    ("craig-store/src/derived_file.rs", "analyses that are kept beside the index"),
    ("craig-store/src/holder.rs", "what the system shows of processes that hold locks"),
    ("craig-store/src/in_repository.rs", "what the data folder keeps of databases in repositories"),
    ("craig-store/src/lock.rs", "lock files beside the database"),
    ("craig-store/src/server.rs", "the user's file of passwords"),
    ("craig-search/src/index.rs", "the folder of the index"),
    ("craig-search/src/mapped.rs", "maps segments"),
    ("craig-search/src/segment/builder.rs", "writes segments"),
    ("craig-engine/src/archive.rs", "replaces an archive when it is complete"),
    ("craig-engine/src/models.rs", "model folders that the user configured"),
    ("craig-engine/src/settings/file.rs", "the user's own settings"),
    ("craig-engine/src/doctor.rs", "clones and indexes that are left over"),
    ("craig/src/cli/batch.rs", "the lines of a batch"),
    ("craig/src/cli/hook/memory.rs", "which names a session of an assistant had a note about"),
    ("craig/src/cli/scip.rs", "the file that an export is written into"),
    ("craig/src/assistants/files.rs", "configuration of assistants"),
    ("craig/src/savings.rs", "counts of answers to assistants"),
    ("craig/src/workspace.rs", "the folder in which an editor keeps the index of a workspace"),
    ("craig-gateway/src/keys.rs", "the hashed keys of clients"),
    ("craig-gateway/src/usage.rs", "what each key has used"),
    (
        "craig-gateway/src/config_file.rs",
        "providers, prices and the identity provider that the user configured",
    ),
];

/// The files that open connections, and to whom.
const MAY_USE_THE_NETWORK: &[(&str, &str)] = &[
    ("craig-model/src/http.rs", "providers of models, for whoever waits in line"),
    ("craig-source/src/git/server.rs", "only resolves the servers that git asks"),
    ("craig-gateway/src/client.rs", "providers of models and identity, for many at once"),
    ("craig-gateway/src/shared.rs", "the Redis server that gateways share"),
    ("craig-store/src/server.rs", "the PostgreSQL server of the database"),
    ("craig-store/src/address.rs", "parses its address"),
    ("craig-store/src/error.rs", "sorts its errors"),
    ("craig-store/src/sql.rs", "runs statements on it"),
    ("craig-store/src/sql/postgres.rs", "runs statements on it"),
];

/// What connections are opened with. A surface that is served needs hyper, too; its client is what counts.
const NETWORK: &[&str] = &["ureq", "reqwest", "hyper_rustls", "redis", "postgres"];
const SERVED: &[&str] = &["craig", "craig-gateway"];

/// Files that start programs: git, craig itself, and the user's editor.
const MAY_START_PROGRAMS: &[&str] = &[
    "craig/src/cli/ui/editor.rs",
    "craig-source/src/git/command.rs",
    "craig/src/assistants/connections.rs",
    "craig/src/mcp/jobs/child.rs",
    "craig/src/mcp/jobs/rest.rs",
];

/// A developer's tool, which reads and writes the files it is given.
const TOOLS: &[&str] = &["craig-train"];

const MAY_BE_UNSAFE: &[&str] = &["craig-search/src/mapped.rs", "craig-grammars/src/lib.rs"];

/// Files of `crates/`, each as (path below it, source).
fn sources(select: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let crates = workspace().join("crates");
    let relative = |path: &Path| path.strip_prefix(&crates).unwrap().to_str().unwrap().replace('\\', "/");
    let files = rust_files(&crates).into_iter().map(|path| (relative(&path), path));
    files
        .filter(|(name, _)| select(name))
        .map(|(name, path)| (name, std::fs::read_to_string(path).unwrap()))
        .collect()
}

fn is_product(path: &str) -> bool {
    let in_src = path.split('/').nth(1) == Some("src");
    in_src && !path.ends_with("/tests.rs") && !path.contains("/tests/")
}

fn crate_of(path: &str) -> &str {
    path.split('/').next().unwrap_or(path)
}

/// Whether code names a module of `std`, by its path or in a group: `std::fs`, `use std::{fs, path::Path}`.
fn uses_std(code: &str, module: &str) -> bool {
    let compact: String = code.split_whitespace().collect();
    let is_next = |after: &str| after.strip_prefix(module).is_some_and(|rest| !has_letter_first(rest));
    let in_group = |after: &str| {
        let end = after.find(';').unwrap_or(after.len());
        after.starts_with('{') && has_word(&after[..end], module)
    };
    compact.split("std::").skip(1).any(|after| is_next(after) || in_group(after))
}

fn has_letter_first(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

fn io_in_pure_crates(files: &[(String, String)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (path, source) in files.iter().filter(|(path, _)| WITHOUT_IO.contains(&crate_of(path))) {
        let code = product_code_of(source);
        // The client reads answers as they come.
        let is_client = MAY_USE_THE_NETWORK.iter().any(|(allowed, _)| allowed == path);
        let is_allowed = |module: &str| is_client && module == "io";
        let used = OUTSIDE.iter().filter(|module| uses_std(&code, module) && !is_allowed(module));
        wrong.extend(used.map(|module| format!("{path} uses std::{module}")));
    }
    wrong
}

fn files_opened_elsewhere(files: &[(String, String)]) -> Vec<String> {
    let is_allowed = |path: &str| {
        crate_of(path) == "craig-source"
            || TOOLS.contains(&crate_of(path))
            || MAY_OPEN_FILES.iter().any(|(allowed, _)| *allowed == path)
    };
    let wrong = files.iter().filter(|(path, source)| {
        let code = product_code_of(source);
        !is_allowed(path) && (uses_std(&code, "fs") || code.contains(".read_dir()"))
    });
    wrong.map(|(path, _)| format!("{path} opens files: only craig-source reads a project's files")).collect()
}

/// Files that open connections: only what the user configured gets an address for them. Surfaces may have addresses to
/// listen on.
fn network_elsewhere(files: &[(String, String)]) -> Vec<String> {
    let wrong = files.iter().filter(|(path, source)| {
        let code = product_code_of(source);
        let is_served = SERVED.contains(&crate_of(path));
        let has_address = !is_served && (uses_std(&code, "net") || has_word(&code, "hyper"));
        let has_client = NETWORK.iter().any(|name| uses_crate(&code, name))
            || code.contains("hyper_util::client")
            || code.contains("hyper::client")
            || code.contains("TcpStream::connect");
        let is_allowed = MAY_USE_THE_NETWORK.iter().any(|(allowed, _)| allowed == path);
        !is_allowed && (has_address || has_client)
    });
    wrong.map(|(path, _)| format!("{path} talks to a network")).collect()
}

/// Files that start programs; that a program knows its own id or exit code is no matter.
fn programs_elsewhere(files: &[(String, String)]) -> Vec<String> {
    let starts =
        |code: &str| code.contains("Command::new") && (uses_std(code, "process") || has_word(code, "tokio"));
    let wrong = files.iter().filter(|(path, source)| {
        let is_allowed = MAY_START_PROGRAMS.contains(&path.as_str()) || TOOLS.contains(&crate_of(path));
        !is_allowed && starts(&product_code_of(source))
    });
    wrong.map(|(path, _)| format!("{path} starts programs")).collect()
}

/// Whether code names something of a crate: `redis::Client`, `use ureq;`.
fn uses_crate(code: &str, name: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let compact: String = code.split_whitespace().collect::<Vec<_>>().join(" ").replace(" ::", "::");
    let path = format!("{name}::");
    let begins = |at: usize| !compact[..at].ends_with(is_letter) && !compact[..at].ends_with("::");
    compact.match_indices(&path).any(|(at, _)| begins(at)) || compact.contains(&format!("use {name};"))
}

/// Files that know that the store is SQLite: of its tests only those that say so.
fn sqlite_elsewhere(files: &[(String, String)]) -> Vec<String> {
    let may_know = |path: &str| {
        path.starts_with("craig-store/src/") || path.starts_with("craig-store/tests/store/sqlite")
    };
    let wrong =
        files.iter().filter(|(path, source)| !may_know(path) && uses_crate(&code_of(source), "rusqlite"));
    wrong.map(|(path, _)| format!("{path} uses SQLite")).collect()
}

fn unsafe_elsewhere(files: &[(String, String)]) -> Vec<String> {
    let wrong = files.iter().filter(|(path, source)| {
        !MAY_BE_UNSAFE.contains(&path.as_str()) && has_word(&code_of(source), "unsafe")
    });
    wrong.map(|(path, _)| format!("{path} has unsafe code")).collect()
}

/// Blocks and functions of unsafe code that do not say why they are sound.
fn unexplained_unsafe(source: &str) -> Vec<String> {
    let lines: Vec<&str> = source.lines().collect();
    let code = code_of(source);
    let is_explained = |at: usize| lines[..at].iter().rev().take(4).any(|line| line.contains("SAFETY:"));
    let unsafe_lines = code.lines().enumerate().filter(|(_, line)| has_word(line, "unsafe"));
    unsafe_lines.filter(|(at, _)| !is_explained(*at)).map(|(at, _)| format!("line {}", at + 1)).collect()
}

#[test]
fn chunking_and_embedding_do_no_io() {
    let files = sources(is_product);
    assert!(files.iter().filter(|(path, _)| crate_of(path) == "craig-chunk").count() > 10);
    check(io_in_pure_crates(&files));
}

#[test]
fn only_the_store_knows_that_it_is_sqlite() {
    let files = sources(|_| true);
    check(sqlite_elsewhere(&files));
}

#[test]
fn only_craig_source_opens_a_projects_files() {
    let files = sources(is_product);
    check(files_opened_elsewhere(&files));
    for (allowed, why) in MAY_OPEN_FILES {
        let (_, source) =
            files.iter().find(|(path, _)| path == allowed).expect("the list names files that exist");
        assert!(
            uses_std(&product_code_of(source), "fs"),
            "{allowed} does not need its line ({why}) any more"
        );
    }
}

#[test]
fn connections_are_opened_in_few_places() {
    let files = sources(is_product);
    check(network_elsewhere(&files));
    for (allowed, why) in MAY_USE_THE_NETWORK {
        let other = files
            .iter()
            .filter(|(path, _)| path == allowed)
            .map(|(_, source)| ("craig-text/src/x.rs".to_owned(), source.clone()));
        let other: Vec<_> = other.collect();
        assert_eq!(network_elsewhere(&other).len(), 1, "{allowed} does not need its line ({why}) any more");
    }
}

#[test]
fn few_files_start_programs() {
    check(programs_elsewhere(&sources(is_product)));
}

#[test]
fn unsafe_code_stays_in_its_module_and_says_why_it_is_sound() {
    let files = sources(|_| true);
    check(unsafe_elsewhere(&files));
    for allowed in MAY_BE_UNSAFE {
        let (_, source) = files.iter().find(|(path, _)| path == allowed).unwrap();
        check(unexplained_unsafe(source));
    }
}

#[test]
fn violations_are_found() {
    let made = |path: &str, source: &str| vec![(path.to_owned(), source.to_owned())];
    for source in
        ["use std::fs;", "use std::{path::Path, fs::{self, File}};", "fn f() { std :: fs :: read(p) }"]
    {
        assert_eq!(
            io_in_pure_crates(&made("craig-chunk/src/lib.rs", source)),
            ["craig-chunk/src/lib.rs uses std::fs"]
        );
        assert_eq!(files_opened_elsewhere(&made("craig-engine/src/plan.rs", source)).len(), 1, "{source}");
        assert!(files_opened_elsewhere(&made("craig-source/src/read.rs", source)).is_empty());
    }
    for module in OUTSIDE {
        let source = format!("use std::{module}::x;");
        assert_eq!(io_in_pure_crates(&made("craig-model/src/lib.rs", &source)).len(), 1, "{module}");
    }
    let innocent = "use std::{path::Path}; mod fs; // std::fs\n#[cfg(test)] mod tests { use std::fs; }";
    assert!(io_in_pure_crates(&made("craig-chunk/src/lib.rs", innocent)).is_empty());

    for source in ["use ureq::Agent;", "std::net::TcpStream::connect(a)", "redis :: Client::open(a)"] {
        assert_eq!(network_elsewhere(&made("craig-engine/src/lib.rs", source)).len(), 1, "{source}");
        assert!(network_elsewhere(&made("craig-model/src/http.rs", source)).is_empty());
    }
    for source in ["use hyper_util::client::legacy::Client;", "TcpStream::connect(a)", "ureq::post(a)"] {
        assert_eq!(network_elsewhere(&made("craig-gateway/src/chat.rs", source)).len(), 1, "{source}");
    }
    let listens = "use std::net::SocketAddr; use hyper::server::conn::http1; let redis = &gateway.redis;";
    assert!(network_elsewhere(&made("craig-gateway/src/server.rs", listens)).is_empty());
    assert_eq!(network_elsewhere(&made("craig-store/src/lib.rs", listens)).len(), 1);

    let starting = "use std::process::Command; fn f() { Command::new(\"x\"); }";
    assert_eq!(programs_elsewhere(&made("craig-engine/src/lib.rs", starting)).len(), 1);
    assert!(programs_elsewhere(&made(MAY_START_PROGRAMS[0], starting)).is_empty());

    let opens = "fn f() { rusqlite::Connection::open(path) }";
    for path in ["craig-engine/src/lib.rs", "craig/tests/cli/text.rs", "craig-store/tests/store/contents.rs"]
    {
        assert_eq!(sqlite_elsewhere(&made(path, opens)).len(), 1, "{path}");
    }
    assert!(sqlite_elsewhere(&made("craig-store/tests/store/sqlite/erase.rs", opens)).is_empty());

    assert_eq!(unsafe_elsewhere(&made("craig-engine/src/lib.rs", "unsafe { x() }")).len(), 1);
    assert!(unsafe_elsewhere(&made("craig-engine/src/lib.rs", "#![deny(unsafe_code)] // unsafe")).is_empty());
    assert_eq!(unexplained_unsafe("fn f() {\n    unsafe { x() }\n}"), ["line 2"]);
    assert!(unexplained_unsafe("// SAFETY: x does nothing.\nunsafe { x() }").is_empty());
    assert!(is_product("craig/src/cli.rs") && !is_product("craig/tests/cli.rs"));
    assert!(!is_product("craig-source/src/walk/tests.rs") && !is_product("craig/benches/a.rs"));
}
