//! The command line, through the real binary: what it prints, how it ends, what it leaves behind.

#![cfg(unix)]

mod batch;
mod harness;
mod json;
mod text;
