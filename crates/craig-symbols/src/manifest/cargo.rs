//! `Cargo.toml` and `Cargo.lock`.

use toml::{Table, Value};

use super::{Lock, Manifest, declare};
use crate::declared::{Ecosystem, Scope};

const SECTIONS: &[(&str, Scope)] = &[
    ("dependencies", Scope::Runtime),
    ("dev-dependencies", Scope::Dev),
    ("dev_dependencies", Scope::Dev),
    ("build-dependencies", Scope::Build),
];

/// Placeholder for the requirement of a workspace dependency until the root manifest has been read.
pub(crate) const OF_WORKSPACE: &str = "workspace";

pub(super) fn manifest(path: &str, text: &str) -> Option<Manifest> {
    let table = text.parse::<Table>().ok()?;
    let mut manifest = Manifest::default();
    sections(&table, path, &mut manifest);
    for target in table.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values) {
        if let Some(target) = target.as_table() {
            sections(target, path, &mut manifest);
        }
    }
    let name = table.get("package").and_then(|package| package.get("name")?.as_str());
    manifest.own.extend(name.map(|name| (Ecosystem::Cargo, name.to_owned())));
    let shared = table.get("workspace").and_then(|workspace| workspace.get("dependencies")?.as_table());
    for (name, value) in shared.into_iter().flatten() {
        manifest.declared.extend(dependency(name, value, Scope::Workspace, path));
    }
    Some(manifest)
}

fn sections(table: &Table, path: &str, manifest: &mut Manifest) {
    for &(section, scope) in SECTIONS {
        for (name, value) in table.get(section).and_then(Value::as_table).into_iter().flatten() {
            manifest.declared.extend(dependency(name, value, scope, path));
        }
    }
}

fn dependency(name: &str, value: &Value, scope: Scope, path: &str) -> Option<crate::declared::Declared> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let is_true = |key: &str| value.get(key).and_then(Value::as_bool) == Some(true);
    let scope = if scope == Scope::Runtime && is_true("optional") { Scope::Optional } else { scope };
    let requirement = match value {
        Value::String(version) => Some(version.as_str()),
        _ if is_true("workspace") => Some(OF_WORKSPACE),
        _ => text("version").or_else(|| text("rev")).or_else(|| text("tag")).or_else(|| text("branch")),
    };
    let real = text("package").unwrap_or(name);
    let mut declared = declare(Ecosystem::Cargo, real, requirement, scope, path);
    declared.called = Some(name.replace('-', "_"));
    Some(declared)
}

pub(super) fn lock(text: &str) -> Option<Lock> {
    super::python::lock(text)
}
