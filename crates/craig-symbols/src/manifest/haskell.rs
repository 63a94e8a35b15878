//! Cabal files and `package.yaml`.

use serde_json::Value;

use super::{Manifest, declare};
use crate::declared::{Ecosystem, Scope};
use crate::yaml;

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

/// Lists and mappings under `dependencies`, at the top and in each component.
pub(super) fn package_yaml(path: &str, text: &str) -> Option<Manifest> {
    let package = yaml::first(text);
    let mut manifest = Manifest::default();
    manifest.own.extend(package["name"].as_str().map(|name| (Ecosystem::Hackage, name.to_owned())));
    dependencies(&package, Scope::Runtime, path, &mut manifest);
    Some(manifest)
}

fn dependencies(value: &Value, scope: Scope, path: &str, manifest: &mut Manifest) {
    for (key, inner) in value.as_object().into_iter().flatten() {
        let scope = if matches!(key.as_str(), "tests" | "benchmarks") { Scope::Dev } else { scope };
        match inner {
            Value::String(one) if key == "dependencies" => list_of(one, scope, path, manifest),
            Value::Array(several) if key == "dependencies" => {
                for item in several {
                    let asked = item["version"].as_str().unwrap_or_default();
                    let named = item["name"].as_str().map(|name| format!("{name} {asked}"));
                    let text = item.as_str().map(str::to_owned).or(named);
                    list_of(&text.unwrap_or_default(), scope, path, manifest);
                }
            }
            Value::Object(versions) if key == "dependencies" => {
                let items =
                    versions.iter().map(|(name, asked)| format!("{name} {}", asked.as_str().unwrap_or("")));
                items.for_each(|item| list_of(&item, scope, path, manifest));
            }
            Value::Array(conditions) => {
                conditions.iter().for_each(|inner| dependencies(inner, scope, path, manifest));
            }
            _ => dependencies(inner, scope, path, manifest),
        }
    }
}
