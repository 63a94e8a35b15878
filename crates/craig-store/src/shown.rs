//! What somebody sees who may see only some projects.
//!
//! The engine asks for it before it reads anything. On a PostgreSQL server there is a second wall: for the time of a call, a
//! connection reads only the rows of these projects, by the tables' policies of row-level security
//! (`migrations/postgres/5.sql`), unless it belongs to the owner of the tables.

use std::collections::BTreeSet;

use crate::project::columns;
use crate::sql::{Value, params};
use crate::{Project, Store, StoreError};

/// Ids of the projects and groups of these names, of the members of such a group, and of the groups of such projects alone.
const SHOWN: &str = "
    WITH named AS (SELECT id FROM projects WHERE name = ANY(?1)),
    shown AS (
        SELECT id FROM named
        UNION SELECT g.member_id FROM group_members g JOIN named n ON n.id = g.group_id
        UNION SELECT g.group_id FROM group_members g LEFT JOIN named n ON n.id = g.member_id
            GROUP BY g.group_id HAVING count(n.id) = count(*)
    )";

/// Shows these projects, and the packages that they use. No project has the id 0.
const SHOW_ONLY: &str = ",
    packages AS (
        SELECT p.id FROM projects p JOIN projects u ON jsonb_exists(CAST(p.options AS JSONB) #> '{package,users}', u.reference)
        WHERE p.source_path LIKE 'package:%' AND u.id IN (SELECT id FROM shown)
    )
    SELECT set_config('craig.projects', coalesce(
        (SELECT string_agg(CAST(id AS TEXT), ',') FROM (SELECT id FROM shown UNION SELECT id FROM packages) ids), '0'), false)";

const SHOW_ALL: &str = "SELECT set_config('craig.projects', '', false)";

impl Store {
    /// The projects and groups that somebody sees who may see those of these names, by id: these, members of such a group, and
    /// groups of such projects alone.
    pub fn shown(&self, names: &BTreeSet<String>) -> Result<Vec<Project>, StoreError> {
        let sql = format!(
            "{SHOWN} SELECT {} FROM projects WHERE id IN (SELECT id FROM shown) ORDER BY id",
            columns()
        );
        self.read_all(&sql, &params![texts(names)], |row| Project::from_row(self.identity(), row))
    }

    /// On a server, lets this connection read only what somebody sees who may see these projects, and the packages that they use,
    /// until the next call; all of it with `None`. A file has no such wall.
    pub fn show_only(&mut self, names: Option<&BTreeSet<String>>) -> Result<(), StoreError> {
        if self.connection.sqlite().is_some() || (names.is_none() && !self.shows_some) {
            return Ok(());
        }
        // What may be seen is looked up among all projects.
        self.read_one(SHOW_ALL, &[], |_| Ok(()))?;
        self.shows_some = names.is_some();
        if let Some(names) = names {
            self.read_one(&format!("{SHOWN}{SHOW_ONLY}"), &params![texts(names)], |_| Ok(()))?;
        }
        Ok(())
    }
}

fn texts(names: &BTreeSet<String>) -> Value<'_> {
    Value::Texts(names.iter().map(String::as_str).collect())
}
