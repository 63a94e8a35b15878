//! Which projects an engine answers about: all, or those that somebody may see.
//!
//! Every call that takes a project gets it from [`Engine::find`], and every list is [`Engine::shown_projects`] or
//! [`Engine::shown_groups`], so that a project that is not shown is one that does not exist, in errors as well. Whoever sees only
//! some projects is answered from the store alone: a directory may hold what is not indexed, and what belongs to another project.

use std::collections::BTreeSet;
use std::sync::Arc;

use craig_store::{Project, Store, StoreError};

use crate::options::StoredOptions;
use crate::{Engine, EngineError};

/// The projects that there are for the calls of an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// All.
    #[default]
    All,
    /// The projects and groups of these names, members of such a group, groups of such projects alone, and the packages that
    /// such projects use.
    Only(Arc<BTreeSet<String>>),
}

/// Called with the name of a project that is read.
pub type ReadObserver = Arc<dyn Fn(&str) + Send + Sync>;

impl Visibility {
    /// The names that are listed; `None` if everything is shown.
    pub(crate) fn names(&self) -> Option<&BTreeSet<String>> {
        match self {
            Self::All => None,
            Self::Only(names) => Some(names),
        }
    }

    /// Whether `name` is listed, or everything is shown.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names().is_none_or(|names| names.contains(name))
    }
}

impl Engine {
    /// Whether a project, group or package exists for the calls of this engine.
    pub(crate) fn shows(&self, store: &Store, project: &Project) -> Result<bool, EngineError> {
        if self.visibility.has(&project.name) {
            return Ok(true);
        }
        if project.is_group() {
            let members = store.members(project.id)?;
            return Ok(!members.is_empty() && members.iter().all(|member| self.visibility.has(&member.name)));
        }
        if let Some(package) = StoredOptions::parse(&project.options).package {
            let shown = self.shown_projects(store)?;
            return Ok(shown.iter().any(|project| package.users.contains(&project.reference)));
        }
        Ok(store.groups_of(project.id)?.iter().any(|group| self.visibility.has(&group.name)))
    }

    /// The projects that exist for the calls of this engine, by id, without groups and packages.
    pub(crate) fn shown_projects(&self, store: &Store) -> Result<Vec<Project>, EngineError> {
        let Some(names) = self.visibility.names() else { return Ok(store.projects()?) };
        Ok(store
            .shown(names)?
            .into_iter()
            .filter(|project| !project.is_group() && !project.is_package())
            .collect())
    }

    /// The groups that exist for the calls of this engine, by id.
    pub(crate) fn shown_groups(&self, store: &Store) -> Result<Vec<Project>, EngineError> {
        let Some(names) = self.visibility.names() else { return Ok(store.groups()?) };
        Ok(store.shown(names)?.into_iter().filter(Project::is_group).collect())
    }

    /// The error for a project that does not exist, with those that do.
    pub(crate) fn unknown(&self, store: &Store, handle: &str) -> Result<EngineError, EngineError> {
        let known = self.shown_projects(store)?.into_iter().chain(self.shown_groups(store)?);
        let known = known.map(|project| project.name).collect();
        Ok(StoreError::UnknownProject { handle: handle.to_owned(), known }.into())
    }
}
