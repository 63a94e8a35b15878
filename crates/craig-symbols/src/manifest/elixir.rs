//! `mix.exs` and `mix.lock`.

use super::{Lock, Manifest, declare, quoted};
use crate::declared::{Ecosystem, Scope};

/// Lines such as `{:phoenix, "~> 1.7", only: :test}`.
pub(super) fn manifest(path: &str, text: &str) -> Option<Manifest> {
    let mut manifest = Manifest::default();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some(app) = line.strip_prefix("app: :") {
            manifest.own.push((Ecosystem::Hex, app.trim_end_matches(',').to_owned()));
        }
        let Some((_, rest)) = line.split_once("{:") else { continue };
        let Some((name, rest)) = rest.split_once(',') else { continue };
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let is_internal = rest.contains("in_umbrella: true");
        let is_dependency = quoted(rest).is_some() || rest.contains(':');
        if !is_name || !is_dependency || is_internal {
            continue;
        }
        let version = quoted(rest)
            .map(|(version, _)| version)
            .filter(|version| version.contains(|c: char| c.is_ascii_digit()));
        let only_dev = rest.contains("only:") && !rest.contains(":prod");
        let scope = match () {
            () if only_dev => Scope::Dev,
            () if rest.contains("optional: true") => Scope::Optional,
            () if rest.contains("runtime: false") => Scope::Build,
            () => Scope::Runtime,
        };
        manifest.declared.push(declare(Ecosystem::Hex, name, version, scope, path));
    }
    Some(manifest)
}

/// Lines such as `"phoenix": {:hex, :phoenix, "1.7.0", …}`.
pub(super) fn lock(text: &str) -> Option<Lock> {
    let mut lock = Lock::default();
    for line in text.lines() {
        let Some((name, rest)) = quoted(line) else { continue };
        if let Some((version, _)) = quoted(rest).filter(|_| rest.contains(":hex")) {
            lock.add(name, version);
        }
    }
    Some(lock)
}
