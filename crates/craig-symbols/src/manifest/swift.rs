//! `Package.swift` and `Package.resolved`.

use super::{Lock, Manifest, declare, quoted};
use crate::declared::{Ecosystem, Scope};
use crate::json;

pub(super) fn manifest(path: &str, text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    for (at, _) in text.match_indices(".package(") {
        let call = text[at..].split_once(')').map_or(&text[at..], |(call, _)| call);
        let Some((_, url)) = call.split_once("url:") else { continue };
        let Some((url, rest)) = quoted(url) else { continue };
        let name = url.trim_end_matches('/').trim_end_matches(".git").rsplit('/').next().unwrap_or(url);
        let version = quoted(rest).map(|(version, _)| version);
        let mut declared = declare(Ecosystem::Swift, name, version, Scope::Runtime, path);
        declared.prefixes = products(text, name);
        manifest.declared.push(declared);
    }
    Some(manifest)
}

/// Products of a package that targets use.
fn products(text: &str, package: &str) -> Vec<String> {
    let calls = text.match_indices(".product(").filter_map(|(at, _)| {
        let (name, rest) = quoted(&text[at..])?;
        let (of, _) = quoted(rest.split_once("package:")?.1)?;
        of.eq_ignore_ascii_case(package).then(|| name.to_owned())
    });
    calls.collect()
}

pub(super) fn lock(text: &str) -> Option<Lock> {
    let value = json::parse(text)?;
    let pins = value["pins"].as_array().or_else(|| value["object"]["pins"].as_array())?;
    let mut lock = Lock::default();
    for pin in pins {
        let name = pin["identity"].as_str().or_else(|| pin["package"].as_str());
        if let (Some(name), Some(version)) = (name, pin["state"]["version"].as_str()) {
            lock.add(name.to_lowercase(), version);
        }
    }
    Some(lock)
}
