//! Properties of a file that follow from its path alone.

use crate::path::file_stem;

/// What part a file plays in its project, told from its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum PathRole {
    /// Product code.
    Source,
    /// Tests, fixtures, mocks.
    Test,
    /// Examples, samples, demos, benchmarks.
    Example,
    /// Vendored code.
    Vendored,
    /// Declarations without code: `.d.ts`, `.pyi`.
    Stub,
    /// A file that mostly passes on the names of others: `index.ts`, `__init__.py`, `mod.rs`.
    Barrel,
}

impl PathRole {
    /// All roles, in the order of their numbers.
    pub const ALL: [Self; 6] =
        [Self::Source, Self::Test, Self::Example, Self::Vendored, Self::Stub, Self::Barrel];

    /// The role that follows from a path.
    pub fn from_path(path: &str) -> Self {
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

/// Further properties that a path tells, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathTraits(u8);

impl PathTraits {
    /// The variant of one platform other than Unix.
    pub const OTHER_PLATFORM: Self = Self(1);
    /// Not meant to be used from outside.
    pub const INTERNAL: Self = Self(2);
    /// Newer code takes its place.
    pub const LEGACY: Self = Self(4);
    /// Named as a place where a program or library begins.
    pub const ENTRY: Self = Self(8);
    /// Named as a collection of types.
    pub const TYPES: Self = Self(16);

    /// The properties that follow from a path.
    pub fn from_path(path: &str) -> Self {
        let lower = path.to_lowercase();
        let stem = file_stem(&lower);
        let parts = || lower.split('/').map(|part| part.split('.').next().unwrap_or_default());
        let folders = || lower.rsplit('/').skip(1);
        let is_other_platform = folders().any(|folder| PLATFORM_FOLDERS.contains(&folder))
            || PLATFORM_ENDINGS.iter().any(|ending| stem.ends_with(ending));
        let is_internal = parts()
            .any(|part| INTERNAL_PARTS.contains(&part) || part.starts_with('_') && !part.starts_with("__"));
        [
            (Self::OTHER_PLATFORM, is_other_platform),
            (Self::INTERNAL, is_internal),
            (Self::LEGACY, parts().any(|part| LEGACY_PARTS.contains(&part))),
            (Self::ENTRY, ENTRY_STEMS.contains(&stem)),
            (Self::TYPES, parts().rev().take(2).any(|part| TYPE_PARTS.contains(&part))),
        ]
        .into_iter()
        .filter(|&(_, holds)| holds)
        .fold(Self::default(), |all, (one, _)| Self(all.0 | one.0))
    }

    /// Reads what [`PathTraits::bits`] returned.
    pub fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// One bit for each property.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Whether all properties of `other` hold.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

const PLATFORM_FOLDERS: &[&str] = &["win", "windows", "win32", "wasm", "wasi", "os2", "vms", "amiga"];
const PLATFORM_ENDINGS: &[&str] = &["_win", "_windows", "-win", "-windows", "_win32"];
const INTERNAL_PARTS: &[&str] = &["internal", "internals", "private", "impl", "detail", "details"];
const LEGACY_PARTS: &[&str] =
    &["deprecated", "legacy", "compat", "_compat", "old", "v1", "obsolete", "attic", "polyfill", "polyfills"];
const ENTRY_STEMS: &[&str] = &[
    "main",
    "app",
    "application",
    "lib",
    "core",
    "index",
    "init",
    "__init__",
    "__main__",
    "mod",
    "base",
    "server",
    "cli",
];
const TYPE_PARTS: &[&str] = &["types", "typing", "typings", "interfaces"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_told_from_paths() {
        for (path, role) in [
            ("src/auth.rs", PathRole::Source),
            ("src/latest.py", PathRole::Source),
            ("pkg/auth_test.go", PathRole::Test),
            ("tests/a.rs", PathRole::Test),
            ("src/UserServiceTest.java", PathRole::Test),
            ("lib/x.spec.ts", PathRole::Test),
            ("vendor/lib/a.c", PathRole::Vendored),
            ("examples/hello.rs", PathRole::Example),
            ("types/index.d.ts", PathRole::Stub),
            ("pkg/__init__.py", PathRole::Barrel),
        ] {
            assert_eq!(PathRole::from_path(path), role, "{path}");
        }
    }

    #[test]
    fn traits_are_told_from_paths() {
        let has = |path: &str, one: PathTraits| PathTraits::from_path(path).contains(one);
        assert!(
            has("src/win/tcp.c", PathTraits::OTHER_PLATFORM)
                && !has("src/unix/window.c", PathTraits::OTHER_PLATFORM)
        );
        assert!(
            has("pkg/_internal/a.py", PathTraits::INTERNAL) && !has("pkg/__init__.py", PathTraits::INTERNAL)
        );
        assert!(
            has("pydantic/v1/main.py", PathTraits::LEGACY) && has("pydantic/v1/main.py", PathTraits::ENTRY)
        );
        assert!(has("src/types/job.ts", PathTraits::TYPES) && has("src/types.ts", PathTraits::TYPES));
        assert_eq!(PathTraits::from_path("src/auth.rs"), PathTraits::default());
    }
}
