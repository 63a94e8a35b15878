//! `Gemfile`, `Gemfile.lock` and gem specifications.

use super::{Lock, Manifest, all_quoted, declare, quoted};
use crate::declared::{Ecosystem, Scope};

pub(super) fn gemfile(path: &str, text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    let mut blocks: Vec<Scope> = Vec::new();
    for line in text.lines().map(str::trim) {
        let around = blocks.last().copied().unwrap_or(Scope::Runtime);
        if line.starts_with("group ") || line.starts_with("group(") {
            blocks.push(group_scope(line));
        } else if line.ends_with(" do")
            || line.starts_with("if ")
            || line.starts_with("unless ")
            || line.starts_with("platforms ")
        {
            blocks.push(around);
        } else if line == "end" {
            blocks.pop();
        } else if let Some(rest) = line.strip_prefix("gem ").or_else(|| line.strip_prefix("gem(")) {
            let Some((name, rest)) = quoted(rest) else { continue };
            let options = rest.find(':').unwrap_or(rest.len());
            let versions: Vec<&str> =
                all_quoted(&rest[..options]).into_iter().filter(|text| is_version(text)).collect();
            let version = versions.join(", ");
            let scope =
                if rest.contains("group:") || rest.contains("groups:") { group_scope(rest) } else { around };
            manifest.declared.push(declare(Ecosystem::RubyGems, name, Some(&version), scope, path));
        }
    }
    Some(manifest)
}

fn is_version(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '~' | '>' | '<' | '=' | '!'))
}

fn group_scope(line: &str) -> Scope {
    let is_dev = [":development", ":test", ":doc", ":lint", ":rubocop", ":benchmark", ":ci"]
        .iter()
        .any(|group| line.contains(group));
    if is_dev { Scope::Dev } else { Scope::Optional }
}

pub(super) fn gemspec(path: &str, text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    for line in text.lines().map(str::trim) {
        let Some((object, call)) = line.split_once('.') else { continue };
        if object.contains(' ') {
            continue;
        }
        let scope = match call.split(|c: char| !(c.is_alphanumeric() || c == '_')).next() {
            Some("add_dependency" | "add_runtime_dependency") => Scope::Runtime,
            Some("add_development_dependency") => Scope::Dev,
            Some("name") => {
                manifest.own.extend(quoted(call).map(|(name, _)| (Ecosystem::RubyGems, name.to_owned())));
                continue;
            }
            _ => continue,
        };
        let Some((name, rest)) = quoted(call) else { continue };
        let versions: Vec<&str> = all_quoted(rest).into_iter().filter(|text| is_version(text)).collect();
        manifest.declared.push(declare(Ecosystem::RubyGems, name, Some(&versions.join(", ")), scope, path));
    }
    Some(manifest)
}

/// `    name (1.2.3)` under `specs:`.
pub(super) fn lock(text: &str) -> Option<Lock> {
    let mut lock = Lock::default();
    for line in text.lines() {
        let Some(rest) = line.strip_prefix("    ").filter(|rest| !rest.starts_with(' ')) else { continue };
        if let Some((name, version)) = rest.split_once(" (") {
            lock.add(name, version.trim_end_matches(')'));
        }
    }
    Some(lock)
}
