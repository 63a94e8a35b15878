//! A second wall on a PostgreSQL server: for the time of a call, a connection reads only the rows of some projects.
//!
//! The engine decides what a caller may see before it reads anything. On a server, the tables' policies of row-level security
//! enforce the same again (`migrations/postgres/5.sql`), unless the connection belongs to the owner of the tables.

use std::collections::BTreeSet;

use crate::sql::{Value, params};
use crate::{Store, StoreError};

/// The projects and groups of these names, members of such a group, groups of such projects alone, and the packages that such
/// projects use. No project has the id 0.
const SHOW_ONLY: &str = "
    WITH named AS (SELECT id, reference FROM projects WHERE name = ANY(?1)),
    of_groups AS (
        SELECT p.id, p.reference FROM projects p JOIN group_members g ON g.member_id = p.id JOIN named n ON n.id = g.group_id
    ),
    shown AS (SELECT id, reference FROM named UNION SELECT id, reference FROM of_groups),
    groups_of AS (
        SELECT group_id FROM group_members GROUP BY group_id HAVING bool_and(member_id IN (SELECT id FROM named))
    ),
    packages AS (
        SELECT p.id FROM projects p JOIN shown s
        ON jsonb_exists(CAST(nullif(p.options, '') AS JSONB) #> '{package,users}', s.reference)
    ),
    ids AS (SELECT id FROM shown UNION SELECT group_id FROM groups_of UNION SELECT id FROM packages)
    SELECT set_config('craig.projects', coalesce((SELECT string_agg(CAST(id AS TEXT), ',') FROM ids), '0'), false)";

const SHOW_ALL: &str = "SELECT set_config('craig.projects', '', false)";

impl Store {
    /// On a server, lets this connection read only what somebody may see who may see these projects, until the next call; all
    /// of it with `None`. A file has no such wall.
    pub fn show_only(&mut self, names: Option<&BTreeSet<String>>) -> Result<(), StoreError> {
        if self.connection.sqlite().is_some() || (names.is_none() && !self.shows_some) {
            return Ok(());
        }
        // What may be seen is looked up among all projects.
        self.read_one(SHOW_ALL, &[], |_| Ok(()))?;
        self.shows_some = names.is_some();
        if let Some(names) = names {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            self.read_one(SHOW_ONLY, &params![Value::Texts(names)], |_| Ok(()))?;
        }
        Ok(())
    }
}
