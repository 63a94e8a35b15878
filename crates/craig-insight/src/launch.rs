//! Scripts, images and build files that start programs, and which of them start a file.

use craig_symbols::Workspace;
use craig_text::path::{ancestors, extension, folder, name};
use craig_text::{PathRole, is_identifier_char};

/// Longer texts start nothing.
const MOST_BYTES: usize = 64 * 1024;

/// Folders of scripts.
const FOLDERS: &[&str] = &["bin", "sbin", "scripts", "script", "docker", "deploy", "init.d", "systemd"];

/// Whether a file of so many bytes may start programs.
pub(crate) fn is_launcher(path: &str, n_bytes: usize) -> bool {
    let name = name(path);
    let lower = name.to_lowercase();
    let is_image = lower.starts_with("dockerfile") || lower.ends_with(".dockerfile");
    let is_listed =
        matches!(name, "Procfile" | "Makefile" | "makefile" | "GNUmakefile" | "justfile" | "Taskfile.yml");
    let is_composed = lower.contains("compose") && matches!(extension(path), "yml" | "yaml");
    let is_build = matches!(name, "package.json" | "pom.xml" | "build.sbt")
        || name.ends_with(".gradle")
        || name.ends_with(".gradle.kts");
    let is_script = matches!(extension(path), "" | "sh" | "bash" | "bat" | "cmd" | "ps1")
        && ancestors(folder(path)).any(|above| FOLDERS.contains(&craig_text::path::name(above)));
    let is_service = extension(path) == "service";
    n_bytes <= MOST_BYTES
        && matches!(PathRole::from_path(path), PathRole::Source)
        && (is_image || is_listed || is_composed || is_build || is_script || is_service)
}

/// The files that start programs, as (path, text), by path.
pub(crate) fn launchers(workspace: &Workspace) -> Vec<(&str, &str)> {
    workspace.texts().filter(|(path, text)| is_launcher(path, text.len())).collect()
}

/// The `launchers` that start one of these names, by path; a file does not start itself.
pub(crate) fn started_by<'w>(launchers: &[(&'w str, &str)], of: &str, names: &[String]) -> Vec<&'w str> {
    let starts = |text: &str| names.iter().any(|name| has_name(text, name));
    let others = launchers.iter().filter(|(path, _)| *path != of);
    others.filter(|(_, text)| starts(text)).map(|(path, _)| *path).collect()
}

/// Whether a text has a name that no longer name encloses.
fn has_name(text: &str, name: &str) -> bool {
    let is_inner = |c: char| is_identifier_char(c) || c == '-';
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + name.len()..]);
            let mut next = after.chars();
            let is_longer = match next.next() {
                Some('.' | '/') => next.next().is_some_and(is_inner),
                Some(c) => is_inner(c),
                None => false,
            };
            !is_longer && !before.ends_with(|c: char| is_inner(c) || c == '.')
        })
}
