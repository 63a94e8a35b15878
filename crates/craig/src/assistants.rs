//! Coding assistants on this machine: adds Craig to their configuration, and removes it.
//!
//! [`ASSISTANTS`] lists the files of each. [`Plan::install`] and [`Plan::uninstall`] compute the changes,
//! [`Plan::carry_out`] writes them. The rest of a file is preserved, including comments and line ends. [`connections`]
//! lists which assistants start which version of Craig.

mod connections;
mod edit;
mod files;
mod journal;
mod note;
mod plan;
mod table;

pub(crate) use connections::{Connection, Extension, connections, extensions};
use edit::Trouble;
pub(crate) use plan::{Change, Plan, Refused};
pub(crate) use table::{ASSISTANTS, Assistant, Places};
