//! Reads all stored data, reports damage, and repairs what can be rebuilt.

use std::path::{Path, PathBuf};

use craig_search::{Index, IndexHealth};
use craig_store::{DamagedFile, Project, Store, StoreError};
use craig_text::shell_word;
use serde::Serialize;

use crate::project::reload;
use crate::repository::clones_folder;
use crate::{Config, Consent, Engine, EngineError, Phase, Progress, Waiting};

/// The result of an examination.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Examination {
    /// The database.
    pub database: String,
    /// Nothing is damaged, or all damage has been repaired.
    pub is_sound: bool,
    /// Projects examined.
    pub projects: u64,
    /// Files examined.
    pub files: u64,
    /// Segments of search indexes examined.
    pub segments: u64,
    /// Their bytes.
    pub index_bytes: u64,
    /// Findings.
    pub findings: Vec<Finding>,
}

/// One finding.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The part in question.
    pub part: Part,
    /// Name of its project.
    pub project: Option<String>,
    /// The file.
    pub path: Option<String>,
    /// What is wrong.
    pub problem: String,
    /// What was done about it, or what to do.
    pub remedy: String,
    /// Whether it makes answers fail or wrong; otherwise it is for information.
    pub is_damage: bool,
    /// It has been repaired.
    pub is_repaired: bool,
}

/// A part of the stored data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The database as a whole.
    Database,
    /// A stored file.
    File,
    /// The search index of a project.
    Index,
    /// A file that nothing refers to.
    Leftover,
    /// Permissions.
    Permissions,
}

impl Finding {
    fn damage(part: Part, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        let (problem, remedy) = (problem.into(), remedy.into());
        Self { part, project: None, path: None, problem, remedy, is_damage: true, is_repaired: false }
    }

    fn note(part: Part, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { is_damage: false, ..Self::damage(part, problem, remedy) }
    }

    fn in_project(self, project: &Project) -> Self {
        Self { project: Some(project.name.clone()), ..self }
    }

    fn at(self, path: impl Into<String>) -> Self {
        Self { path: Some(path.into()), ..self }
    }

    /// The finding after the repair `done`.
    fn repaired(self, done: impl Into<String>) -> Self {
        Self { is_repaired: true, remedy: done.into(), ..self }
    }
}

/// What to do about findings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Examine,
    Repair,
}

const REPAIR: &str = "craig doctor --repair";

impl Examination {
    /// Reads the whole database of `config` and all derived data; changes nothing.
    pub fn examine(config: &Config, progress: &mut dyn FnMut(&Progress)) -> Result<Self, EngineError> {
        Self::run(config, Mode::Examine, progress)
    }

    /// The same, and rebuilds what is damaged: indexes from the database, stored files from their sources. A database that
    /// cannot be repaired is moved aside.
    pub fn repair(config: &Config, progress: &mut dyn FnMut(&Progress)) -> Result<Self, EngineError> {
        Self::run(config, Mode::Repair, progress)
    }

    fn run(config: &Config, mode: Mode, progress: &mut dyn FnMut(&Progress)) -> Result<Self, EngineError> {
        let path = &config.database.to_path();
        config.database.check()?;
        if !config.database.may_exist() {
            return Err(EngineError::NoDatabase { path: path.clone() });
        }
        let mut all = Self { database: config.database.to_string(), ..Self::default() };
        progress(&examining("the database"));
        match Engine::open(config) {
            Ok(engine) => all.examine_all(engine, path, mode, progress)?,
            Err(EngineError::Store(StoreError::Corrupt { detail, .. })) => {
                let finding = Finding::damage(Part::Database, detail, start_again(path, &[]));
                all.findings.push(if mode == Mode::Repair { set_aside(path, finding, &[]) } else { finding });
            }
            Err(other) => return Err(other),
        }
        all.is_sound = all.findings.iter().all(|finding| finding.is_repaired || !finding.is_damage);
        Ok(all)
    }

    fn examine_all(
        &mut self,
        engine: Engine,
        path: &Path,
        mode: Mode,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(), EngineError> {
        let mut store = engine.store()?;
        let problems = store.check()?;
        if !problems.is_empty() {
            let sources = sources(&store);
            let finding = Finding::damage(Part::Database, problems.join("; "), start_again(path, &sources));
            if mode == Mode::Examine {
                self.findings.push(finding);
                return Ok(());
            }
            if !store.repair() {
                // The file must not be written while it is moved.
                drop(store);
                drop(engine);
                self.findings.push(set_aside(path, finding, &sources));
                return Ok(());
            }
            self.findings.push(finding.repaired("the database's own indexes were rebuilt"));
        }
        for project in store.projects()? {
            self.projects += 1;
            self.examine_project(&engine, &mut store, &project, mode, progress)?;
        }
        for group in store.groups()? {
            progress(&examining(&format!("the search index of {}", group.name)));
            self.examine_index(&engine, &store, &group, mode)?;
        }
        self.look_for_leftovers(&store, mode)?;
        let remedy = "it contains your code: remove the permissions of others with 'chmod go='";
        let exposed = store.exposed_paths().into_iter().map(|path| {
            Finding::note(Part::Permissions, "other users can read it", remedy).at(path.display().to_string())
        });
        self.findings.extend(exposed);
        Ok(())
    }

    fn examine_project(
        &mut self,
        engine: &Engine,
        store: &mut Store,
        project: &Project,
        mode: Mode,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(), EngineError> {
        let lock = match store.try_lock(project) {
            Err(StoreError::Held { holder }) => {
                let problem = format!("not checked: {holder} is writing it");
                self.findings.push(
                    Finding::note(Part::File, problem, "run it again when that process has finished")
                        .in_project(project),
                );
                return Ok(());
            }
            // If no lock can be created, other processes cannot write either.
            lock => lock.ok(),
        };
        let n_files = store.counts(project.id)?.files;
        self.files += n_files;
        let mut n_read = 0;
        let damaged = store.damaged_files(project.id, &mut |path| {
            n_read += 1;
            let step = examining(&format!("{}: {path}", project.name));
            progress(&Progress { processed_files: n_read, total_files: n_files as usize, ..step });
        })?;
        if !damaged.is_empty() && mode == Mode::Repair && Path::new(&project.source_path).is_dir() {
            let files: Vec<_> = damaged.iter().map(|file| file.id).collect();
            store.forget_files(&files)?;
            drop(lock);
            let read = engine.ingest_changes(store, project, Waiting::Wait, Consent::default(), progress);
            self.findings.extend(damaged.iter().map(|file| match &read {
                Ok(_) => of_file(project, file, "").repaired("it was reread from its source"),
                Err(error) => of_file(
                    project,
                    file,
                    &format!("it was removed from the index, but could not be reread: {error}"),
                ),
            }));
        } else {
            let remedy = match Path::new(&project.source_path).is_dir() {
                true => format!("run '{REPAIR}', which rereads the file from its source"),
                false => {
                    format!(
                        "its source {} no longer exists: run 'craig purge {}'",
                        project.source_path,
                        shell_word(&project.name)
                    )
                }
            };
            self.findings.extend(damaged.iter().map(|file| of_file(project, file, &remedy)));
            drop(lock);
        }
        progress(&examining(&format!("the search index of {}", project.name)));
        self.examine_index(engine, store, project, mode)
    }

    fn examine_index(
        &mut self,
        engine: &Engine,
        store: &Store,
        project: &Project,
        mode: Mode,
    ) -> Result<(), EngineError> {
        let project = reload(store, project)?;
        let embedder = match engine.embedder() {
            Ok(embedder) => embedder,
            Err(error) => {
                let problem = format!("not checked: {error}");
                let note =
                    Finding::note(Part::Index, problem, "make the embedder available, then run it again");
                self.findings.push(note.in_project(&project));
                return Ok(());
            }
        };
        let dimensions = embedder.dimensions()?;
        let mut health = Index::check(store, &project, embedder.id(), dimensions)?;
        if let IndexHealth::Damaged { what } = &health {
            let remedy = format!("the next search or '{REPAIR}' rebuilds it");
            let mut finding = Finding::damage(Part::Index, what, remedy).in_project(&project);
            if mode == Mode::Repair {
                engine.rebuild_index(store, &project)?;
                finding = finding.repaired("it was rebuilt from the database");
                health = Index::check(store, &project, embedder.id(), dimensions)?;
            }
            self.findings.push(finding);
        }
        if let IndexHealth::Sound { n_segments, n_bytes } = health {
            self.segments += n_segments as u64;
            self.index_bytes += n_bytes;
        }
        Ok(())
    }

    /// Folders of indexes and clones that belong to no project.
    fn look_for_leftovers(&mut self, store: &Store, mode: Mode) -> Result<(), EngineError> {
        let indexes = store.orphaned_indexes()?;
        // Before the projects are listed: the clone of one that is made meanwhile is no leftover.
        let clones = folders_in(&clones_folder(store));
        let projects = store.projects()?;
        let is_used = |clone: &PathBuf| {
            let real = real(clone);
            projects.iter().any(|project| Path::new(&project.source_path).starts_with(&real))
        };
        let indexes = indexes.into_iter().map(|path| (path, "an index without a project"));
        let clones = clones
            .into_iter()
            .filter(|clone| !is_used(clone))
            .map(|path| (path, "a clone without a project"));
        for (path, problem) in indexes.chain(clones) {
            let note = Finding::note(Part::Leftover, problem, format!("run '{REPAIR}' to remove it"))
                .at(path.display().to_string());
            let is_removed = mode == Mode::Repair && std::fs::remove_dir_all(&path).is_ok();
            self.findings.push(if is_removed { note.repaired("it was removed") } else { note });
        }
        Ok(())
    }
}

impl Engine {
    /// Removes indexes on this machine whose projects were purged on another one; returns their number. A standby may not know
    /// the newest projects, so nothing is removed where the database cannot be written.
    pub fn remove_orphaned_indexes(&self) -> Result<usize, EngineError> {
        let store = self.store()?;
        if store.check_writable().is_err() {
            return Ok(0);
        }
        let orphans = store.orphaned_indexes()?;
        // What is removed meanwhile by another process needs no second try.
        Ok(orphans.iter().filter(|folder| std::fs::remove_dir_all(folder).is_ok()).count())
    }
}

fn examining(what: &str) -> Progress {
    Progress { current: what.to_owned(), ..Progress::new(Phase::Examining) }
}

fn of_file(project: &Project, file: &DamagedFile, remedy: &str) -> Finding {
    Finding::damage(Part::File, &*file.what, remedy).in_project(project).at(&*file.path)
}

/// Directories that were ingested, as far as a damaged database can still be read.
fn sources(store: &Store) -> Vec<String> {
    let projects = store.projects().unwrap_or_default();
    projects.into_iter().map(|project| project.source_path).collect()
}

fn start_again(path: &Path, sources: &[String]) -> String {
    format!("'{REPAIR}' sets {} aside; then {}", path.display(), ingest_again(sources))
}

fn ingest_again(sources: &[String]) -> String {
    match sources {
        [] => "ingest its projects again: sources were not touched".to_owned(),
        _ => {
            let commands: Vec<String> =
                sources.iter().map(|source| format!("craig ingest {}", shell_word(source))).collect();
            format!("ingest its projects again: {}", commands.join("; "))
        }
    }
}

/// Renames a database that cannot be repaired, so that the next ingestion makes another.
fn set_aside(path: &Path, finding: Finding, sources: &[String]) -> Finding {
    let remedy = match Store::set_aside(path) {
        Ok(Some(kept)) => format!("it was set aside as {}; {}", kept.display(), ingest_again(sources)),
        Ok(None) => "it does not look like a Craig database: check --db".to_owned(),
        Err(error) => format!("it cannot be set aside: {error}"),
    };
    Finding { remedy, ..finding }
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir() && !path.is_symlink()).collect()
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
