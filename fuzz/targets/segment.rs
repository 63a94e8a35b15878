//! Any changes to a segment of an index, with checksums that say that it is sound: a search of it ends.
#![no_main]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use craig_engine::{Config, Consent, Engine, IngestRequest, SourceOptions, Waiting};
use libfuzzer_sys::fuzz_target;

/// Larger than a header: changes before it leave the checksums as they were.
const HEADER_BYTES: usize = 512;

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| tempfile::tempdir().unwrap().keep());

static SOUND: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let tree = FOLDER.join("tree");
    for number in 0..12 {
        let text = format!("/// Retries {number}.\npub fn verify_token_{number}(token: &str) -> bool {{\n    true\n}}\n");
        write(&tree.join(format!("src/part{}/token_{number}.rs", number % 3)), &text);
    }
    write(&tree.join("docs/guide.md"), "# Guide\n\nWhere requests are retried.\n");
    let mut engine = Engine::open(&Config::new(FOLDER.join("craig.db"))).unwrap();
    let request = IngestRequest {
        directory: tree,
        name: None,
        options: SourceOptions::default(),
        waiting: Waiting::Wait,
        consent: Consent::default(),
    };
    engine.ingest(&request, &mut |_| {}).unwrap();
    let mut indexes = fs::read_dir(FOLDER.join("craig.db.d")).unwrap();
    let segment = indexes.find_map(|entry| fs::read(entry.unwrap().path().join("000000.seg")).ok());
    segment.expect("the index has a segment")
});

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fuzz_target!(|changes: Vec<(u32, [u8; 4])>| {
    let mut segment = SOUND.clone();
    let mut is_header_intact = true;
    for (at, bytes) in changes {
        let at = at as usize % (segment.len() - bytes.len());
        is_header_intact &= at >= HEADER_BYTES;
        segment[at..at + bytes.len()].copy_from_slice(&bytes);
    }
    craig_search::fuzzing::search_segment(&FOLDER, &mut segment, is_header_intact);
});
