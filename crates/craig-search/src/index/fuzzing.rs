//! Searches in arbitrary segments, for `fuzz/`; compiled by `cargo fuzz` alone.

use std::path::Path;

use super::*;
use crate::segment::forge;
use crate::{Required, SearchOptions};

/// Searches `segment`, of the built-in model, in a file of `folder`. If its header is intact, all checksums are corrected first,
/// so that the code behind their verification is reached.
pub fn search_segment(folder: &Path, segment: &mut [u8], is_header_intact: bool) {
    let checksum = if is_header_intact { forge::seal(segment) } else { 0 };
    let entry = SegmentEntry { file: "000000.seg".to_owned(), checksum, removed: Vec::new() };
    fs::write(folder.join(&entry.file), &segment).expect("the folder can be written");
    let dimensions = StaticModel::builtin().dimensions().expect("the built-in model has some");
    let Ok(live) = LiveSegment::open(folder, &entry, dimensions) else { return };
    let index = Index::from_segments(vec![live], 0);
    let _ = index.files_with(&Required::Text(b"verify_token".to_vec()));
    for query in ["where are requests retried", "verify_token", "src docs"] {
        // Damage is an acceptable answer: only a panic is a finding.
        let _ = index.candidates(query, StaticModel::builtin(), &SearchOptions::default());
    }
}
