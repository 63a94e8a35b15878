//! One immutable part of an index: files, chunks, vectors and postings in one memory-mapped file.

mod builder;
mod file_terms;
mod layout;
mod postings;
mod reader;
mod terms;

pub(crate) use builder::{SegmentBuilder, kind_number};
pub(crate) use file_terms::{FileTerms, file_stem, signs};
pub(crate) use layout::{Aspect, FORMAT, Role};
pub(crate) use postings::Posting;
pub(crate) use reader::Segment;
