//! How a project's source is read, as kept in the store.

use std::collections::BTreeSet;

use craig_source::{Commit, GitUrl, Hidden, IgnoreRules, Reach, Remote, SourceOptions};
use serde::{Deserialize, Serialize};

use crate::GitOrigin;

/// Changes when files are chunked or their names are read differently, so that projects of an older version are read
/// again.
const FORMAT: u32 = 24;

/// The options that a project was ingested with. Unknown keys of a newer version are left alone.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StoredOptions {
    /// [`FORMAT`] of the version that cut all the files.
    format: u32,
    /// Id of the embedder that all the chunks have vectors of.
    embedder: String,
    max_file_size_bytes: Option<u64>,
    include_hidden: bool,
    disregard_ignore_files: bool,
    skip_folders: Vec<String>,
    exclude: Vec<String>,
    include: Vec<String>,
    /// The repository that the directory is a clone of.
    #[serde(skip_serializing_if = "Option::is_none")]
    git: Option<StoredGit>,
    /// The package that it is the documentation of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) package: Option<StoredPackage>,
}

/// A package, as kept in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StoredPackage {
    /// Id of its package manager.
    pub(crate) manager: String,
    /// Its name.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// References of the projects that have this copy of it: no other project is answered from it.
    pub(crate) users: BTreeSet<String>,
    /// Number of files that the limits left out.
    pub(crate) n_over_limits: u64,
}

/// A repository, as kept in the store: without credentials.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct StoredGit {
    url: String,
    reference: Option<String>,
    depth: u32,
    /// Whether an assistant named it: then only [public](Reach::Public) servers are asked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    public_only: bool,
    /// The commit that all the files in the store are of.
    commit: Option<String>,
}

impl StoredGit {
    fn reach(&self) -> Reach {
        if self.public_only { Reach::Public } else { Reach::Anywhere }
    }
}

impl StoredOptions {
    /// Stores the options that differ from the defaults, without a record of chunking or embedding.
    pub(crate) fn from_source(options: &SourceOptions) -> Self {
        let default = SourceOptions::default();
        let limit = options.max_file_size_bytes;
        Self {
            format: 0,
            embedder: String::new(),
            max_file_size_bytes: (limit != default.max_file_size_bytes).then_some(limit),
            include_hidden: options.hidden == Hidden::Include,
            disregard_ignore_files: options.ignore_rules == IgnoreRules::Disregard,
            skip_folders: options.extra_skipped_folders.clone(),
            exclude: options.extra_ignore_globs.clone(),
            include: options.extra_include_globs.clone(),
            git: None,
            package: None,
        }
    }

    /// Records that the directory is a clone.
    pub(crate) fn cloned_from(self, remote: &Remote) -> Self {
        let (url, reference) = (remote.url.to_string(), remote.reference.clone());
        let public_only = remote.reach == Reach::Public;
        let git = StoredGit { url, reference, depth: remote.depth, public_only, commit: None };
        Self { git: Some(git), ..self }
    }

    /// Records the commit of all files, or nothing if it is unknown.
    pub(crate) fn at(mut self, commit: Option<Commit>) -> Self {
        if let (Some(git), Some(commit)) = (&mut self.git, commit) {
            git.commit = Some(commit.0);
        }
        self
    }

    /// The repository that the directory is a clone of.
    pub(crate) fn remote(&self) -> Option<Remote> {
        let git = self.git.as_ref()?;
        let url = GitUrl::parse(&git.url)?.ok()?;
        Some(Remote { url, reference: git.reference.clone(), depth: git.depth, reach: git.reach() })
    }

    /// The same for reports.
    pub(crate) fn origin(&self) -> Option<GitOrigin> {
        let git = self.git.clone()?;
        let reach = git.reach();
        Some(GitOrigin { url: git.url, reference: git.reference, commit: git.commit, reach })
    }

    /// The commit that all the files in the store are of.
    pub(crate) fn commit(&self) -> Option<&str> {
        self.git.as_ref()?.commit.as_deref()
    }

    /// Reads what a version of Craig stored; what cannot be read counts as of an unknown format with the defaults.
    pub(crate) fn parse(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }

    /// Keys of settings that the project was certainly not ingested with. Flags may have added to the settings of then; the
    /// settings of a clone or a package are not those of its directory.
    pub(crate) fn lacking(&self, settings: &SourceOptions) -> Vec<&'static str> {
        if self.git.is_some() || self.package.is_some() {
            return Vec::new();
        }
        let (stored, default) = (self.source(), SourceOptions::default());
        let size = |options: &SourceOptions| options.max_file_size_bytes;
        let lacks = |stored: &[String], set: &[String]| set.iter().any(|value| !stored.contains(value));
        let keys = [
            ("source.max_file_size", size(&stored) == size(&default) && size(settings) != size(&default)),
            ("source.hidden", settings.hidden == Hidden::Include && stored.hidden == Hidden::Exclude),
            (
                "source.ignore_files",
                settings.ignore_rules == IgnoreRules::Disregard
                    && stored.ignore_rules == IgnoreRules::Respect,
            ),
            ("source.exclude", lacks(&stored.extra_ignore_globs, &settings.extra_ignore_globs)),
            ("source.include", lacks(&stored.extra_include_globs, &settings.extra_include_globs)),
            ("source.skip_folders", lacks(&stored.extra_skipped_folders, &settings.extra_skipped_folders)),
        ];
        keys.into_iter().filter(|(_, is_lacking)| *is_lacking).map(|(key, _)| key).collect()
    }

    /// Records that all files are chunked by this version and embedded with `embedder`.
    pub(crate) fn made_with(self, embedder: &str) -> Self {
        Self { format: FORMAT, embedder: embedder.to_owned(), ..self }
    }

    /// Describes how files are made, for [`FileIdentity`](craig_store::FileIdentity): everything but their paths and contents
    /// that decides about their chunks and vectors.
    pub(crate) fn identity(&self) -> String {
        let source = if self.package.is_some() { "package" } else { "directory" };
        format!("{} {} {source}", self.format, self.embedder)
    }

    /// Copies the records of chunking, embedding and cloning from `other`.
    pub(crate) fn made_like(self, other: &Self) -> Self {
        let commit = other.commit().map(|commit| Commit(commit.to_owned()));
        let git = self.git.clone().or_else(|| other.git.clone());
        Self { format: other.format, embedder: other.embedder.clone(), git, ..self }.at(commit)
    }

    /// Whether all files are cut as this version does and embedded with `embedder`.
    pub(crate) fn are_made_with(&self, embedder: &str) -> bool {
        self.format == FORMAT && self.embedder == embedder
    }

    /// Whether another version made the files.
    pub(crate) fn are_of_another_version(&self) -> bool {
        self.format != 0 && self.format != FORMAT
    }

    /// Id of the embedder that all the chunks have vectors of; empty when that is not known.
    pub(crate) fn embedder(&self) -> &str {
        &self.embedder
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::json!(self).to_string()
    }

    /// The options for reading.
    pub(crate) fn source(&self) -> SourceOptions {
        let default = SourceOptions::default();
        SourceOptions {
            max_file_size_bytes: self.max_file_size_bytes.unwrap_or(default.max_file_size_bytes),
            hidden: if self.include_hidden { Hidden::Include } else { Hidden::Exclude },
            ignore_rules: if self.disregard_ignore_files {
                IgnoreRules::Disregard
            } else {
                IgnoreRules::Respect
            },
            extra_skipped_folders: self.skip_folders.clone(),
            extra_ignore_globs: self.exclude.clone(),
            extra_include_globs: self.include.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_survive_storage() {
        let options = SourceOptions {
            max_file_size_bytes: 5,
            hidden: Hidden::Include,
            extra_ignore_globs: vec!["*.gen.rs".into()],
            ..SourceOptions::default()
        };
        assert_eq!(StoredOptions::parse(&StoredOptions::from_source(&options).to_json()).source(), options);
        assert_eq!(StoredOptions::parse("{}").source(), SourceOptions::default());
        assert!(!StoredOptions::parse("not json").are_made_with("e"));
    }

    #[test]
    fn what_was_made_is_remembered_beside_new_options() {
        let made = StoredOptions::parse(&StoredOptions::default().made_with("e").to_json());
        assert!(made.are_made_with("e") && !made.are_made_with("another"));
        let changed =
            StoredOptions::from_source(&SourceOptions { max_file_size_bytes: 5, ..SourceOptions::default() });
        assert!(!changed.are_made_with("e"));
        assert!(changed.made_like(&made).are_made_with("e"));
    }

    #[test]
    fn settings_that_are_not_applied_are_told_from_flags() {
        let with = |max_file_size_bytes, hidden, exclude: &[&str]| SourceOptions {
            max_file_size_bytes,
            hidden,
            extra_ignore_globs: exclude.iter().map(|&glob| glob.to_owned()).collect(),
            ..SourceOptions::default()
        };
        let size = SourceOptions::default().max_file_size_bytes;
        let stored =
            |options: &SourceOptions| StoredOptions::parse(&StoredOptions::from_source(options).to_json());
        let plain = stored(&SourceOptions::default());
        assert_eq!(
            plain.lacking(&with(5, Hidden::Include, &["examples/"])),
            ["source.max_file_size", "source.hidden", "source.exclude"]
        );
        assert!(plain.lacking(&SourceOptions::default()).is_empty());
        let flags = stored(&with(7, Hidden::Include, &["examples/", "*.gen.rs"]));
        assert!(flags.lacking(&with(size, Hidden::Exclude, &["examples/"])).is_empty());
        let url = GitUrl::parse("https://example.com/a.git").unwrap().unwrap();
        let remote = Remote { url, reference: None, depth: 1, reach: Reach::Anywhere };
        assert!(plain.cloned_from(&remote).lacking(&with(5, Hidden::Include, &["a"])).is_empty());
    }
}
