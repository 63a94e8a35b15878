//! Packages of C and C++: vcpkg, Conan, CMake and Meson.

use serde_json::Value;

use super::{Manifest, declare, quoted};
use crate::declared::{Ecosystem, Scope};
use crate::json;

pub(super) fn vcpkg(path: &str, text: &str) -> Option<Manifest> {
    let value = json::parse(text)?;
    let mut manifest = Manifest::default();
    for dependency in value["dependencies"].as_array().into_iter().flatten() {
        let name = dependency.as_str().or_else(|| dependency["name"].as_str());
        let version = dependency.get("version>=").and_then(Value::as_str);
        if let Some(name) = name {
            manifest.declared.push(declare(Ecosystem::C, name, version, Scope::Runtime, path));
        }
    }
    Some(manifest)
}

pub(super) fn conan(path: &str, text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    let mut scope = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if line.starts_with('[') {
            scope = match line {
                "[requires]" => Some(Scope::Runtime),
                "[tool_requires]" | "[build_requires]" => Some(Scope::Build),
                "[test_requires]" => Some(Scope::Dev),
                _ => None,
            };
        } else if let (Some(scope), Some((name, version))) = (scope, line.split_once('/')) {
            let version = version.split('@').next();
            manifest.declared.push(declare(Ecosystem::C, name, version, scope, path));
        }
    }
    Some(manifest)
}

/// `find_package(Name 1.2 …)` and `FetchContent_Declare(name … GIT_TAG tag)`.
pub(super) fn cmake(path: &str, text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    for (call, is_fetched) in [("find_package(", false), ("FetchContent_Declare(", true)] {
        for (at, _) in text.match_indices(call) {
            let line_start = text[..at].rfind('\n').map_or(0, |at| at + 1);
            let arguments = text[at + call.len()..].split(')').next().unwrap_or_default();
            let words: Vec<&str> = arguments.split_whitespace().collect();
            let Some(name) = words.first().filter(|name| !name.contains('$')) else { continue };
            let is_known = manifest.declared.iter().any(|known| known.name == **name);
            if text[line_start..at].contains('#') || is_known {
                continue;
            }
            let version = match is_fetched {
                true => words.iter().position(|word| *word == "GIT_TAG").and_then(|at| words.get(at + 1)),
                false => words.get(1).filter(|word| word.starts_with(|c: char| c.is_ascii_digit())),
            };
            let is_required = is_fetched || words.contains(&"REQUIRED");
            let scope = if is_required { Scope::Runtime } else { Scope::Optional };
            manifest.declared.push(declare(Ecosystem::C, name, version.copied(), scope, path));
        }
    }
    Some(manifest)
}

/// `dependency('name', version : '>=1')`.
pub(super) fn meson(path: &str, text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    for (at, _) in text.match_indices("dependency(") {
        if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let call = text[at..].split(')').next().unwrap_or_default();
        let Some((name, rest)) = quoted(call) else { continue };
        let version =
            rest.split_once("version").and_then(|(_, rest)| quoted(rest)).map(|(version, _)| version);
        if !manifest.declared.iter().any(|known| known.name == name) {
            manifest.declared.push(declare(Ecosystem::C, name, version, Scope::Runtime, path));
        }
    }
    Some(manifest)
}
