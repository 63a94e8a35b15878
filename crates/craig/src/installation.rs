//! How this program was installed, derived from its path, and the commands that update and remove it.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// Id of the extension for VS Code.
pub(crate) const EXTENSION: &str = "craig.craig";

/// Version of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A way of installing a program.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Installer {
    /// Name, as in "installed by npm".
    #[serde(rename = "installed_by")]
    pub(crate) name: &'static str,
    /// How to update it.
    pub(crate) update: &'static str,
    /// How to uninstall it.
    pub(crate) remove: &'static str,
    /// Whether it is in a cache, which may be cleared at any time.
    #[serde(skip)]
    pub(crate) is_temporary: bool,
}

const fn installer(name: &'static str, update: &'static str, remove: &'static str) -> Installer {
    Installer { name, update, remove, is_temporary: false }
}

/// Whether a program was installed in a certain way, by its path.
type Condition = fn(&Path) -> bool;

/// The installers with their conditions; the first match counts.
const INSTALLERS: &[(Condition, Installer)] = &[
    (
        |path| has_folders(path, &["_npx"]),
        Installer { is_temporary: true, ..installer("npx", "npx craig@latest", "npm cache npx rm") },
    ),
    (
        |path| has_folders(path, &["node_modules"]),
        installer("npm", "npm install -g craig@latest", "npm uninstall -g craig"),
    ),
    (
        |path| has_folders(path, &["uv", "archive-v0"]),
        Installer { is_temporary: true, ..installer("uvx", "uvx craig@latest", "uv cache clean craig") },
    ),
    (
        |path| has_folders(path, &["uv", "tools"]),
        installer("uv", "uv tool upgrade craig", "uv tool uninstall craig"),
    ),
    (
        |path| has_folders(path, &["pipx", "venvs"]),
        installer("pipx", "pipx upgrade craig", "pipx uninstall craig"),
    ),
    (
        |path| path.ancestors().nth(2).is_some_and(|folder| folder.join("pyvenv.cfg").exists()),
        installer("pip", "pip install --upgrade craig", "pip uninstall craig"),
    ),
    (
        |path| has_folders(path, &["Cellar"]),
        installer("Homebrew", "brew upgrade craig", "brew uninstall craig"),
    ),
    (
        |path| path.starts_with("/nix/store"),
        installer("Nix", "nix profile upgrade craig", "nix profile remove craig"),
    ),
    (
        |path| names(path).any(|name| name.starts_with("craig.craig-")),
        installer(
            "the VS Code extension",
            "code --install-extension craig.craig --force",
            "code --uninstall-extension craig.craig",
        ),
    ),
    (
        |path| has_folders(path, &[".cargo", "bin"]),
        installer(
            "cargo",
            "cargo install from the newer source, or cargo binstall craig",
            "cargo uninstall craig",
        ),
    ),
    (
        |path| path.starts_with("/usr/bin") && Path::new("/var/lib/dpkg/info/craig.list").exists(),
        installer("a deb", "apt install ./craig_VERSION_ARCHITECTURE.deb", "apt remove craig"),
    ),
    (
        |path| path.starts_with("/usr/bin") && Path::new("/etc/redhat-release").exists(),
        installer("an rpm", "dnf install ./craig-VERSION.ARCHITECTURE.rpm", "dnf remove craig"),
    ),
];

/// A copy that was not installed by a package manager.
const BY_HAND: Installer = installer("hand", "replace the program with the newer one", "delete the program");

fn names(path: &Path) -> impl Iterator<Item = &str> {
    path.iter().filter_map(|name| name.to_str())
}

/// Whether these folders follow each other in `path`.
fn has_folders(path: &Path, folders: &[&str]) -> bool {
    let names: Vec<&str> = names(path).collect();
    names.windows(folders.len()).any(|part| part == folders)
}

impl Installer {
    /// The installer of the program at `path`, whose links are resolved.
    pub(crate) fn from_path(path: &Path) -> &'static Self {
        let fitting = INSTALLERS.iter().find(|(fits, _)| fits(path));
        fitting.map_or(&BY_HAND, |(_, installer)| installer)
    }
}

/// This program, by the name that stays when it is replaced by a newer one: where it is found by, not what that leads to.
pub(crate) fn program() -> io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let found = std::env::var_os("PATH")
        .into_iter()
        .flat_map(|folders| std::env::split_paths(&folders).collect::<Vec<_>>());
    let mut named = found
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(own.file_name().unwrap_or_default()));
    let is_own = |path: &PathBuf| path.canonicalize().is_ok_and(|path| Some(path) == own.canonicalize().ok());
    Ok(named.find(is_own).unwrap_or(own))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn an_installation_is_known_by_its_path() {
        let venv = tempfile::tempdir().unwrap();
        std::fs::write(venv.path().join("pyvenv.cfg"), "").unwrap();
        let pip = venv.path().join("bin/craig");
        let paths = [
            "/home/me/.npm/_npx/1a2b/node_modules/craig-linux-x64/bin/craig",
            "/usr/local/lib/node_modules/craig/node_modules/craig-linux-x64/bin/craig",
            "/home/me/.cache/uv/archive-v0/abc/bin/craig",
            "/home/me/.local/share/uv/tools/craig/bin/craig",
            "/home/me/.local/share/pipx/venvs/craig/bin/craig",
            pip.to_str().unwrap(),
            "/opt/homebrew/Cellar/craig/0.1.0/bin/craig",
            "/nix/store/abc-craig/bin/craig",
            "/home/me/.vscode/extensions/craig.craig-0.1.0-linux-x64/bin/craig",
            "/home/me/.cargo/bin/craig",
            "/opt/craig",
        ];
        let found: Vec<_> = paths.iter().map(|path| Installer::from_path(Path::new(path)).name).collect();
        expect![[r#"npx npm uvx uv pipx pip Homebrew Nix the VS Code extension cargo hand"#]]
            .assert_eq(&found.join(" "));
    }
}
