//! How a segment lies in its file: a header, then sections at 64-byte boundaries.

use bytemuck::{Pod, Zeroable};

/// Changes with every change of the layout or of what goes into a segment: older ones are rebuilt.
pub(crate) const FORMAT: u32 = 5;

/// First bytes of a segment file.
pub(crate) const MAGIC: [u8; 8] = *b"craigseg";

/// Sections in the order in which they lie in the file.
#[derive(Clone, Copy, Debug)]
#[repr(usize)]
pub(crate) enum Section {
    /// [`FileRow`]s.
    Files,
    /// [`ChunkRow`]s.
    Chunks,
    /// UTF-8 that [`TextRef`]s point into.
    Strings,
    /// Signs of the retrieval vectors, `dimensions / 64` words a chunk.
    Bits,
    /// Bytes of the chunk vectors, `dimensions` a chunk.
    Codes,
    /// Scales of the chunk vectors, one f32 a chunk.
    Scales,
    /// Bytes of the label vectors, `aspect dimensions` a chunk.
    LabelCodes,
    /// Scales of the label vectors, one f32 a chunk.
    LabelScales,
    /// Bytes of the aspect vectors, `N_ASPECTS · aspect dimensions` a file.
    AspectCodes,
    /// Scales of the aspect vectors, `N_ASPECTS` f32 a file.
    AspectScales,
    /// Term keys, ascending.
    Terms,
    /// For each term, where its list begins in the postings, u32.
    Offsets,
    /// Postings lists.
    Postings,
}

pub(crate) const N_SECTIONS: usize = 13;

/// What a file is seen as by the ranker, beside its chunks: one vector of the built-in model each.
#[derive(Clone, Copy, Debug)]
#[repr(usize)]
pub(crate) enum Aspect {
    /// The words of its path.
    Path,
    /// The words of its name.
    Name,
    /// The names that it defines.
    Symbols,
    /// Its first lines.
    Head,
    /// The mean of its chunks.
    Whole,
}

pub(crate) const N_ASPECTS: usize = 5;

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Header {
    pub(crate) magic: [u8; 8],
    pub(crate) format: u32,
    pub(crate) dimensions: u32,
    pub(crate) aspect_dimensions: u32,
    pub(crate) reserved: u32,
    /// Body terms of all chunks.
    pub(crate) n_body_tokens: u64,
    /// Start and length in bytes of each section.
    pub(crate) sections: [[u64; 2]; N_SECTIONS],
}

/// A string in [`Section::Strings`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct TextRef {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct FileRow {
    /// Id in the store.
    pub(crate) id: i64,
    pub(crate) path: TextRef,
    /// Language id.
    pub(crate) language: TextRef,
    pub(crate) first_chunk: u32,
    pub(crate) n_chunks: u32,
    /// Body terms of all its chunks.
    pub(crate) n_tokens: u32,
    /// Names of its main definitions without case and separators, line by line.
    pub(crate) main_names: TextRef,
    /// Definitions in it.
    pub(crate) n_definitions: u32,
    pub(crate) n_imports: u32,
    /// Code, docs or config: index into `FileKind`'s order.
    pub(crate) kind: u8,
    /// [`Role`] as a number.
    pub(crate) role: u8,
    pub(crate) reserved: [u8; 2],
}

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ChunkRow {
    /// File, numbered within the segment.
    pub(crate) file: u32,
    pub(crate) start_byte: u32,
    pub(crate) end_byte: u32,
    pub(crate) overlap_bytes: u32,
    pub(crate) line_start: u32,
    pub(crate) line_end: u32,
    /// Body terms.
    pub(crate) n_tokens: u32,
    pub(crate) symbol: TextRef,
    pub(crate) parent: TextRef,
    /// Index into `ChunkKind::ALL`.
    pub(crate) kind: u8,
    pub(crate) reserved: [u8; 3],
}

/// What part a file plays in its project, told from its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Role {
    /// Product code.
    Source,
    /// Tests, fixtures, mocks.
    Test,
    /// Examples, samples, demos, benchmarks.
    Example,
    /// Code of others, kept in the tree.
    Vendored,
    /// Declarations without code: `.d.ts`, `.pyi`.
    Stub,
    /// A file that mostly passes on the names of others: `index.ts`, `__init__.py`, `mod.rs`.
    Barrel,
}

impl Role {
    pub(crate) const ALL: [Self; 6] =
        [Self::Source, Self::Test, Self::Example, Self::Vendored, Self::Stub, Self::Barrel];

    pub(crate) fn of_path(path: &str) -> Self {
        let lower = path.to_lowercase();
        let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let in_folder = |names: &[&str]| folders.split('/').any(|folder| names.contains(&folder));
        let stem = name.split('.').next().unwrap_or(name);
        if in_folder(&["vendor", "vendored", "third_party", "thirdparty", "external", "extern", "deps"]) {
            Self::Vendored
        } else if in_folder(TEST_FOLDERS) || is_test_name(name, stem) || is_camel_test_name(path) {
            Self::Test
        } else if in_folder(EXAMPLE_FOLDERS) {
            Self::Example
        } else if name.ends_with(".d.ts") || name.ends_with(".pyi") || name.ends_with(".d.mts") {
            Self::Stub
        } else if BARREL_NAMES.contains(&name) {
            Self::Barrel
        } else {
            Self::Source
        }
    }
}

const TEST_FOLDERS: &[&str] = &[
    "test",
    "tests",
    "__tests__",
    "spec",
    "specs",
    "testing",
    "testdata",
    "fixtures",
    "__mocks__",
    "mocks",
    "e2e",
];
const EXAMPLE_FOLDERS: &[&str] = &[
    "example",
    "examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "playground",
    "docs",
    "doc",
];
const BARREL_NAMES: &[&str] =
    &["index.ts", "index.js", "index.tsx", "index.mjs", "__init__.py", "mod.rs", "package-info.java"];

fn is_test_name(name: &str, stem: &str) -> bool {
    stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
        || stem == "conftest"
        || name.contains(".test.")
        || name.contains(".spec.")
}

/// `FooTest.java`, `FooTests.swift`, `FooSpec.scala`: the capital keeps `latest` and `contest` out.
fn is_camel_test_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    ["Test", "Tests", "Spec", "TestCase", "IT"]
        .iter()
        .any(|end| stem.len() > end.len() && stem.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_told_from_paths() {
        for (path, role) in [
            ("src/auth.rs", Role::Source),
            ("src/latest.py", Role::Source),
            ("pkg/auth_test.go", Role::Test),
            ("tests/a.rs", Role::Test),
            ("src/UserServiceTest.java", Role::Test),
            ("lib/x.spec.ts", Role::Test),
            ("vendor/lib/a.c", Role::Vendored),
            ("examples/hello.rs", Role::Example),
            ("types/index.d.ts", Role::Stub),
            ("pkg/__init__.py", Role::Barrel),
        ] {
            assert_eq!(Role::of_path(path), role, "{path}");
        }
    }
}
