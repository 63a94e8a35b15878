//! Groups: several projects that are searched as one.
//!
//! A group is a project without files of its own. The view `files_of_projects` gives it those of its members, each below a folder
//! with the name of its project: whatever commits a change of a member changes its groups, too. A version of a file that several
//! members have at the same path is one file of the group, at the first of its paths.

use crate::project::columns;
use crate::sql::{self, Connection, params};
use crate::{Project, ProjectId, Store, StoreError};

impl Store {
    /// Adds these projects to the group `name`, which is created if it is missing. A group among them adds its members.
    ///
    /// Fails if the name belongs to a project that is not a group.
    pub fn add_to_group(&mut self, name: &str, projects: &[Project]) -> Result<Project, StoreError> {
        let options = projects.first().map_or("", |project| &project.options);
        let group = self.create_empty_group(name, options)?;
        self.write(|connection| {
            for project in projects {
                connection.execute(
                    "INSERT INTO group_members (group_id, member_id)
                     SELECT CAST(?1 AS BIGINT), CAST(?2 AS BIGINT)
                     WHERE NOT EXISTS (SELECT 1 FROM group_members WHERE group_id = ?2)
                     UNION ALL SELECT CAST(?1 AS BIGINT), member_id FROM group_members WHERE group_id = ?2
                     ON CONFLICT DO NOTHING",
                    &params![group.id, project.id],
                )?;
            }
            Ok(())
        })?;
        self.project(&group.reference)
    }

    /// Takes a project out of a group.
    pub fn remove_from_group(&mut self, group: ProjectId, member: ProjectId) -> Result<(), StoreError> {
        self.write(|connection| remove_member(connection, group, member))
    }

    /// The members of a group by name.
    pub fn members(&self, group: ProjectId) -> Result<Vec<Project>, StoreError> {
        let sql = format!(
            "SELECT {} FROM projects WHERE id IN (SELECT member_id FROM group_members WHERE group_id = ?1) ORDER BY name",
            columns()
        );
        self.read_all(&sql, &params![group], |row| Project::from_row(self.identity(), row))
    }

    /// The groups that a project is a member of, by id.
    pub fn groups_of(&self, member: ProjectId) -> Result<Vec<Project>, StoreError> {
        let sql = format!(
            "SELECT {} FROM projects WHERE id IN (SELECT group_id FROM group_members WHERE member_id = ?1) ORDER BY id",
            columns()
        );
        self.read_all(&sql, &params![member], |row| Project::from_row(self.identity(), row))
    }
}

/// Takes a project out of a group. The generation of the group does not become one that it once was.
pub(crate) fn remove_member(connection: &Connection, group: ProjectId, member: ProjectId) -> sql::Result<()> {
    connection.execute(
        "UPDATE projects SET generation = generation + 1 + (SELECT generation FROM projects WHERE id = ?2)
         WHERE id = ?1 AND EXISTS (SELECT 1 FROM group_members WHERE group_id = ?1 AND member_id = ?2)",
        &params![group, member],
    )?;
    let sql = "DELETE FROM group_members WHERE group_id = ?1 AND member_id = ?2";
    connection.execute(sql, &params![group, member]).map(drop)
}
