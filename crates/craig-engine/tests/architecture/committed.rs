//! What must not stand in any committed file: paths of one machine, hosts of package registries.

use crate::{check, workspace};

/// Beginnings of paths that exist on a machine of ours only.
const MACHINE_FOLDERS: [&str; 2] = ["work", "root"];

/// Package registries go by their clients' own configuration. Written in two parts, so that this file names none.
const REGISTRY_HOSTS: [(&str, &str); 6] = [
    ("crates", "io"),
    ("pypi", "org"),
    ("pythonhosted", "org"),
    ("npmjs", "org"),
    ("npmjs", "com"),
    ("debian", "org"),
];

/// Lock files name the registry in a form of the client's own.
const LOCK_FILES: [&str; 3] = ["Cargo.lock", "package-lock.json", "uv.lock"];

/// Committed files that are text, as (path, text); `None` outside of a repository.
fn committed_texts() -> Option<Vec<(String, String)>> {
    let root = workspace();
    let output =
        std::process::Command::new("git").args(["ls-files", "-z"]).current_dir(&root).output().ok()?;
    if !output.status.success() {
        return None;
    }
    let list = String::from_utf8(output.stdout).unwrap();
    let texts = list.split_terminator('\0').filter_map(|path| {
        let text = std::fs::read_to_string(root.join(path)).ok()?;
        Some((path.to_owned(), text))
    });
    Some(texts.collect())
}

/// Whether `line` names an absolute path below one of the machine's folders.
fn names_machine_path(line: &str) -> bool {
    MACHINE_FOLDERS.iter().any(|folder| {
        let start = format!("/{folder}/");
        line.match_indices(&start).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            !before.is_some_and(|c| c.is_alphanumeric() || "/._-~}>*$".contains(c))
        })
    })
}

fn names_registry(line: &str) -> bool {
    REGISTRY_HOSTS.iter().any(|(name, end)| line.contains(&format!("{name}.{end}")))
}

fn violations(path: &str, text: &str) -> Vec<String> {
    if LOCK_FILES.iter().any(|name| path.ends_with(name)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        if names_machine_path(line) {
            found.push(format!("{path}:{number} names a path of this machine"));
        }
        if names_registry(line) {
            found.push(format!("{path}:{number} names the host of a package registry"));
        }
    }
    found
}

#[test]
fn committed_files_name_no_machine_and_no_registry() {
    let Some(files) = committed_texts() else { return };
    assert!(files.iter().any(|(path, _)| path == "Cargo.toml"));
    check(files.iter().flat_map(|(path, text)| violations(path, text)).collect());
}

#[test]
fn machine_paths_and_registries_are_seen() {
    let slash = '/';
    for bad in ["cd {}work{}main", "\"{}root{}.cargo\"", "x={}work{}a", "({}root{}b)"] {
        let line = bad.replace("{}", &slash.to_string());
        assert_eq!(
            violations("a.md", &format!("ok\n{line}")),
            ["a.md:2 names a path of this machine"],
            "{line}"
        );
    }
    for good in ["net{}work{}a", "..{}work{}a", "{}workspace{}a", "~{}work{}a", "https:{}{}a.b{}root"] {
        let line = good.replace("{}", &slash.to_string());
        assert!(violations("a.md", &line).is_empty(), "{line}");
    }
    let host = ["crates", "io"].join(".");
    assert_eq!(violations("a.md", &host).len(), 1);
    assert!(violations("Cargo.lock", &host).is_empty());
}
