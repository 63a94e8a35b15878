//! Reads a bare git directory through `git`: the files of one commit, and what commits say of them.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};

/// A commit of a bare repository.
pub(crate) struct Commit {
    pub(crate) git_dir: PathBuf,
    pub(crate) id: String,
}

/// A file of a commit.
pub(crate) struct Blob {
    pub(crate) path: String,
    pub(crate) id: String,
    pub(crate) size_bytes: u64,
}

impl Commit {
    fn git(&self) -> Command {
        let mut command = Command::new("git");
        command.arg("--git-dir").arg(&self.git_dir).stderr(Stdio::null());
        command
    }

    /// The files of the commit in git's order; those whose size is not known here are absent, and left out.
    pub(crate) fn files(&self) -> Result<Vec<Blob>> {
        let output = self.git().args(["ls-tree", "-r", "-l", "-z", &self.id]).output()?;
        if !output.status.success() {
            bail!("cannot list {} of {}", self.id, self.git_dir.display());
        }
        let listing = String::from_utf8_lossy(&output.stdout);
        Ok(listing.split('\0').filter_map(blob).collect())
    }

    /// For each path, the subjects of commits that changed it and at most `max_files` files in all, newest first.
    ///
    /// History that is not stored here ends the list early.
    pub(crate) fn subjects(
        &self,
        n_commits: usize,
        max_files: usize,
    ) -> Result<HashMap<String, Vec<String>>> {
        let limit = format!("-{n_commits}");
        let log = ["log", "--no-merges", "--no-renames", "--name-only", "--format=%x01%s", &limit, &self.id];
        let output = self.git().args(log).output()?;
        let mut by_path: HashMap<String, Vec<String>> = HashMap::new();
        for entry in String::from_utf8_lossy(&output.stdout).split('\x01') {
            let mut lines = entry.lines().filter(|line| !line.is_empty());
            let Some(subject) = lines.next() else { continue };
            let paths: Vec<&str> = lines.collect();
            if paths.len() <= max_files {
                paths
                    .iter()
                    .for_each(|path| by_path.entry((*path).to_owned()).or_default().push(subject.to_owned()));
            }
        }
        Ok(by_path)
    }

    /// Opens the store of file contents.
    pub(crate) fn contents(&self) -> Result<Contents> {
        let mut child = self
            .git()
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start git")?;
        let requests = child.stdin.take().context("git has no input")?;
        let answers = BufReader::new(child.stdout.take().context("git has no output")?);
        Ok(Contents { child, requests: Some(requests), answers })
    }
}

/// A line of `git ls-tree -l`: mode, type, id, size, tab, path.
fn blob(line: &str) -> Option<Blob> {
    let (facts, path) = line.split_once('\t')?;
    let mut facts = facts.split_ascii_whitespace();
    let is_file = facts.next()?.starts_with("100") && facts.next()? == "blob";
    let (id, size) = (facts.next()?, facts.next()?);
    let size_bytes = size.parse().ok()?;
    is_file.then(|| Blob { path: path.to_owned(), id: id.to_owned(), size_bytes })
}

/// A running `git cat-file --batch`.
pub(crate) struct Contents {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Contents {
    /// The bytes of the object `id`; `None` when it is not stored here.
    pub(crate) fn read(&mut self, id: &str) -> Result<Option<Vec<u8>>> {
        let requests = self.requests.as_mut().context("git was closed")?;
        writeln!(requests, "{id}")?;
        requests.flush()?;
        let mut header = String::new();
        self.answers.read_line(&mut header)?;
        let Some(size) = header.trim_end().rsplit(' ').next().and_then(|size| size.parse::<usize>().ok())
        else {
            return if header.trim_end().ends_with("missing") { Ok(None) } else { bail!("git ended early") };
        };
        let mut bytes = vec![0; size + 1];
        self.answers.read_exact(&mut bytes)?;
        bytes.pop();
        Ok(Some(bytes))
    }
}

impl Drop for Contents {
    fn drop(&mut self) {
        // Without input git ends by itself; its exit status adds nothing to the answers.
        self.requests = None;
        let _ = self.child.wait();
    }
}
