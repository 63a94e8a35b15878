//! Manifests and lock files in YAML: Dart's pubspec, Conda's environments, pnpm's and Yarn's lock files.

use serde_json::Value;

use super::{Lock, Manifest, declare, npm, python};
use crate::declared::{Ecosystem, Scope};
use crate::yaml;

pub(super) fn pubspec(path: &str, text: &str) -> Option<Manifest> {
    let pubspec = yaml::first(text);
    let mut manifest = Manifest::default();
    manifest.own.extend(pubspec["name"].as_str().map(|name| (Ecosystem::Pub, name.to_owned())));
    for (section, scope) in [("dependencies", Scope::Runtime), ("dev_dependencies", Scope::Dev)] {
        for (name, asked) in entries(&pubspec[section]) {
            let version = asked.as_str().or_else(|| asked["version"].as_str());
            manifest.declared.push(declare(Ecosystem::Pub, name, version, scope, path));
        }
    }
    Some(manifest)
}

pub(super) fn pubspec_lock(text: &str) -> Option<Lock> {
    let mut lock = Lock::default();
    for (name, package) in entries(&yaml::first(text)["packages"]) {
        if let Some(version) = package["version"].as_str() {
            lock.add(name, version);
        }
    }
    Some(lock)
}

/// `numpy=1.26`, `conda-forge::scipy >=1.11`, and a list of `pip`'s own requirements.
pub(super) fn conda(path: &str, text: &str) -> Option<Manifest> {
    let environment = yaml::first(text);
    let mut manifest = Manifest::default();
    for item in environment["dependencies"].as_array().into_iter().flatten() {
        if let Some(text) = item.as_str() {
            let bare = text.rsplit("::").next().unwrap_or(text);
            let end = bare.find(|c: char| c.is_whitespace() || "=<>!~[".contains(c)).unwrap_or(bare.len());
            let (name, version) = bare.split_at(end);
            if !matches!(name, "python" | "pip") {
                manifest.declared.push(declare(Ecosystem::PyPi, name, Some(version), Scope::Runtime, path));
            }
        }
        for text in item["pip"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            manifest.declared.extend(python::requirement(text, Scope::Runtime, path));
        }
    }
    Some(manifest)
}

/// Importers with what they asked for and got; older files have one importer, at the top.
pub(super) fn pnpm_lock(text: &str) -> Option<Lock> {
    let mut lock = Lock::default();
    for document in yaml::parse(text) {
        let importers = entries(&document["importers"]).map(|(_, importer)| importer);
        for importer in importers.chain([&document]) {
            let sections = entries(importer).filter(|(key, _)| key.to_lowercase().ends_with("dependencies"));
            for (name, resolved) in sections.flat_map(|(_, section)| entries(section)) {
                let Some(version) = resolved.as_str().or_else(|| resolved["version"].as_str()) else {
                    continue;
                };
                // Without the peers that it was resolved with.
                let version = version.split(['(', '_']).next().unwrap_or(version);
                lock.add(name, version);
                if let Some(asked) = resolved["specifier"].as_str() {
                    lock.asked.insert((name.clone(), asked.to_owned()), version.to_owned());
                }
            }
        }
    }
    Some(lock)
}

/// The lock file of Yarn 2 and later: `"name@npm:range, name@npm:range"` with a version.
pub(super) fn yarn_lock(text: &str) -> Lock {
    let mut lock = Lock::default();
    for (keys, package) in entries(&yaml::first(text)) {
        let Some(version) = package["version"].as_str() else { continue };
        for (name, range) in keys.split(',').filter_map(|key| npm::name_and_range(key.trim())) {
            lock.add(&name, version);
            lock.asked.insert((name, range), version.to_owned());
        }
    }
    lock
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}
