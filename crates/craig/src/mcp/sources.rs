//! Which sources a client may ingest. This is decided here and nowhere else.

use std::path::{Component, Path, PathBuf};

use craig_engine::{
    EngineError, GitUrl, ProtectedFolder, Reach, protected_folder, public_addresses,
    repository_leads_elsewhere, shell_word,
};

use super::failure::Failure;

/// The sources of `--allow-source`.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllowedSources {
    /// Canonical.
    directories: Vec<PathBuf>,
    /// URL prefixes.
    urls: Vec<String>,
}

impl AllowedSources {
    /// Fails if a directory does not exist.
    pub(crate) fn parse(sources: &[String]) -> anyhow::Result<Self> {
        let mut allowed = Self::default();
        for source in sources {
            if source.contains("://") || (source.contains('@') && !Path::new(source).exists()) {
                allowed.urls.push(source.trim_end_matches('/').to_owned());
                continue;
            }
            let directory = Path::new(source).canonicalize();
            let directory = directory.map_err(|error| anyhow::anyhow!("--allow-source {source}: {error}"))?;
            allowed.directories.push(directory);
        }
        Ok(allowed)
    }

    fn has_url(&self, url: &GitUrl) -> bool {
        let rest = |allowed: &String| url.as_str().strip_prefix(allowed.as_str());
        self.urls.iter().filter_map(rest).any(|rest| rest.is_empty() || rest.starts_with(['/', ':']))
    }
}

/// A source that may be ingested.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A canonical path.
    Directory(PathBuf),
    /// With the servers that it may be fetched from.
    Repository(GitUrl, Reach),
}

/// The sources that a client may ingest.
#[derive(Debug, Default)]
pub(super) struct Permissions {
    /// Given by the user when the server was started.
    pub(super) allowed: AllowedSources,
    /// The workspace and the client's roots, canonical. Relative sources are relative to the first.
    pub(super) folders: Vec<PathBuf>,
    /// Directories of projects that are ingested already.
    pub(super) projects: Vec<PathBuf>,
    /// Repositories that the user has ingested.
    pub(super) repositories: Vec<String>,
}

impl Permissions {
    /// The source that `text` names, if it may be ingested. Reads the file system, and resolves the host of a repository.
    pub(super) fn source(&self, text: &str) -> Result<Source, Failure> {
        let directory = self.joined(text);
        let url = GitUrl::parse(text).filter(|_| !directory.as_ref().is_some_and(|path| path.is_dir()));
        match url.transpose().map_err(EngineError::from)? {
            Some(url) => self.repository(url),
            None => self.directory(&directory.ok_or_else(no_workspace)?).map(Source::Directory),
        }
    }

    /// `text` as a path; `None` for a relative one without a workspace.
    fn joined(&self, text: &str) -> Option<PathBuf> {
        match Path::new(text) {
            path if path.is_absolute() => Some(path.to_owned()),
            path => self.folders.first().map(|workspace| workspace.join(path)),
        }
    }

    /// The canonical path of a directory that may be ingested.
    ///
    /// For any other directory, the error does not reveal whether it exists.
    fn directory(&self, path: &Path) -> Result<PathBuf, Failure> {
        let real = path.canonicalize();
        self.check(real.as_deref().unwrap_or(&without_dots(path)))?;
        match real {
            Ok(directory) if directory.is_dir() => Ok(directory),
            Ok(_) => Err(Failure::new(
                format!("{:?} is a file", path.display().to_string()),
                "give the directory of the project",
            )),
            Err(error) => Err(Failure::new(
                format!("the directory {:?} cannot be opened: {error}", path.display().to_string()),
                "give the absolute path of a directory on this machine",
            )),
        }
    }

    fn check(&self, real: &Path) -> Result<(), Failure> {
        let why = protected_folder(real);
        match why {
            _ if self.is_allowed_by_the_user(real, why) => Ok(()),
            None if self.is_in_a_known_place(real) => Ok(()),
            None => Err(self.refusal(real, "lies outside the workspace")),
            Some(why) => Err(self.refusal(real, &format!("is {why}"))),
        }
    }

    /// `--allow-source` permits a protected folder only if it names one, and folders of keys only if it names them.
    fn is_allowed_by_the_user(&self, real: &Path, why: Option<ProtectedFolder>) -> bool {
        self.allowed.directories.iter().any(|allowed| {
            let named = protected_folder(allowed);
            let is_meant = match why {
                None => true,
                Some(ProtectedFolder::Keys) => named == Some(ProtectedFolder::Keys),
                Some(_) => named.is_some(),
            };
            is_meant && real.starts_with(allowed)
        })
    }

    /// A workspace in a home directory does not permit the home directory; a home directory as a workspace permits nothing.
    fn is_in_a_known_place(&self, real: &Path) -> bool {
        let mut places = self.folders.iter().chain(&self.projects);
        places.any(|place| real.starts_with(place) && protected_folder(place).is_none())
    }

    fn refusal(&self, directory: &Path, why: &str) -> Failure {
        let directory = directory.to_string_lossy();
        let word = shell_word(&directory);
        let places: Vec<String> = self
            .folders
            .iter()
            .filter(|place| protected_folder(place).is_none())
            .map(|place| place.display().to_string())
            .collect();
        let places = match places.is_empty() {
            true => String::new(),
            false => format!("; without that, give a directory in {}", places.join(" or ")),
        };
        Failure::new(
            format!("assistants may not ingest {directory}: it {why}"),
            format!(
                "ask the user, who can run 'craig ingest {word}' or start this server with --allow-source \
                 {word}{places}"
            ),
        )
    }

    fn repository(&self, url: GitUrl) -> Result<Source, Failure> {
        if url.has_credentials() {
            return Err(Failure::new(
                "assistants may not use a URL with a password or token",
                format!(
                    "give {url} without them; the user's git credential helper, SSH agent or CRAIG_GIT_TOKEN opens \
                     private repositories"
                ),
            ));
        }
        if self.allowed.has_url(&url) || self.repositories.iter().any(|known| known == url.as_str()) {
            return Ok(Source::Repository(url, Reach::Anywhere));
        }
        match url.local_path() {
            Some(path) => self.local_repository(&path)?,
            None => drop(public_addresses(&url).map_err(EngineError::from)?),
        }
        Ok(Source::Repository(url, Reach::Public))
    }

    /// A repository on this machine is a directory, but git may follow it to object stores of other repositories.
    fn local_repository(&self, path: &Path) -> Result<(), Failure> {
        let folder = self.directory(path)?;
        match repository_leads_elsewhere(&folder) {
            None => Ok(()),
            Some(part) => {
                Err(self.refusal(&part, "belongs to a repository that uses the objects of another one"))
            }
        }
    }
}

fn no_workspace() -> Failure {
    Failure::new(
        "a relative source requires a workspace, and there is none",
        "give the absolute path of the directory",
    )
}

/// A path that does not exist, normalized: without `.` and `..`, so that comparisons are safe.
pub(super) fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with a workspace, and what lies around it.
    struct Place {
        folder: tempfile::TempDir,
        permissions: Permissions,
    }

    impl Place {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let base = folder.path().canonicalize().unwrap();
            for path in ["ws/src", "known/lib", "private", "allowed/deep", "ws/.ssh"] {
                std::fs::create_dir_all(base.join(path)).unwrap();
            }
            std::fs::write(base.join("ws/file"), "").unwrap();
            let allowed = base.join("allowed").display().to_string();
            let permissions = Permissions {
                allowed: AllowedSources::parse(&[
                    allowed,
                    "http://127.0.0.1:3000".into(),
                    "git@127.0.0.1".into(),
                ])
                .unwrap(),
                folders: vec![base.join("ws")],
                projects: vec![base.join("known")],
                repositories: vec!["file:///srv/known.git".into()],
            };
            Self { folder, permissions }
        }

        fn base(&self) -> PathBuf {
            self.folder.path().canonicalize().unwrap()
        }

        #[track_caller]
        fn check(&self, sources: &[&str], expect: expect_test::Expect) {
            let base = self.base().display().to_string();
            let outcome = |text: &&str| {
                let text = text.replace("BASE", &base);
                let decision = match self.permissions.source(&text) {
                    Ok(Source::Directory(path)) => format!("directory {}", path.display()),
                    Ok(Source::Repository(url, reach)) => format!("repository {url} {reach:?}"),
                    Err(failure) => failure.text().lines().next().unwrap_or_default().to_owned(),
                };
                format!("{text}\n  {decision}\n").replace(&base, "BASE")
            };
            expect.assert_eq(&sources.iter().map(outcome).collect::<String>());
        }
    }

    #[test]
    fn directories_need_permission() {
        let place = Place::new();
        place.check(
            &[
                ".",
                "src",
                "BASE/ws",
                "BASE/ws/../ws/src",
                "BASE/known",
                "BASE/known/lib",
                "BASE/allowed/deep",
                "file",
                "nowhere",
                "..",
                "../private",
                "BASE/private",
                "BASE/ws/../private",
                "BASE/wsx",
                "BASE",
                "/etc",
                "/",
                "/root",
                "/home",
                "/nowhere/at/all",
                "BASE/ws/../../../../../etc",
                ".ssh",
                "BASE/allowed/.aws/x",
            ],
            expect_test::expect![[r#"
                .
                  directory BASE/ws
                src
                  directory BASE/ws/src
                BASE/ws
                  directory BASE/ws
                BASE/ws/../ws/src
                  directory BASE/ws/src
                BASE/known
                  directory BASE/known
                BASE/known/lib
                  directory BASE/known/lib
                BASE/allowed/deep
                  directory BASE/allowed/deep
                file
                  error: "BASE/ws/file" is a file
                nowhere
                  error: the directory "BASE/ws/nowhere" cannot be opened: No such file or directory (os error 2)
                ..
                  error: assistants may not ingest BASE: it lies outside the workspace
                ../private
                  error: assistants may not ingest BASE/private: it lies outside the workspace
                BASE/private
                  error: assistants may not ingest BASE/private: it lies outside the workspace
                BASE/ws/../private
                  error: assistants may not ingest BASE/private: it lies outside the workspace
                BASE/wsx
                  error: assistants may not ingest BASE/wsx: it lies outside the workspace
                BASE
                  error: assistants may not ingest BASE: it lies outside the workspace
                /etc
                  error: assistants may not ingest /etc: it is a system folder
                /
                  error: assistants may not ingest /: it is the root of the file system
                /root
                  error: assistants may not ingest /root: it is a home directory
                /home
                  error: assistants may not ingest /home: it is a folder of home directories
                /nowhere/at/all
                  error: assistants may not ingest /nowhere/at/all: it lies outside the workspace
                BASE/ws/../../../../../etc
                  error: assistants may not ingest /etc: it is a system folder
                .ssh
                  error: assistants may not ingest BASE/ws/.ssh: it is a folder of keys and passwords
                BASE/allowed/.aws/x
                  error: assistants may not ingest BASE/allowed/.aws/x: it is a folder of keys and passwords
            "#]],
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_before_the_decision() {
        use std::os::unix::fs::symlink;
        let place = Place::new();
        symlink(place.base().join("private"), place.base().join("ws/out")).unwrap();
        symlink(place.base().join("ws/src"), place.base().join("private/in")).unwrap();
        symlink("/etc", place.base().join("allowed/etc")).unwrap();
        place.check(
            &["out", "out/../ws", "BASE/private/in", "BASE/allowed/etc", "file://BASE/ws/out"],
            expect_test::expect![[r#"
                out
                  error: assistants may not ingest BASE/private: it lies outside the workspace
                out/../ws
                  directory BASE/ws
                BASE/private/in
                  directory BASE/ws/src
                BASE/allowed/etc
                  error: assistants may not ingest /etc: it is a system folder
                file://BASE/ws/out
                  error: assistants may not ingest BASE/private: it lies outside the workspace
            "#]],
        );
    }

    #[test]
    fn local_repositories_need_permission() {
        let place = Place::new();
        assert!(
            place
                .permissions
                .source("http://localhost/a")
                .unwrap_err()
                .text()
                .contains("belongs to this machine")
        );
        let git = |path: &str| std::fs::create_dir_all(place.base().join(path)).unwrap();
        git("ws/a/.git/objects/info");
        git("ws/b.git/objects/info");
        git("ws/c");
        std::fs::write(place.base().join("ws/b.git/objects/info/alternates"), "/home/me/private").unwrap();
        std::fs::write(place.base().join("ws/c/.git"), "gitdir: /home/me/private/.git").unwrap();
        place.check(
            &[
                "https://192.0.2.7/a/b",
                "https://10.1.2.3/a/b",
                "git@192.0.2.7:a/b",
                "https://me:secret@192.0.2.7/a",
                "http://127.0.0.1:8080/a",
                "http://[::1]/a",
                "http://[::ffff:127.0.0.1]/a",
                "http://169.254.169.254/latest/meta-data",
                "http://[fe80::1]/a",
                "http://0.0.0.0/a",
                "http://127.1/a",
                "http://2130706433/a",
                "http://127.0.0.1:3000/a",
                "http://127.0.0.1:30001/a",
                "git@127.0.0.1:a",
                "file:///etc",
                "file://BASE/private",
                "file://BASE/ws/%2e%2e/private",
                "file://BASE/ws/a",
                "file://BASE/ws/b.git",
                "file://BASE/ws/c",
                "file:///srv/known.git",
                "ext::sh -c true",
            ],
            expect_test::expect![[r#"
                https://192.0.2.7/a/b
                  repository https://192.0.2.7/a/b Public
                https://10.1.2.3/a/b
                  repository https://10.1.2.3/a/b Public
                git@192.0.2.7:a/b
                  repository git@192.0.2.7:a/b Public
                https://me:secret@192.0.2.7/a
                  error: assistants may not use a URL with a password or token
                http://127.0.0.1:8080/a
                  error: assistants may not clone http://127.0.0.1:8080/a: 127.0.0.1 belongs to this machine or its local network
                http://[::1]/a
                  error: assistants may not clone http://[::1]/a: ::1 belongs to this machine or its local network
                http://[::ffff:127.0.0.1]/a
                  error: assistants may not clone http://[::ffff:127.0.0.1]/a: ::ffff:127.0.0.1 belongs to this machine or its local network
                http://169.254.169.254/latest/meta-data
                  error: assistants may not clone http://169.254.169.254/latest/meta-data: 169.254.169.254 belongs to this machine or its local network
                http://[fe80::1]/a
                  error: assistants may not clone http://[fe80::1]/a: fe80::1 belongs to this machine or its local network
                http://0.0.0.0/a
                  error: assistants may not clone http://0.0.0.0/a: 0.0.0.0 belongs to this machine or its local network
                http://127.1/a
                  error: assistants may not clone http://127.1/a: 127.0.0.1 belongs to this machine or its local network
                http://2130706433/a
                  error: assistants may not clone http://2130706433/a: 127.0.0.1 belongs to this machine or its local network
                http://127.0.0.1:3000/a
                  repository http://127.0.0.1:3000/a Anywhere
                http://127.0.0.1:30001/a
                  error: assistants may not clone http://127.0.0.1:30001/a: 127.0.0.1 belongs to this machine or its local network
                git@127.0.0.1:a
                  repository git@127.0.0.1:a Anywhere
                file:///etc
                  error: assistants may not ingest /etc: it is a system folder
                file://BASE/private
                  error: assistants may not ingest BASE/private: it lies outside the workspace
                file://BASE/ws/%2e%2e/private
                  error: assistants may not ingest BASE/private: it lies outside the workspace
                file://BASE/ws/a
                  repository file://BASE/ws/a Public
                file://BASE/ws/b.git
                  error: assistants may not ingest BASE/ws/b.git/objects/info/alternates: it belongs to a repository that uses the objects of another one
                file://BASE/ws/c
                  error: assistants may not ingest BASE/ws/c/.git: it belongs to a repository that uses the objects of another one
                file:///srv/known.git
                  repository file:///srv/known.git Anywhere
                ext::sh -c true
                  error: the repository URL cannot be used: the protocol "ext" is not allowed
            "#]],
        );
    }

    #[test]
    fn a_workspace_that_is_a_home_directory_or_the_root_opens_nothing() {
        let home = std::env::home_dir().unwrap().canonicalize().unwrap();
        for folders in [vec![home.clone()], vec!["/".into()], vec!["/home".into()]] {
            let permissions = Permissions { projects: folders.clone(), folders, ..Permissions::default() };
            for inside in ["/etc", "/home/bob", "/home/bob/shop", "/srv/shop"] {
                assert!(permissions.source(inside).is_err(), "{inside}");
            }
            assert!(permissions.source(&home.join("shop").display().to_string()).is_err());
        }
    }

    #[test]
    fn the_user_may_allow_anything() {
        let allow = |directory: &str| Permissions {
            allowed: AllowedSources { directories: vec![directory.into()], urls: Vec::new() },
            ..Permissions::default()
        };
        assert!(allow("/etc").check(Path::new("/etc/ssl")).is_ok());
        assert!(allow("/").check(Path::new("/etc/ssl")).is_ok());
        assert!(allow("/srv").check(Path::new("/srv/shop")).is_ok());
        assert!(allow("/home/bob").check(Path::new("/home/bob")).is_ok());
        assert!(allow("/home/bob").check(Path::new("/home/bob/.ssh")).is_err());
        assert!(allow("/home/bob/.ssh").check(Path::new("/home/bob/.ssh")).is_ok());
        assert!(allow("/etc").check(Path::new("/etcetera")).is_err());
        assert!(AllowedSources::parse(&["/nowhere/at/all".into()]).is_err());
    }
}
