//! Build scripts of Gradle, in Groovy or Kotlin, with version catalogs and maps of libraries.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::{Manifest, declare, quoted};
use crate::declared::{Ecosystem, Scope};

/// Configurations that declare dependencies of the code.
const CONFIGURATIONS: &[(&str, Scope)] = &[
    ("implementation", Scope::Runtime),
    ("api", Scope::Runtime),
    ("compile", Scope::Runtime),
    ("runtime", Scope::Runtime),
    ("runtimeOnly", Scope::Runtime),
    ("compileOnly", Scope::Provided),
    ("compileOnlyApi", Scope::Provided),
    ("annotationProcessor", Scope::Build),
    ("kapt", Scope::Build),
    ("ksp", Scope::Build),
    ("classpath", Scope::Build),
];

/// Prefix of a dependency that is declared by alias, until the catalogs have been read.
pub(crate) const BY_ALIAS: &str = "libs.";

pub(super) fn manifest(path: &str, text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    for line in text.lines() {
        let line = line.trim();
        let end = line.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(line.len());
        let Some(scope) = scope_of(&line[..end]) else { continue };
        let rest = &line[end..];
        let rest_code = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
        if let Some(alias) = alias(rest_code) {
            manifest.declared.push(declare(Ecosystem::Maven, &alias, None, scope, path));
        } else if let Some((coordinates, _)) = quoted(rest).filter(|_| !rest_code.starts_with("project")) {
            manifest
                .declared
                .extend(of_coordinates(coordinates, scope, path).or_else(|| by_parts(rest, scope, path)));
        }
    }
    Some(manifest)
}

fn scope_of(word: &str) -> Option<Scope> {
    if let Some((_, scope)) = CONFIGURATIONS.iter().find(|(name, _)| *name == word) {
        return Some(*scope);
    }
    // Of a source set: testImplementation, androidTestApi, commonMainImplementation.
    let (name, scope) = CONFIGURATIONS.iter().find(|(name, _)| {
        let capital = name[..1].to_uppercase() + &name[1..];
        word.ends_with(&capital)
    })?;
    let set = &word[..word.len() - name.len()].to_lowercase();
    if set.contains("test") || set.contains("bench") { Some(Scope::Dev) } else { Some(*scope) }
}

/// `group:artifact:version`.
fn of_coordinates(text: &str, scope: Scope, path: &str) -> Option<crate::declared::Declared> {
    let mut parts = text.split(':');
    let (group, artifact) = (parts.next()?, parts.next()?);
    let is_group = group.contains('.') || group == artifact || group.len() > 2;
    let is_plain = |part: &str| !part.is_empty() && !part.contains(['$', ' ', '/', '{']);
    if !is_group || !is_plain(group) || !is_plain(artifact) {
        return None;
    }
    let version = parts.next().map(|version| version.split('@').next().unwrap_or(version));
    Some(declare(Ecosystem::Maven, &format!("{group}:{artifact}"), version, scope, path))
}

/// `group: 'g', name: 'a', version: 'v'`.
fn by_parts(text: &str, scope: Scope, path: &str) -> Option<crate::declared::Declared> {
    let part = |key: &str| {
        let at = text.find(&format!("{key}:")).or_else(|| text.find(&format!("{key} =")))?;
        quoted(&text[at..]).map(|(value, _)| value)
    };
    let name = format!("{}:{}", part("group")?, part("name")?);
    Some(declare(Ecosystem::Maven, &name, part("version"), scope, path))
}

/// `libs.jackson.core` of a catalog, without its accessor calls.
fn alias(code: &str) -> Option<String> {
    let code = code.strip_prefix("platform(").unwrap_or(code);
    code.starts_with(BY_ALIAS).then(|| {
        let end = code.find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_'))).unwrap_or(code.len());
        code[..end].trim_end_matches(".get").to_owned()
    })
}

/// Coordinates by alias.
#[derive(Default)]
pub(crate) struct Catalog {
    libraries: BTreeMap<String, (String, Option<String>)>,
    versions: BTreeMap<String, String>,
}

impl Catalog {
    /// Adds a version catalog, or the maps of a script.
    pub(crate) fn add(&mut self, path: &str, text: &str) {
        if path.ends_with(".toml") {
            if let Ok(table) = text.parse::<Table>() {
                self.add_toml(&table);
            }
        } else if path.ends_with(".gradle") || path.ends_with(".gradle.kts") {
            self.add_script(text);
        }
    }

    fn add_toml(&mut self, table: &Table) {
        let entries = |key: &str| table.get(key).and_then(Value::as_table).into_iter().flatten();
        for (name, version) in entries("versions") {
            let version = version
                .as_str()
                .or_else(|| version.get("strictly")?.as_str())
                .or_else(|| version.get("require")?.as_str());
            self.versions.extend(version.map(|version| (name.clone(), version.to_owned())));
        }
        for (alias, library) in entries("libraries") {
            let text = |key: &str| library.get(key).and_then(Value::as_str);
            let coordinates = library.as_str().or_else(|| text("module")).map(str::to_owned);
            let coordinates = coordinates.or_else(|| Some(format!("{}:{}", text("group")?, text("name")?)));
            let Some(coordinates) = coordinates else { continue };
            let mut parts = coordinates.splitn(3, ':');
            let name = [parts.next(), parts.next()].map(Option::unwrap_or_default).join(":");
            let by_reference = || {
                let reference = library.get("version")?.get("ref")?.as_str()?;
                self.versions.get(reference).cloned()
            };
            let version = parts.next().or_else(|| text("version")).map(str::to_owned).or_else(by_reference);
            self.libraries.insert(normal(alias), (name, version));
        }
    }

    /// Lines such as `jackson: "group:artifact:$versions.jackson"` and `jackson: "2.1"`.
    fn add_script(&mut self, text: &str) {
        for line in text.lines() {
            let Some((key, rest)) = line.split_once([':', '=']) else { continue };
            let key = key.trim().trim_start_matches("val ").trim_matches(['"', '\'', '[', ' ', '(']);
            let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_');
            let Some((value, _)) = quoted(rest).filter(|_| is_key) else { continue };
            let mut parts = value.splitn(3, ':');
            match (parts.next(), parts.next(), parts.next()) {
                (Some(group), Some(artifact), version) if group.contains('.') || version.is_some() => {
                    let library = (format!("{group}:{artifact}"), version.map(str::to_owned));
                    self.libraries.insert(normal(key), library);
                }
                (Some(version), None, None) if version.starts_with(|c: char| c.is_ascii_digit()) => {
                    self.versions.insert(key.to_owned(), version.to_owned());
                }
                _ => {}
            }
        }
    }

    /// Coordinates and version of `libs.a.b`.
    pub(crate) fn library(&self, alias: &str) -> Option<(String, Option<String>)> {
        let alias = alias.strip_prefix(BY_ALIAS)?;
        let (name, version) = self.libraries.get(&normal(alias))?;
        let name = self.filled(name);
        Some((name, version.as_deref().map(|version| self.filled(version))))
    }

    /// A version with its variables replaced: `$versions.jackson`, `${jacksonVersion}`.
    pub(crate) fn filled(&self, text: &str) -> String {
        let Some(at) = text.find('$') else { return text.to_owned() };
        let rest = text[at + 1..].trim_start_matches('{');
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_'))).unwrap_or(rest.len());
        let variable = rest[..end].rsplit('.').next().unwrap_or_default();
        match self.versions.get(variable) {
            Some(version) => format!("{}{version}{}", &text[..at], rest[end..].trim_start_matches('}')),
            None => text.to_owned(),
        }
    }
}

fn normal(alias: &str) -> String {
    alias.replace(['-', '_'], ".").to_lowercase()
}
