//! Coding assistants on this machine, and how Craig is put into their configuration and taken out again.
//!
//! [`ASSISTANTS`] says where each keeps what. [`Plan::install`] and [`Plan::uninstall`] work out what would be written,
//! [`Plan::carry_out`] writes it. Whatever else is in a file stays as it is, comments and line ends included.
//! [`connections`] says which assistants start which Craig.

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
