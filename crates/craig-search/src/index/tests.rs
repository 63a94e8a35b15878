use std::path::Path;

use craig_source::FileType;
use craig_store::{FileRecord, StoredChunk, TextHash};
use proptest::prelude::*;

use super::*;
use crate::segment::forge;
use crate::{CandidateFeatures, Required, SearchOptions};

const QUERIES: [&str; 3] = ["how is a token revoked", "CircleArea", "docs guide of shapes"];

/// The bytes of a segment file with a few files.
fn segment(folder: &Path) -> Vec<u8> {
    let dimensions = StaticModel::builtin().dimensions().unwrap();
    let mut builder = SegmentBuilder::new(dimensions, N_IVF_LISTS);
    for number in 0..24 {
        let text = format!(
            "/// Takes token {number} back.\npub fn revoke_{number}(token: &Token) {{\n    store.remove(token);\n}}\n\n\
             pub struct CircleArea{number};\n",
        );
        builder.add(FileTerms::new(
            file(number, &format!("src/part{}/token_{number}.rs", number % 3), &text),
            dimensions,
            true,
        ));
    }
    let path = folder.join("000000.seg");
    builder.write(&path).unwrap();
    fs::read(path).unwrap()
}

fn file(id: u64, path: &str, text: &str) -> StoredFile {
    let language = craig_source::language(path, text);
    let outline = craig_chunk::chunk(language, text);
    let chunk = |chunk: &craig_chunk::Chunk| StoredChunk {
        start_byte: chunk.bytes.start as u32,
        end_byte: chunk.bytes.end as u32,
        overlap_bytes: chunk.overlap_bytes as u32,
        line_start: chunk.line_start,
        line_end: chunk.line_end,
        kind: chunk.kind,
        symbol_name: chunk.symbol_name.clone(),
        parent: chunk.parent.clone(),
        text_hash: TextHash::new(chunk.text(text)),
        vector: Some(StaticModel::builtin().document(chunk.text(text)).quantized()),
    };
    StoredFile {
        record: FileRecord {
            id: FileId::from_u64(id),
            path: path.to_owned(),
            is_binary: false,
            language,
            kind: language.kind(),
            file_type: FileType::Text,
            withheld: None,
            size: text.len() as u64,
            file_hash: String::new(),
            text_hash: None,
        },
        chunks: outline.chunks.iter().map(chunk).collect(),
        text: text.to_owned(),
        symbols: outline.symbols,
        imports: outline.imports,
        parsed: outline.parsed,
    }
}

/// Answers from the segment to some queries, if it can be opened, and again with most of its files removed.
fn answers(bytes: &[u8], checksum: u64) -> Option<Vec<Result<Vec<String>, SearchError>>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("000000.seg");
    fs::write(&path, bytes).unwrap();
    let dimensions = StaticModel::builtin().dimensions().unwrap();
    let mut answers = Vec::new();
    for removed in [vec![], (1..20).collect()] {
        let entry = SegmentEntry { file: "000000.seg".to_owned(), checksum, removed };
        let index = Index::from_segments(vec![LiveSegment::open(folder.path(), &entry, dimensions).ok()?], 0);
        for query in QUERIES {
            let found = index.candidates(query, StaticModel::builtin(), &SearchOptions::default());
            let line =
                |found: &CandidateFeatures| format!("{} {:?} {:?}", found.path, found.lines, found.features);
            answers.push(found.map(|found| found.iter().map(line).collect()));
        }
        let with = index.files_with(&Required::Text(b"token_17".to_vec()));
        answers.push(with.map(|files| files.iter().map(|file| format!("{file:?}")).collect()));
    }
    Some(answers)
}

/// A place in a segment: a section and a share of its length, so that small sections are hit as often as large ones.
fn place() -> impl Strategy<Value = (usize, f64)> {
    (0usize..19, 0.0..1.0)
}

fn position(segment: &[u8], (section, share): (usize, f64)) -> usize {
    // The header counts as one.
    let sections = forge::sections(segment);
    let range = sections.get(section).cloned().unwrap_or(0..300);
    range.start + ((range.len() as f64 * share) as usize).min(range.len().saturating_sub(1))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_changed_segment_answers_as_before_or_reports_damage(at in place(), bits in 1u8..) {
        let folder = tempfile::tempdir().unwrap();
        let sound = segment(folder.path());
        let mut damaged = sound.clone();
        let checksum = forge::seal(&mut damaged);
        prop_assert!(damaged == sound, "a forged segment is sealed like a genuine one");
        let right = answers(&sound, checksum).unwrap();
        damaged[position(&sound, at)] ^= bits;
        for (answer, right) in answers(&damaged, checksum).unwrap_or_default().iter().zip(&right) {
            match answer {
                Ok(answer) => prop_assert_eq!(answer, right.as_ref().unwrap()),
                Err(error) => prop_assert!(matches!(error, SearchError::Damaged { .. }), "{error}"),
            }
        }
    }

    #[test]
    fn reading_arbitrary_segments_terminates(
        changes in proptest::collection::vec((place(), any::<[u8; 4]>(), 1usize..5), 1..12),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut forged = segment(folder.path());
        for (at, bytes, n_bytes) in changes {
            // The section table stays as it is: to seal the segment, its sections have to be inside the file.
            let at = position(&forged, at).max(328);
            let end = (at + n_bytes).min(forged.len());
            forged[at..end].copy_from_slice(&bytes[..end - at]);
        }
        let checksum = forge::seal(&mut forged);
        answers(&forged, checksum);
    }

    #[test]
    fn arbitrary_headers_never_cause_reads_outside_the_file(at in 8usize..328, byte in any::<u8>()) {
        let folder = tempfile::tempdir().unwrap();
        let mut forged = segment(folder.path());
        forged[at] = byte;
        answers(&forged, 0);
    }
}

#[test]
fn a_manifest_names_each_segment_once_and_none_outside_its_folder() {
    let manifest = |files: &[&str]| Manifest {
        next: 9,
        segments: files
            .iter()
            .map(|file| SegmentEntry { file: (*file).to_owned(), checksum: 0, removed: Vec::new() })
            .collect(),
        ..Manifest::default()
    };
    assert!(manifest(&["000000.seg", "000008.seg"]).is_plausible());
    for bad in
        ["../000000.seg", "/etc/passwd", "0.seg", "000009.seg", "+00001.seg", "000001.seg/", ".seg", ""]
    {
        assert!(!manifest(&[bad]).is_plausible(), "{bad}");
    }
    assert!(!manifest(&["000001.seg", "000001.seg"]).is_plausible());
}

/// Product code, and a file with the same text that is a test, an example or what nobody of the project wrote.
const ROLES: &[(&str, &str)] = &[
    ("src/cart.ts", "src/__test__/cart.ts"),
    ("src/cart.ts", "src/__tests__/cart.ts"),
    ("src/cart.ts", "src/cart.spec.ts"),
    ("src/cart.ts", "src/cart.cy.ts"),
    ("Shop/Cart.cs", "Shop.Tests/Cart.cs"),
    ("Shop/Cart.cs", "Shop.IntegrationTests/Cart.cs"),
    ("shop/src/main/java/Cart.java", "shop/src/integrationTest/java/Cart.java"),
    ("shop/src/main/kotlin/Cart.kt", "shop/src/androidTest/kotlin/Cart.kt"),
    ("base/cart.cc", "base/cart_unittest.cc"),
    ("shop/cart.rs", "shop/tests.rs"),
    ("shop/cart.rs", "benches/cart.rs"),
    ("shop/cart.go", "examples/cart.go"),
    ("src/cart.js", "lib/vendor/cart.js"),
    ("src/cart.ts", "src/__generated__/cart.ts"),
];

#[test]
fn product_code_ranks_above_tests_examples_and_code_that_nobody_of_the_project_wrote() {
    let dimensions = StaticModel::builtin().dimensions().unwrap();
    let text = "// Computes the total of a cart: the sum of its prices.\nfunction cartTotal(prices) {\n    return sum(prices);\n}\n";
    for (product, other) in ROLES {
        let mut builder = SegmentBuilder::new(dimensions, N_IVF_LISTS);
        for (id, path) in (1..).zip([other, product]) {
            builder.add(FileTerms::new(file(id, path, text), dimensions, true));
        }
        let index = Index::from_segments(vec![LiveSegment::from_segment(builder.build())], 0);
        let query = "how is the total of a cart computed";
        let found = index.candidates(query, StaticModel::builtin(), &SearchOptions::default()).unwrap();
        let features: Vec<_> = found.iter().map(|candidate| candidate.features).collect();
        let scores = crate::ranker::scores(&features);
        let best = found.iter().zip(&scores).max_by(|a, b| a.1.total_cmp(b.1)).unwrap().0;
        assert_eq!((found.len(), best.path.as_str()), (2, *product), "beside {other}");
    }
}
