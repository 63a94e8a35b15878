//! Protected directories, which are ingested only on explicit request.

use std::{
    fmt,
    path::{Component, Path, PathBuf},
};

/// Why a directory is not ingested unless the user agrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtectedFolder {
    /// `/`, or a drive.
    FileSystemRoot,
    /// The home directory of some user.
    Home,
    /// A folder that home directories are in.
    AboveHomes,
    /// A folder of the operating system.
    System,
    /// A folder that tools keep keys and passwords in.
    Keys,
    /// The data of a git repository: a bare one, or the `.git` of a working tree.
    GitData,
}

impl fmt::Display for ProtectedFolder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::FileSystemRoot => "the root of the file system",
            Self::Home => "a home directory",
            Self::AboveHomes => "a folder of home directories",
            Self::System => "a system folder",
            Self::Keys => "a folder of keys and passwords",
            Self::GitData => "the data of a git repository",
        })
    }
}

/// Whether the directory at the canonical `path` is protected, and why.
pub fn protected_folder(path: &Path) -> Option<ProtectedFolder> {
    classify(path, &Homes::of_this_machine())
        .or_else(|| is_git_data(path).then_some(ProtectedFolder::GitData))
}

fn is_git_data(path: &Path) -> bool {
    path.join("HEAD").is_file() && ["objects", "refs"].iter().all(|name| path.join(name).is_dir())
}

/// How far a row of [`FOLDERS`] reaches.
#[derive(Clone, Copy)]
enum Reach {
    /// The folder and everything in it.
    Tree,
    /// The folder alone: projects lie in it.
    Folder,
}

use ProtectedFolder::{AboveHomes, Home, System};
use Reach::{Folder, Tree};

/// Folders of Linux, macOS and Windows; `*` is any name. The longest row that matches decides.
const FOLDERS: &[(&str, Reach, ProtectedFolder)] = &[
    ("applications", Tree, System),
    ("bin", Tree, System),
    ("boot", Tree, System),
    ("dev", Tree, System),
    ("etc", Tree, System),
    ("home", Folder, AboveHomes),
    ("home/*", Folder, Home),
    ("lib", Tree, System),
    ("lib32", Tree, System),
    ("lib64", Tree, System),
    ("library", Tree, System),
    ("media", Folder, System),
    ("mnt", Folder, System),
    ("mnt/*/users", Folder, AboveHomes),
    ("mnt/*/users/*", Folder, Home),
    ("mnt/*/windows", Tree, System),
    ("nix/store", Tree, System),
    ("opt", Folder, System),
    ("private", Folder, System),
    ("private/etc", Tree, System),
    ("private/tmp", Folder, System),
    ("private/var", Tree, System),
    ("private/var/folders", Folder, System),
    ("proc", Tree, System),
    ("program files", Tree, System),
    ("program files (x86)", Tree, System),
    ("programdata", Tree, System),
    ("root", Folder, Home),
    ("run", Tree, System),
    ("run/media/*", Folder, System),
    ("sbin", Tree, System),
    ("srv", Folder, System),
    ("sys", Tree, System),
    ("system", Tree, System),
    ("tmp", Folder, System),
    ("users", Folder, AboveHomes),
    ("users/*", Folder, Home),
    ("usr", Tree, System),
    ("usr/local/src", Folder, System),
    ("usr/src", Folder, System),
    ("var", Tree, System),
    ("var/folders", Folder, System),
    ("var/home", Folder, AboveHomes),
    ("var/home/*", Folder, Home),
    ("var/tmp", Folder, System),
    ("var/www", Folder, System),
    ("volumes", Folder, System),
    ("windows", Tree, System),
];

/// Folders below a home directory, or anywhere, that hold nothing else.
const KEY_FOLDERS: &[&str] = &[".aws", ".azure", ".gnupg", ".kube", ".password-store", ".ssh"];

/// Home directories of this machine outside the usual places.
struct Homes {
    /// The home directory of the current user, whose projects may be in it wherever it is.
    own: Option<PathBuf>,
    /// The home directories of other users.
    others: Vec<PathBuf>,
}

impl Homes {
    fn of_this_machine() -> Self {
        let own = std::env::home_dir().and_then(|home| home.canonicalize().ok());
        Self { own, others: homes_of_all_users() }
    }

    fn all(&self) -> impl Iterator<Item = &Path> {
        self.own.iter().chain(&self.others).map(PathBuf::as_path).filter(|home| home.parent().is_some())
    }

    /// Whether `path` is below the user's own home directory. A process without one often has `/` or a folder of the system.
    fn own_holds(&self, path: &Path) -> bool {
        let is_usable = |own: &&PathBuf| own.components().count() > 2;
        self.own.as_ref().filter(is_usable).is_some_and(|own| path != own && path.starts_with(own))
    }
}

/// The home directories in the system's list of users; empty if there is no such list.
fn homes_of_all_users() -> Vec<PathBuf> {
    let users = if cfg!(unix) { std::fs::read_to_string("/etc/passwd") } else { Ok(String::new()) };
    let users = users.unwrap_or_default();
    users.lines().filter_map(|line| line.split(':').nth(5)).map(PathBuf::from).collect()
}

fn classify(path: &Path, homes: &Homes) -> Option<ProtectedFolder> {
    let names: Vec<&str> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_str().unwrap_or("?")),
            _ => None,
        })
        .collect();
    if names.is_empty() {
        return Some(ProtectedFolder::FileSystemRoot);
    }
    if names.iter().any(|name| KEY_FOLDERS.contains(name)) {
        return Some(ProtectedFolder::Keys);
    }
    if homes.all().any(|home| home == path) {
        return Some(Home);
    }
    if homes.all().any(|home| home.starts_with(path)) {
        return Some(AboveHomes);
    }
    if homes.own_holds(path) { None } else { by_place(&names) }
}

fn by_place(names: &[&str]) -> Option<ProtectedFolder> {
    let length = |pattern: &str| pattern.split('/').count();
    let matching = FOLDERS.iter().filter(|(pattern, ..)| {
        length(pattern) <= names.len() && pattern.split('/').zip(names).all(|(part, name)| fits(part, name))
    });
    let (pattern, reach, what) = matching.max_by_key(|(pattern, ..)| length(pattern))?;
    let is_protected = matches!(reach, Tree) || length(pattern) == names.len();
    is_protected.then_some(*what)
}

/// Whether a name is the one of a pattern. macOS and Windows, whose folders begin with a capital, do not mind the case.
fn fits(part: &str, name: &str) -> bool {
    part == "*" || part.eq_ignore_ascii_case(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(paths: &[&str], expect: expect_test::Expect) {
        let homes = Homes { own: Some("/data/people/ada".into()), others: vec!["/app".into(), "/".into()] };
        let describe = |path: &&str| match classify(Path::new(*path), &homes) {
            Some(why) => format!("{path}: {why}\n"),
            None => format!("{path}\n"),
        };
        expect.assert_eq(&paths.iter().map(describe).collect::<String>());
    }

    #[test]
    fn the_data_of_a_repository_is_protected() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_git_data(folder.path()));
        for name in ["objects", "refs"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join("HEAD"), "ref: refs/heads/main\n").unwrap();
        assert!(is_git_data(folder.path()));
    }

    #[test]
    fn system_folders_are_protected_with_all_that_is_in_them() {
        check(
            &[
                "/",
                "/etc",
                "/etc/ssl/private",
                "/usr/lib/python3",
                "/usr/src",
                "/usr/src/app",
                "/var/log",
                "/var/www",
                "/var/www/shop",
                "/proc/self",
                "/opt",
                "/opt/shop",
                "/tmp",
                "/tmp/shop",
                "/System/Library",
                "/private/var/folders/ab/T/shop",
                "/private/var/db",
                "/mnt/c/Windows/System32",
                "/mnt/c/src/shop",
                "/etcetera",
                "/code",
            ],
            expect_test::expect![[r#"
                /: the root of the file system
                /etc: a system folder
                /etc/ssl/private: a system folder
                /usr/lib/python3: a system folder
                /usr/src: a system folder
                /usr/src/app
                /var/log: a system folder
                /var/www: a system folder
                /var/www/shop
                /proc/self: a system folder
                /opt: a system folder
                /opt/shop
                /tmp: a system folder
                /tmp/shop
                /System/Library: a system folder
                /private/var/folders/ab/T/shop
                /private/var/db: a system folder
                /mnt/c/Windows/System32: a system folder
                /mnt/c/src/shop
                /etcetera
                /code
            "#]],
        );
    }

    #[test]
    fn home_directories_are_protected_and_projects_in_them_are_not() {
        check(
            &[
                "/home",
                "/home/bob",
                "/home/bob/shop",
                "/root",
                "/Users/bob",
                "/data",
                "/data/people",
                "/data/people/ada",
                "/data/people/ada/shop",
                "/data/people/ada/.ssh",
                "/home/bob/.aws/sso",
                "/app",
                "/app/src",
            ],
            expect_test::expect![[r#"
                /home: a folder of home directories
                /home/bob: a home directory
                /home/bob/shop
                /root: a home directory
                /Users/bob: a home directory
                /data: a folder of home directories
                /data/people: a folder of home directories
                /data/people/ada: a home directory
                /data/people/ada/shop
                /data/people/ada/.ssh: a folder of keys and passwords
                /home/bob/.aws/sso: a folder of keys and passwords
                /app: a home directory
                /app/src
            "#]],
        );
    }

    #[test]
    fn a_home_directory_in_an_odd_place_opens_no_system_folder() {
        let homes = |own: &str| Homes { own: Some(own.into()), others: Vec::new() };
        let why = |own: &str, path: &str| classify(Path::new(path), &homes(own));
        assert_eq!(why("/", "/etc"), Some(System));
        assert_eq!(why("/var", "/var/log"), Some(System));
        assert_eq!(why("/var/lib/jenkins", "/var/lib/jenkins/shop"), None);
        assert_eq!(why("/var/lib/jenkins", "/var/lib/jenkins"), Some(Home));
    }
}
