//! One immutable part of an index: files, chunks, vectors and postings in one memory-mapped file.

mod builder;
mod layout;
mod postings;
mod reader;

pub(crate) use builder::{FileTerms, SegmentBuilder, file_stem, kind_number, signs};
pub(crate) use layout::{Aspect, FORMAT, Role};
pub(crate) use postings::Posting;
pub(crate) use reader::Segment;
