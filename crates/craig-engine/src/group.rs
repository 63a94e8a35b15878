//! Groups: several projects that answer as one.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use craig_store::{Project, Store, StoreError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::ingest::checked_name;
use crate::prepare::{Freshness, PrepareRequest, Refresh};
use crate::project::unknown_file;
use crate::report::{IngestionState, ProjectStatus};
use crate::{Engine, EngineError, Progress};

/// A group in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GroupSummary {
    /// Name.
    pub name: String,
    /// Unique reference.
    pub reference: String,
    /// Names of the projects in it. Each is a folder of the group.
    pub members: Vec<String>,
    /// Files of all members.
    pub files: u64,
    /// Indexed chunks of all members.
    pub chunks: u64,
}

impl Engine {
    /// All groups by number.
    pub fn groups(&self) -> Result<Vec<GroupSummary>, EngineError> {
        let store = self.store()?;
        let groups = self.shown_groups(&store)?;
        groups.iter().map(|group| self.group_summary(&store, group)).collect()
    }

    /// Adds projects to the group `name`, which is created if it is missing.
    ///
    /// Whatever takes the id, reference or name of a project takes those of a group, too. It has the files of its members, each
    /// member below a folder of its name. Its index is built at once, so that no search on this machine waits for it.
    pub fn add_to_group(&self, name: &str, handles: &[String]) -> Result<GroupSummary, EngineError> {
        let mut store = self.store()?;
        let name = checked_name(name)?;
        if name.contains(',') {
            return Err(EngineError::BadName { name, reason: "a comma separates the names of projects" });
        }
        let projects: Vec<Project> =
            handles.iter().map(|handle| self.find(&store, handle)).collect::<Result<_, _>>()?;
        let group = store.add_to_group(&name, &projects).map_err(|error| match error {
            StoreError::NameTaken { name, .. } => EngineError::NotAGroup { project: name },
            other => other.into(),
        })?;
        self.refresh_index(&store, &group, &mut Vec::new())?;
        self.group_summary(&store, &group)
    }

    /// Takes projects out of a group.
    pub fn remove_from_group(&self, name: &str, handles: &[String]) -> Result<GroupSummary, EngineError> {
        let mut store = self.store()?;
        let group = Self::find_group(&store, name)?;
        let members = store.members(group.id)?;
        let mut removed = Vec::new();
        for handle in handles {
            let project = self.find(&store, handle)?;
            if !members.contains(&project) {
                let known = members.into_iter().map(|member| member.name).collect();
                return Err(EngineError::NotInGroup { project: project.name, group: group.name, known });
            }
            removed.push(project.id);
        }
        removed.into_iter().try_for_each(|member| store.remove_from_group(group.id, member))?;
        self.group_summary(&store, &group)
    }

    /// Removes a group; its members stay.
    pub fn remove_group(&self, name: &str) -> Result<String, EngineError> {
        let group = Self::find_group(&*self.store()?, name)?;
        self.purge(&group.reference, &mut |_| {})
    }

    /// Where a file of a project or group is on this machine.
    pub fn place_of_file(&self, handle: &str, path: &str) -> Result<PathBuf, EngineError> {
        let store = self.store()?;
        let project = self.find(&store, handle)?;
        if !project.is_group() {
            return Ok(Path::new(&project.source_path).join(path));
        }
        let members = store.members(project.id)?;
        let in_member = |member: &Project| {
            let path = path.strip_prefix(&member.name)?.strip_prefix('/')?;
            Some(Path::new(&member.source_path).join(path))
        };
        match members.iter().find_map(in_member) {
            Some(place) => Ok(place),
            None => Err(unknown_file(&store, &project, path)?),
        }
    }

    fn group_summary(&self, store: &Store, group: &Project) -> Result<GroupSummary, EngineError> {
        let members = store.members(group.id)?;
        let counts = self.counts_of(store, &members)?;
        Ok(GroupSummary {
            name: group.name.clone(),
            reference: group.reference.clone(),
            members: members.into_iter().map(|member| member.name).collect(),
            files: counts.iter().map(|counts| counts.files).sum(),
            chunks: counts.iter().map(|counts| counts.chunks).sum(),
        })
    }

    fn find_group(store: &Store, name: &str) -> Result<Project, EngineError> {
        let found = store.project(name)?;
        match found.is_group() {
            true => Ok(found),
            false => Err(EngineError::NotAGroup { project: found.name }),
        }
    }

    /// The group of exactly the projects that `handles` lists, separated by commas, under whatever name; created if it is missing.
    pub(crate) fn group_of(&self, store: &Store, handles: &str) -> Result<Project, EngineError> {
        let mut projects: Vec<Project> =
            handles.split(',').map(|handle| self.find(store, handle.trim())).collect::<Result<_, _>>()?;
        projects.sort_by(|a, b| a.name.cmp(&b.name));
        projects.dedup();
        if let [project] = &*projects {
            return Ok(project.clone());
        }
        for group in store.groups()? {
            if store.members(group.id)? == projects {
                return Ok(group);
            }
        }
        let names: Vec<&str> = projects.iter().map(|project| &*project.name).collect();
        Ok(self.store()?.add_to_group(&names.join(","), &projects)?)
    }

    /// The status of the first member of a group that is not complete; of the last one if all are.
    pub(crate) fn status_of_members(
        &self,
        store: &Store,
        group: &Project,
    ) -> Result<ProjectStatus, EngineError> {
        let mut found = None;
        for member in store.members(group.id)? {
            let status = self.status(&member.reference)?;
            let is_complete = status.status == IngestionState::Completed;
            found = Some(status);
            if !is_complete {
                break;
            }
        }
        found.ok_or_else(|| EngineError::IsAGroup { group: group.name.clone() })
    }

    /// Brings all members of a group up to date.
    pub(crate) fn prepare_members(
        &self,
        group: &Project,
        request: &PrepareRequest<'_>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Freshness, EngineError> {
        let mut freshness = Freshness::UpToDate(None);
        let members = self.store()?.members(group.id)?;
        for member in members {
            let request = PrepareRequest { handle: Some(&member.reference), ..*request };
            freshness = freshness.and(self.prepare(&request, progress)?.1);
        }
        Ok(freshness)
    }

    /// The same within `limit`.
    pub(crate) fn refresh_members_within(
        self: &Arc<Self>,
        group: &Project,
        refresh: Refresh,
        limit: Duration,
    ) -> Result<Freshness, EngineError> {
        let started = Instant::now();
        let mut freshness = Freshness::UpToDate(None);
        let members = self.store()?.members(group.id)?;
        for member in members {
            let left = limit.saturating_sub(started.elapsed());
            freshness = freshness.and(self.refresh_within(&member.reference, refresh, left)?);
        }
        Ok(freshness)
    }
}

impl Freshness {
    /// The freshness of both: that of the first if it is not up to date, otherwise that of the other.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::UpToDate(Some(mut report)), Self::UpToDate(Some(other))) => {
                report.failed.extend(other.failed);
                report.notes.extend(other.notes);
                Self::UpToDate(Some(report))
            }
            (first @ Self::UpToDate(_), Self::UpToDate(None)) => first,
            (Self::UpToDate(_), other) => other,
            (first, _) => first,
        }
    }
}

/// Whether a handle lists projects instead of naming one. The group of the listed projects has the list as its name, but not
/// all of them, if one was purged since.
pub(crate) fn names_several(store: &Store, handle: &str) -> bool {
    handle.contains(',') && store.project(handle).map_or(true, |project| project.is_group())
}
