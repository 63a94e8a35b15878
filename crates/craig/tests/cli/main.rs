//! The command line, through the real binary: what it prints, how it ends, what it leaves behind.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod archives;
mod bad_database;
mod bad_input;
mod bad_paths;
mod batch;
mod context;
mod directories;
mod doctor;
mod explain;
mod gateway;
mod git;
mod git_server;
mod grep;
mod groups;
mod harness;
mod hook;
mod hostile;
mod hostile_databases;
mod insight;
mod install;
mod json;
mod json_files;
mod kill;
mod map;
mod models;
mod navigation;
mod outline;
mod packages;
mod permissions;
mod pictures;
mod pipes;
mod plugin;
mod related;
mod secrets;
mod symbols;
mod text;
mod together;
mod unwritable;
mod upgrade;
