//! Cabal files and `package.yaml`.

use super::{Manifest, declare};
use crate::declared::{Ecosystem, Scope};

/// `build-depends` of each section, in one line or in several.
pub(super) fn cabal(path: &str, text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    let mut scope = Scope::Runtime;
    let mut indent = None;
    for line in text.lines().filter(|line| !line.trim_start().starts_with("--")) {
        let depth = line.len() - line.trim_start().len();
        let lower = line.trim().to_lowercase();
        if let Some(name) = lower.strip_prefix("name:").filter(|_| depth == 0) {
            manifest.own.push((Ecosystem::Hackage, name.trim().to_owned()));
        }
        if depth == 0 && !lower.is_empty() {
            scope = section_scope(&lower).unwrap_or(scope);
        }
        if let Some(list) = lower.strip_prefix("build-depends:") {
            indent = Some(depth);
            list_of(list, scope, path, &mut manifest);
        } else if indent.is_some_and(|at| depth > at) && !lower.contains(": ") {
            list_of(&lower, scope, path, &mut manifest);
        } else if !lower.is_empty() {
            indent = None;
        }
    }
    Some(manifest)
}

fn section_scope(line: &str) -> Option<Scope> {
    match line.split_whitespace().next()? {
        "library" | "executable" | "common" => Some(Scope::Runtime),
        "test-suite" | "benchmark" => Some(Scope::Dev),
        "custom-setup" => Some(Scope::Build),
        _ => None,
    }
}

fn list_of(text: &str, scope: Scope, path: &str, manifest: &mut Manifest) {
    for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        let end = item.find(|c: char| !(c.is_alphanumeric() || c == '-')).unwrap_or(item.len());
        let (name, version) = item.split_at(end);
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic());
        let known = manifest.declared.iter().any(|known| known.name == name);
        if is_name && !known {
            manifest.declared.push(declare(Ecosystem::Hackage, name, Some(version.trim()), scope, path));
        }
    }
}

/// Lists under `dependencies:`.
pub(super) fn package_yaml(path: &str, text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    let mut inside = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(item) = trimmed.strip_prefix("- ").filter(|_| inside) {
            list_of(item, Scope::Runtime, path, &mut manifest);
        } else if !trimmed.is_empty() {
            inside = trimmed == "dependencies:";
        }
    }
    Some(manifest)
}
