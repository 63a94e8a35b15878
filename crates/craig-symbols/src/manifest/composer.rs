//! `composer.json` and `composer.lock`.

use super::{Lock, Manifest, declare};
use crate::declared::{Ecosystem, Scope};
use crate::json;

pub(super) fn manifest(path: &str, text: &str) -> Option<Manifest> {
    let value = json::parse(text)?;
    let mut manifest = Manifest::default();
    for (section, scope) in [("require", Scope::Runtime), ("require-dev", Scope::Dev)] {
        // PHP itself and its extensions are not packages.
        let packages =
            value[section].as_object().into_iter().flatten().filter(|(name, _)| name.contains('/'));
        for (name, version) in packages {
            manifest.declared.push(declare(Ecosystem::Packagist, name, version.as_str(), scope, path));
        }
    }
    manifest.own.extend(value["name"].as_str().map(|name| (Ecosystem::Packagist, name.to_owned())));
    let replaced = value["replace"].as_object().into_iter().flatten();
    manifest.own.extend(replaced.map(|(name, _)| (Ecosystem::Packagist, name.clone())));
    Some(manifest)
}

pub(super) fn lock(text: &str) -> Option<Lock> {
    let value = json::parse(text)?;
    let mut lock = Lock::default();
    for section in ["packages", "packages-dev"] {
        for package in value[section].as_array().into_iter().flatten() {
            let (Some(name), Some(version)) = (package["name"].as_str(), package["version"].as_str()) else {
                continue;
            };
            lock.add(name, version.trim_start_matches('v'));
            let autoload =
                ["psr-4", "psr-0"].iter().filter_map(|kind| package["autoload"][*kind].as_object());
            let prefixes = autoload.flat_map(serde_json::Map::keys).filter(|prefix| !prefix.is_empty());
            lock.prefixes.insert(
                name.to_owned(),
                prefixes.map(|prefix| prefix.trim_matches('\\').to_owned()).collect(),
            );
        }
    }
    Some(lock)
}
