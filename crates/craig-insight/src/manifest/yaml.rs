//! Manifests and lock files in plain YAML, read by their indentation: Dart's pubspec and pnpm's lock file.

use super::{Lock, Manifest, declare};
use crate::declared::{Ecosystem, Scope};

/// Lines as (indent, key, value), comments left out.
fn entries(text: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    text.lines().filter_map(|line| {
        let trimmed = line.trim_start();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            return None;
        }
        // Keys may be quoted and hold colons themselves.
        let (key, value) = match trimmed.strip_prefix(['\'', '"']) {
            Some(rest) => {
                let end = rest.find(['\'', '"'])?;
                (&rest[..end], rest[end + 1..].trim_start().strip_prefix(':')?)
            }
            None => trimmed.split_once(": ").or_else(|| trimmed.strip_suffix(':').map(|key| (key, "")))?,
        };
        Some((line.len() - trimmed.len(), key.trim(), value.trim().trim_matches(['\'', '"'])))
    })
}

pub(super) fn pubspec(path: &str, text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    let mut scope = None;
    for (indent, key, value) in entries(text) {
        match (indent, key) {
            (0, "name") => manifest.own.push((Ecosystem::Pub, value.to_owned())),
            (0, "dependencies") => scope = Some(Scope::Runtime),
            (0, "dev_dependencies") => scope = Some(Scope::Dev),
            (0, _) => scope = None,
            (2, name) => {
                if let Some(scope) = scope {
                    manifest.declared.push(declare(Ecosystem::Pub, name, Some(value), scope, path));
                }
            }
            _ => {}
        }
    }
    Some(manifest)
}

pub(super) fn pubspec_lock(text: &str) -> Option<Lock> {
    let mut lock = Lock::default();
    let mut name = "";
    for (indent, key, value) in entries(text) {
        match (indent, key) {
            (2, package) => name = package,
            (4, "version") => lock.add(name, value),
            _ => {}
        }
    }
    Some(lock)
}

/// Importers with what they asked for and got; older files have one importer, without indentation.
pub(super) fn pnpm_lock(text: &str) -> Option<Lock> {
    let mut lock = Lock::default();
    let (mut top, mut section, mut name, mut asked) = ("", "", "", String::new());
    for (indent, key, value) in entries(text) {
        let is_section = key.to_lowercase().ends_with("dependencies");
        let base = if top == "importers" { 4 } else { 0 };
        match indent {
            0 => {
                top = key;
                section = if is_section { key } else { "" };
            }
            _ if indent == base => section = if is_section { key } else { "" },
            _ if section.is_empty() || !(top == "importers" || top == section) => {}
            _ if indent == base + 2 => {
                name = key;
                if !value.is_empty() {
                    lock.add(name, plain(value));
                }
            }
            _ if indent == base + 4 && key == "specifier" => asked = value.to_owned(),
            _ if indent == base + 4 && key == "version" => {
                lock.add(name, plain(value));
                lock.asked.insert((name.to_owned(), std::mem::take(&mut asked)), plain(value).to_owned());
            }
            _ => {}
        }
    }
    Some(lock)
}

/// A version without the peers it was resolved with.
fn plain(version: &str) -> &str {
    version.split(['(', '_']).next().unwrap_or(version)
}
