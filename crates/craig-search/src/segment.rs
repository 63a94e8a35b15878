//! One immutable part of an index: files, chunks, vectors and postings in one memory-mapped file.

mod builder;
mod checks;
mod comments;
mod file_terms;
#[cfg(any(test, fuzzing))]
pub(crate) mod forge;
mod layout;
mod postings;
mod reader;
mod terms;

pub(crate) use builder::{SegmentBuilder, create_file, kind_number};
pub(crate) use file_terms::{FileTerms, PATH_SHARE, signs, words_per_vector};
pub(crate) use layout::{ChunkRow, FORMAT, FieldEmbedding, TextRef};
pub(crate) use postings::{Posting, PostingsList};
pub(crate) use reader::Segment;
