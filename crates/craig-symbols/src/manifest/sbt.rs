//! Builds of sbt: `"group" %% "artifact" % "version" % Test`.

use super::{Manifest, declare, quoted};
use crate::declared::{Ecosystem, Scope};

pub(super) fn manifest(path: &str, text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        let mut rest = line;
        while let Some((group, after)) = quoted(rest) {
            rest = after;
            let operator = after.trim_start();
            if !operator.starts_with('%') {
                continue;
            }
            let Some((artifact, after)) = quoted(operator) else { break };
            let between = &operator[..operator.find(['"', '\'']).unwrap_or(0)];
            if between.chars().any(|c| !matches!(c, '%' | ' ')) {
                continue;
            }
            let tail = after.split(',').next().unwrap_or(after);
            let version = tail.trim_start().strip_prefix('%').and_then(quoted).map(|(version, _)| version);
            let scope = match () {
                () if line.contains("addSbtPlugin") || line.contains("addCompilerPlugin") => Scope::Build,
                () if tail.contains("Test") || tail.contains("\"test") => Scope::Dev,
                () if tail.contains("Provided") || tail.contains("\"provided") => Scope::Provided,
                () => Scope::Runtime,
            };
            manifest.declared.push(declare(
                Ecosystem::Maven,
                &format!("{group}:{artifact}"),
                version,
                scope,
                path,
            ));
            // A scope may be in quotes: with the version before it, it would read as another dependency.
            rest = &after[tail.len()..];
        }
    }
    Some(manifest)
}
