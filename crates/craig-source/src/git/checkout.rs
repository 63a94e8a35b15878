//! A clone that follows its repository.

use std::{
    collections::BTreeMap,
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use super::{
    GitAccess, GitError, GitUrl, Reach,
    command::{MAX_STDOUT_BYTES, git, git_streamed},
};
use crate::{Root, SourceError, SourceOptions, notebook::max_bytes_of, private, rules::Rules};

/// A repository and the reference to follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// Where it is.
    pub url: GitUrl,
    /// A branch, tag or commit; the default branch when not given.
    pub reference: Option<String>,
    /// How many commits of its history to fetch; 0 means all.
    pub depth: u32,
    /// Which servers it may be fetched from.
    pub reach: Reach,
}

/// The hash of a commit, in hex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit(pub String);

/// How a newer commit differs, among the files that would be tracked. Sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// New files.
    pub added: Vec<String>,
    /// Changed ones.
    pub changed: Vec<String>,
    /// Ones that are gone.
    pub removed: Vec<String>,
}

/// A clone on this machine: a folder with the files of one commit.
#[derive(Debug)]
pub struct Checkout<'a> {
    remote: &'a Remote,
    access: &'a GitAccess,
    folder: PathBuf,
}

/// The reference of a fetched commit until it is checked out.
const NEWEST: &str = "refs/craig/newest";

impl Remote {
    /// Fails for a name that git could take for an option or for more than one reference.
    pub fn check(&self) -> Result<(), GitError> {
        let Some(name) = &self.reference else { return Ok(()) };
        let is_odd = |c: char| c.is_control() || c.is_whitespace() || "~^:?*[\\".contains(c);
        let is_bad = name.is_empty()
            || name.starts_with(['-', '+', '/'])
            || name.contains("..")
            || name.contains(is_odd);
        if is_bad { Err(GitError::BadReference { name: name.clone() }) } else { Ok(()) }
    }

    fn reference(&self) -> &str {
        self.reference.as_deref().unwrap_or("HEAD")
    }
}

impl<'a> Checkout<'a> {
    /// The clone in `folder`, which may not be there yet.
    pub fn new(remote: &'a Remote, access: &'a GitAccess, folder: &Path) -> Self {
        Self { remote, access, folder: folder.to_owned() }
    }

    /// Whether there is a clone.
    pub fn exists(&self) -> bool {
        self.folder.join(".git").is_dir()
    }

    /// Clones the repository unless that was done before. A partial clone is discarded with its folder, never used: the
    /// clone appears when it is complete. Waits for another process that makes the same clone.
    pub fn make(&self, report: &mut dyn FnMut(&str)) -> Result<(), GitError> {
        self.remote.check()?;
        let above = self.folder.parent().unwrap_or(&self.folder);
        let partial = above.join(".partial");
        private::create_folder(above).map_err(trouble_with(above))?;
        // Held to the end of this function; the system releases it with the process.
        let lock = private::file_options().create(true).write(true).open(above.join(".lock"));
        let lock = lock.map_err(trouble_with(above))?;
        if lock.try_lock().is_err() {
            report("waiting for another process that is cloning it");
            lock.lock().map_err(trouble_with(above))?;
        }
        if self.exists() {
            return Ok(());
        }
        remove_folder(&partial)?;
        private::create_folder(&partial).map_err(trouble_with(&partial))?;
        let made = self.clone_into(&partial, report);
        if made.is_err() {
            // The failure itself matters more than what is left of it.
            let _ = self.remove();
            return made;
        }
        remove_folder(&self.folder)?;
        fs::rename(&partial, &self.folder).map_err(trouble_with(&self.folder))
    }

    fn clone_into(&self, folder: &Path, report: &mut dyn FnMut(&str)) -> Result<(), GitError> {
        self.run_in(folder, "init", &["init", "--quiet", "--template="], report)?;
        self.fetch_into(folder, report)?;
        self.check_size(folder)?;
        self.run_in(
            folder,
            "checkout",
            &["checkout", "--progress", "--force", "--detach", NEWEST, "--"],
            report,
        )?;
        Ok(())
    }

    /// The commit whose files are in the folder.
    pub fn commit(&self) -> Result<Commit, GitError> {
        self.commit_of("HEAD")
    }

    /// Asks the server for its newest commit, without fetching anything.
    pub fn remote_commit(&self) -> Result<Commit, GitError> {
        let reference = self.remote.reference();
        if is_hash(reference) {
            return Ok(Commit(reference.to_owned()));
        }
        let patterns = [reference.to_owned(), format!("{reference}^{{}}")];
        let arguments = ["ls-remote", "--quiet", "--", self.remote.url.as_str(), &patterns[0], &patterns[1]];
        let above = self.folder.parent().unwrap_or(&self.folder);
        let listed = self.run_in(above, "ls-remote", &arguments, &mut |_| ())?;
        best_match(&String::from_utf8_lossy(&listed), reference).ok_or_else(|| self.no_such_reference())
    }

    /// Fetches the newest commit; gives it. The files stay as they are.
    pub fn fetch(&self, report: &mut dyn FnMut(&str)) -> Result<Commit, GitError> {
        self.fetch_into(&self.folder, report)?;
        self.commit_of(NEWEST)
    }

    /// How the fetched commit differs from the files in the folder, as far as `options` track them.
    pub fn differences(&self, options: &SourceOptions) -> Result<Differences, SourceError> {
        let root = Root::open(&self.folder)?;
        let rules = Rules::new(&root, options)?;
        let is_tracked = |path: &str, file: &TreeFile| {
            file.size_bytes <= max_bytes_of(path, options.max_file_size_bytes) && rules.takes_tracked(path)
        };
        let (now, newest) = (self.files_of("HEAD")?, self.files_of(NEWEST)?);
        let mut differences = Differences::default();
        for (path, file) in &newest {
            match now.get(path).filter(|file| is_tracked(path, file)) {
                _ if !is_tracked(path, file) => {}
                None => differences.added.push(path.clone()),
                Some(before) if before.hash != file.hash => differences.changed.push(path.clone()),
                Some(_) => {}
            }
        }
        let is_gone = |path: &str| !newest.get(path).is_some_and(|file| is_tracked(path, file));
        let gone = now.iter().filter(|(path, file)| is_tracked(path, file) && is_gone(path));
        differences.removed = gone.map(|(path, _)| path.clone()).collect();
        Ok(differences)
    }

    /// Makes the files those of the fetched commit: only files that differ are written, so that the others keep their
    /// times. Changes in the folder are reverted.
    pub fn advance(&self, report: &mut dyn FnMut(&str)) -> Result<(), GitError> {
        self.check_size(&self.folder)?;
        self.run("reset", &["reset", "--quiet", "--hard", NEWEST, "--"], report)?;
        self.run("clean", &["clean", "--quiet", "--force", "-d"], report)?;
        Ok(())
    }

    /// Removes the clone and the folder created for it.
    pub fn remove(&self) -> Result<(), GitError> {
        remove_folder(self.folder.parent().unwrap_or(&self.folder))
    }

    fn fetch_into(&self, folder: &Path, report: &mut dyn FnMut(&str)) -> Result<(), GitError> {
        let reference = self.remote.reference();
        let refspec = format!("+{reference}:{NEWEST}");
        let depth = format!("--depth={}", self.remote.depth);
        let mut arguments =
            vec!["fetch", "--progress", "--no-tags", "--update-head-ok", "--no-write-fetch-head"];
        match self.remote.depth {
            0 if folder.join(".git/shallow").is_file() => arguments.push("--unshallow"),
            0 => {}
            _ => arguments.push(&depth),
        }
        arguments.extend(["--", self.remote.url.as_str(), &refspec]);
        self.run_in(folder, "fetch", &arguments, report).map_err(|error| self.about_reference(error))?;
        Ok(())
    }

    /// An error about a missing reference names it; the default branch is missing if there is no commit at all.
    fn about_reference(&self, error: GitError) -> GitError {
        match &error {
            GitError::Failed { detail, .. }
                if detail.contains("find remote ref") || detail.contains("not our ref") =>
            {
                self.no_such_reference()
            }
            _ => error,
        }
    }

    fn no_such_reference(&self) -> GitError {
        let url = self.remote.url.to_string();
        match &self.remote.reference {
            None => GitError::Empty { url },
            Some(name) => GitError::NoSuchReference { url, name: name.clone() },
        }
    }

    fn commit_of(&self, reference: &str) -> Result<Commit, GitError> {
        let name = format!("{reference}^{{commit}}");
        let output = self.run("rev-parse", &["rev-parse", "--verify", "--quiet", &name], &mut |_| ())?;
        Ok(Commit(String::from_utf8_lossy(&output).trim().to_owned()))
    }

    /// Fails if the fetched commit has more files, folders or bytes than any repository that people work on: trees that
    /// share folders and files can unfold to any size, and git would write all of it.
    fn check_size(&self, folder: &Path) -> Result<(), GitError> {
        let mut unfolded = Unfolded::default();
        let stdout = &mut |bytes: &[u8]| match unfolded.add(bytes) {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        };
        let arguments = ["ls-tree", "-r", "-t", "-l", "-z", NEWEST];
        git_streamed("ls-tree", &arguments, folder, self.remote, self.access, stdout, &mut |_| ())?;
        Ok(())
    }

    /// Files of a commit by path, without links and submodules.
    fn files_of(&self, reference: &str) -> Result<BTreeMap<String, TreeFile>, GitError> {
        let output = self.run("ls-tree", &["ls-tree", "-r", "-l", "-z", reference], &mut |_| ())?;
        let listed =
            output.split(|&byte| byte == 0).filter_map(|row| tree_file(std::str::from_utf8(row).ok()?));
        Ok(listed.collect())
    }

    fn run(
        &self,
        what: &'static str,
        arguments: &[&str],
        report: &mut dyn FnMut(&str),
    ) -> Result<Vec<u8>, GitError> {
        self.run_in(&self.folder, what, arguments, report)
    }

    fn run_in(
        &self,
        folder: &Path,
        what: &'static str,
        arguments: &[&str],
        report: &mut dyn FnMut(&str),
    ) -> Result<Vec<u8>, GitError> {
        git(what, arguments, folder, self.remote, self.access, report)
    }
}

/// Most files and folders of a commit; Chromium has some 500,000.
const MAX_ENTRIES: u64 = 1_000_000;

/// Maximum number of bytes of all files together.
const MAX_FILE_BYTES: u64 = 32 << 30;

/// The size of a commit's tree, counted in the output of `ls-tree -r -t -l -z`.
#[derive(Default)]
struct Unfolded {
    n_entries: u64,
    listed_bytes: u64,
    file_bytes: u64,
    /// The row that has begun.
    row: Vec<u8>,
}

impl Unfolded {
    /// Counts a piece of the list; gives whether it is still within the limits.
    fn add(&mut self, piece: &[u8]) -> bool {
        self.listed_bytes += piece.len() as u64;
        let mut start = 0;
        for end in memchr::memchr_iter(0, piece) {
            self.row.extend_from_slice(&piece[start..end]);
            self.n_entries += 1;
            self.file_bytes += listed_size(&self.row).unwrap_or(0);
            self.row.clear();
            start = end + 1;
        }
        self.row.extend_from_slice(&piece[start..]);
        self.n_entries <= MAX_ENTRIES
            && self.listed_bytes <= MAX_STDOUT_BYTES as u64
            && self.file_bytes <= MAX_FILE_BYTES
    }
}

/// The size of a row `100644 blob HASH    SIZE<tab>PATH`; none of a folder.
fn listed_size(row: &[u8]) -> Option<u64> {
    let about = &row[..memchr::memchr(b'\t', row)?];
    std::str::from_utf8(about).ok()?.rsplit(' ').next()?.parse().ok()
}

struct TreeFile {
    hash: String,
    size_bytes: u64,
}

/// Reads `100644 blob HASH    SIZE<tab>PATH`.
fn tree_file(row: &str) -> Option<(String, TreeFile)> {
    let (about, path) = row.split_once('\t')?;
    let mut words = about.split_whitespace();
    let (mode, hash, size) = (words.next()?, words.nth(1)?, words.next()?);
    let file = TreeFile { hash: hash.to_owned(), size_bytes: size.parse().ok()? };
    mode.starts_with("100").then(|| (path.to_owned(), file))
}

/// The commit that `git fetch` would choose among what `ls-remote` listed: an annotated tag is resolved to its commit.
fn best_match(listed: &str, reference: &str) -> Option<Commit> {
    let rows: Vec<(&str, &str)> = listed.lines().filter_map(|row| row.split_once('\t')).collect();
    let named = |name: String| rows.iter().find(|(_, reference)| *reference == name).map(|(hash, _)| *hash);
    let candidates = [
        format!("{reference}^{{}}"),
        reference.to_owned(),
        format!("refs/{reference}"),
        format!("refs/tags/{reference}^{{}}"),
        format!("refs/tags/{reference}"),
        format!("refs/heads/{reference}"),
    ];
    candidates.into_iter().find_map(named).map(|hash| Commit(hash.to_owned()))
}

fn is_hash(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn remove_folder(folder: &Path) -> Result<(), GitError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(trouble_with(folder)(error)),
        _ => Ok(()),
    }
}

fn trouble_with(folder: &Path) -> impl Fn(std::io::Error) -> GitError {
    let path = folder.to_owned();
    move |source| GitError::Folder { path: path.clone(), source }
}

#[cfg(test)]
mod tests;
