//! `package.json`, and the lock files of npm, Yarn and Bun.

use serde_json::Value;

use super::{Lock, Manifest, declare, yaml};
use crate::declared::{Ecosystem, Scope};
use crate::json;

const SECTIONS: &[(&str, Scope)] = &[
    ("dependencies", Scope::Runtime),
    ("optionalDependencies", Scope::Optional),
    ("peerDependencies", Scope::Peer),
    ("devDependencies", Scope::Dev),
];

pub(super) fn manifest(path: &str, text: &str) -> Option<Manifest> {
    let value = json::parse(text)?;
    let mut manifest = Manifest::default();
    for &(section, scope) in SECTIONS {
        for (name, asked) in value[section].as_object().into_iter().flatten() {
            // A peer that is installed for development, too, is one package.
            if manifest.declared.iter().any(|known| known.name == *name) {
                continue;
            }
            let asked = asked.as_str().unwrap_or_default();
            manifest.declared.push(declare(Ecosystem::Npm, name, Some(asked), scope, path));
        }
    }
    manifest.own.extend(value["name"].as_str().map(|name| (Ecosystem::Npm, name.to_owned())));
    Some(manifest)
}

pub(super) fn package_lock(text: &str) -> Option<Lock> {
    let value = json::parse(text)?;
    let mut lock = Lock::default();
    for (place, package) in value["packages"].as_object().into_iter().flatten() {
        // Nested copies come after the one at the top.
        if let (Some(at), Some(version)) = (place.rfind("node_modules/"), package["version"].as_str()) {
            lock.add(&place[at + "node_modules/".len()..], version);
        }
    }
    if lock.versions.is_empty() {
        for (name, package) in value["dependencies"].as_object().into_iter().flatten() {
            if let Some(version) = package["version"].as_str() {
                lock.add(name, version);
            }
        }
    }
    Some(lock)
}

/// `name@range, name@range:` above an indented `version "1.0.0"`; since Yarn 2 it is YAML.
pub(super) fn yarn_lock(text: &str) -> Option<Lock> {
    if text.contains("\n__metadata:") {
        return Some(yaml::yarn_lock(text));
    }
    let mut lock = Lock::default();
    let mut asked: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        if !line.starts_with([' ', '#']) && line.ends_with(':') {
            let keys = line.trim_end_matches(':').split(',');
            asked = keys.filter_map(|key| name_and_range(key.trim().trim_matches('"'))).collect();
        } else if let Some(version) = line.trim().strip_prefix("version") {
            let version = version.trim().trim_matches('"');
            for (name, range) in asked.drain(..) {
                lock.add(&name, version);
                lock.asked.insert((name, range), version.to_owned());
            }
        }
    }
    Some(lock)
}

/// `@scope/name@npm:^1.0.0` is `@scope/name` and `^1.0.0`.
pub(super) fn name_and_range(key: &str) -> Option<(String, String)> {
    let at = key.get(1..)?.find('@')? + 1;
    let range = &key[at + 1..];
    Some((key[..at].to_owned(), range.strip_prefix("npm:").unwrap_or(range).to_owned()))
}

pub(super) fn bun_lock(text: &str) -> Option<Lock> {
    let value = json::parse(text)?;
    let mut lock = Lock::default();
    for (name, package) in value["packages"].as_object().into_iter().flatten() {
        let Some(resolved) = package.get(0).and_then(Value::as_str) else { continue };
        if let Some((_, version)) = name_and_range(resolved) {
            lock.add(name, version);
        }
    }
    Some(lock)
}
