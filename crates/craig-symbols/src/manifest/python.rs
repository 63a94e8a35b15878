//! `pyproject.toml`, `setup.cfg`, `setup.py`, requirement lists, Pipfiles, and lock files in TOML.

use craig_text::path::{folder, name as file_name};
use toml::{Table, Value};

use super::{Lock, Manifest, all_quoted, declare, scope_of_group};
use crate::declared::{Declared, Ecosystem, Scope};
use crate::json;

pub(super) fn pyproject(path: &str, text: &str) -> Option<Manifest> {
    let table = text.parse::<Table>().ok()?;
    let mut manifest = Manifest::default();
    if let Some(project) = table.get("project") {
        own(project.get("name"), &mut manifest);
        strings(project.get("dependencies"), Scope::Runtime, path, &mut manifest);
        groups(project.get("optional-dependencies"), path, &mut manifest);
    }
    for (group, list) in entries(table.get("dependency-groups")) {
        let scope = if scope_of_group(group) == Scope::Optional { Scope::Dev } else { scope_of_group(group) };
        strings(Some(list), scope, path, &mut manifest);
    }
    let build = table.get("build-system").and_then(|build| build.get("requires"));
    strings(build, Scope::Build, path, &mut manifest);
    let tool = |name: &str| table.get("tool").and_then(|tool| tool.get(name));
    if let Some(poetry) = tool("poetry") {
        own(poetry.get("name"), &mut manifest);
        poetry_table(poetry.get("dependencies"), Scope::Runtime, path, &mut manifest);
        poetry_table(poetry.get("dev-dependencies"), Scope::Dev, path, &mut manifest);
        for (group, value) in entries(poetry.get("group")) {
            let scope = if scope_of_group(group) == Scope::Dev { Scope::Dev } else { Scope::Runtime };
            poetry_table(value.get("dependencies"), scope, path, &mut manifest);
        }
    }
    let uv = tool("uv").and_then(|uv| uv.get("dev-dependencies"));
    strings(uv, Scope::Dev, path, &mut manifest);
    for (_, list) in entries(tool("pdm").and_then(|pdm| pdm.get("dev-dependencies"))) {
        strings(Some(list), Scope::Dev, path, &mut manifest);
    }
    Some(manifest)
}

fn entries(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_table).into_iter().flatten()
}

fn own(name: Option<&Value>, manifest: &mut Manifest) {
    let name = name.and_then(Value::as_str);
    manifest.own.extend(name.map(|name| (Ecosystem::PyPi, normal(name))));
}

fn strings(list: Option<&Value>, scope: Scope, path: &str, manifest: &mut Manifest) {
    for text in list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        manifest.declared.extend(requirement(text, scope, path));
    }
}

fn groups(groups: Option<&Value>, path: &str, manifest: &mut Manifest) {
    for (group, list) in entries(groups) {
        let scope = scope_of_group(group);
        strings(Some(list), scope, path, manifest);
    }
}

fn poetry_table(table: Option<&Value>, scope: Scope, path: &str, manifest: &mut Manifest) {
    for (name, value) in entries(table).filter(|(name, _)| *name != "python") {
        let version = value.as_str().or_else(|| value.get("version")?.as_str());
        let is_optional = value.get("optional").and_then(Value::as_bool) == Some(true);
        let scope = if is_optional { Scope::Optional } else { scope };
        manifest.declared.push(declare(Ecosystem::PyPi, name, version, scope, path));
    }
}

/// PEP 508: `name[extra] >=1,<2 ; marker`.
pub(super) fn requirement(text: &str, scope: Scope, path: &str) -> Option<Declared> {
    let text = text.split(" #").next().unwrap_or(text).trim();
    let text = text.split(';').next().unwrap_or(text).trim();
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')));
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    let starts = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    let rest = rest.trim_start();
    let rest = match rest.strip_prefix('[') {
        Some(extras) => extras.split_once(']').map_or("", |(_, rest)| rest),
        None => rest,
    };
    let version = rest.trim().trim_start_matches('(').trim_end_matches(')');
    let version = version.split(" --hash").next().unwrap_or(version).trim_end_matches('\\').trim();
    let is_requirement = version.is_empty() || version.starts_with(['=', '<', '>', '~', '!', '@']);
    (starts && is_requirement && !name.contains(".."))
        .then(|| declare(Ecosystem::PyPi, name, Some(version), scope, path))
}

pub(super) fn requirements(path: &str, text: &str) -> Option<Manifest> {
    let named = format!("{} {}", file_name(path), file_name(folder(path)));
    let scope = if scope_of_group(&named) == Scope::Dev { Scope::Dev } else { Scope::Runtime };
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with(['#', '-', '.', '/']));
    let declared =
        lines.filter(|line| !line.contains("://")).filter_map(|line| requirement(line, scope, path));
    Some(Manifest { declared: declared.collect(), own: Vec::new() })
}

/// Sections of keys whose values go on over indented lines.
pub(super) fn setup_cfg(path: &str, text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    let (mut section, mut key) = (String::new(), String::new());
    for line in text.lines().filter(|line| !line.trim_start().starts_with(['#', ';'])) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end().trim_end_matches(']').to_owned();
            key.clear();
            continue;
        }
        let mut value = line;
        if !line.starts_with([' ', '\t']) {
            let Some((name, rest)) = line.split_once('=') else { continue };
            key = name.trim().to_owned();
            value = rest;
        }
        let scope = match (section.as_str(), key.as_str()) {
            ("options", "install_requires") => Scope::Runtime,
            ("options", "setup_requires") => Scope::Build,
            ("options", "tests_require") => Scope::Dev,
            ("options.extras_require", group) => scope_of_group(group),
            ("metadata", "name") => {
                manifest.own.push((Ecosystem::PyPi, normal(value.trim())));
                continue;
            }
            _ => continue,
        };
        manifest.declared.extend(requirement(value, scope, path));
    }
    Some(manifest)
}

/// Lists of strings in the call of `setup`.
pub(super) fn setup_py(path: &str, text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    for (word, scope) in [
        ("install_requires", Scope::Runtime),
        ("setup_requires", Scope::Build),
        ("tests_require", Scope::Dev),
        ("extras_require", Scope::Optional),
    ] {
        for (at, _) in text.match_indices(word) {
            let rest = text[at + word.len()..].trim_start();
            let Some(rest) = rest.strip_prefix('=').map(str::trim_start) else { continue };
            let Some(list) = bracketed(rest) else { continue };
            let named = all_quoted(list)
                .into_iter()
                .filter(|string| scope != Scope::Optional || is_in_list(list, string));
            manifest.declared.extend(named.filter_map(|string| requirement(string, scope, path)));
        }
    }
    if let Some((_, rest)) = text.split_once("name=")
        && let Some((name, _)) = super::quoted(rest)
    {
        manifest.own.push((Ecosystem::PyPi, normal(name)));
    }
    Some(manifest)
}

/// Keys of a dictionary are followed by a colon; what stands in a list is not.
fn is_in_list(list: &str, string: &str) -> bool {
    let end = string.as_ptr() as usize - list.as_ptr() as usize + string.len() + 1;
    !list.get(end..).unwrap_or_default().trim_start().starts_with(':')
}

/// A list or dictionary with its brackets, if the text begins with one.
fn bracketed(text: &str) -> Option<&str> {
    text.starts_with(['[', '{', '(']).then_some(())?;
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&text[..at]);
        }
    }
    None
}

pub(super) fn pipfile(path: &str, text: &str) -> Option<Manifest> {
    let table = text.parse::<Table>().ok()?;
    let mut manifest = Manifest::default();
    poetry_table(table.get("packages"), Scope::Runtime, path, &mut manifest);
    poetry_table(table.get("dev-packages"), Scope::Dev, path, &mut manifest);
    Some(manifest)
}

/// `[[package]]` tables with a name and a version.
pub(super) fn lock(text: &str) -> Option<Lock> {
    let table = text.parse::<Table>().ok()?;
    let mut lock = Lock::default();
    for package in table.get("package").and_then(Value::as_array).into_iter().flatten() {
        let text = |key: &str| package.get(key).and_then(Value::as_str);
        if let (Some(name), Some(version)) = (text("name"), text("version")) {
            lock.add(name, version);
        }
    }
    Some(lock)
}

pub(super) fn pipfile_lock(text: &str) -> Option<Lock> {
    let value = json::parse(text)?;
    let mut lock = Lock::default();
    for section in ["default", "develop"] {
        for (name, package) in value[section].as_object().into_iter().flatten() {
            if let Some(version) = package["version"].as_str() {
                lock.add(name, version.trim_start_matches("=="));
            }
        }
    }
    Some(lock)
}

/// Names compare without case, and `-`, `_` and `.` are one (PEP 503).
pub(crate) fn normal(name: &str) -> String {
    name.to_lowercase().replace(['-', '.'], "_")
}
