//! What part a file plays in its project, by its path: tests, examples, vendored code, generated code, documentation.
//!
//! The rules are tables: folders, names, endings. Those that hold for some languages only name the extensions.

use crate::generated::{has_generated_name, has_minified_name, is_lock_file};
use crate::path::{extension, file_stem, folder, name};

/// The part that a file plays in its project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PathRole {
    /// Product code.
    Source,
    /// Tests, and what only tests use: fixtures, mocks, snapshots.
    Test,
    /// Examples, samples, demos, benchmarks; code that lies in a folder of documentation.
    Example,
    /// Code of other projects, kept in the tree.
    Vendored,
    /// Written by a generator, as its name shows.
    Generated,
    /// Prose for readers.
    Documentation,
    /// Declarations without code: `.d.ts`, `.pyi`.
    Stub,
    /// A file that mostly re-exports names of other files: `index.ts`, `__init__.py`, `mod.rs`.
    Barrel,
}

impl PathRole {
    /// Whether it is code of the product itself: no test, example, vendored or generated code.
    pub fn is_product(self) -> bool {
        matches!(self, Self::Source | Self::Stub | Self::Barrel)
    }

    /// All roles, in the order of their numbers.
    pub const ALL: [Self; 8] = [
        Self::Source,
        Self::Test,
        Self::Example,
        Self::Vendored,
        Self::Generated,
        Self::Documentation,
        Self::Stub,
        Self::Barrel,
    ];

    /// The role of the file at `path`, relative to the project. The first that fits of vendored, generated, test, example,
    /// documentation, stub, barrel.
    pub fn from_path(path: &str) -> Self {
        let place = Place::new(path);
        match () {
            () if place.is_vendored() => Self::Vendored,
            () if place.is_generated() => Self::Generated,
            () if place.is_test() => Self::Test,
            () if place.is_example() => Self::Example,
            () if place.is_documentation() => Self::Documentation,
            () if place.is_beside_documentation() => Self::Example,
            () if STUB_ENDINGS.iter().any(|ending| place.lower_name.ends_with(ending)) => Self::Stub,
            () if BARREL_NAMES.contains(&place.lower_name.as_str()) => Self::Barrel,
            () => Self::Source,
        }
    }
}

/// Whether a path is of tests or of what only tests use, be it vendored or not.
pub fn is_test(path: &str) -> bool {
    Place::new(path).is_test()
}

/// Whether a module inside of a file is of tests by its name, as Rust's `mod tests` beside the product.
pub fn is_test_module(name: &str) -> bool {
    matches!(name, "test" | "tests")
}

/// Folders of code of other projects.
const VENDORED_FOLDERS: &[&str] = &[
    "vendor",
    "vendored",
    "_vendor",
    "third_party",
    "third-party",
    "thirdparty",
    "3rdparty",
    "3rd-party",
    "3rd_party",
    "external",
    "externals",
    "extern",
    "deps",
    "node_modules",
    "bower_components",
    "site-packages",
    "godeps",
    "pods",
    "carthage",
];

/// Folders of generated code.
const GENERATED_FOLDERS: &[&str] = &["generated", "__generated__", "_generated"];

/// Folders of what bundlers write, with the endings of that: `runtime/pack/dist` of Vim has code of its own.
const BUNDLE_FOLDER: &str = "dist";
const BUNDLE_EXTENSIONS: &[&str] = &["js", "mjs", "cjs", "css"];

/// Folders of tests, and of what only tests use. `testing` is not among them: libraries for tests are called that.
const TEST_FOLDERS: &[&str] = &[
    "test",
    "tests",
    "__test__",
    "__tests__",
    "unittests",
    "e2e",
    "cypress",
    "testdata",
    "test-data",
    "test_data",
    "testfixtures",
    "test-fixtures",
    "test_fixtures",
    "fixtures",
    "__fixtures__",
    "mocks",
    "__mocks__",
    "__snapshots__",
];

/// Folders of RSpec and its likes, and the extensions of languages in which they are of specifications.
const SPEC_FOLDERS: &[&str] = &["spec", "specs"];
const EXTENSIONS_WITHOUT_SPECS: &[&str] = &["rs"];

/// Last words of names of folders and files of tests, after `-`, `_` or `.`: `shop-tests`, `Shop.Tests`, `cart_test.go`.
const TEST_WORDS: &[&str] = &["test", "tests", "spec", "specs", "unittest", "unittests"];

/// First word of names of folders of tests: `tests_e2e`. `test_runner` is more often a test runner.
const TESTS_PREFIX: &str = "tests_";

/// Last words of names of folders that begin with a capital: `androidTest`, `ShopUITests`.
const CAPITAL_TEST_FOLDERS: &[&str] = &["Test", "Tests"];

/// Whole names of files, without extension. `Test.java` is an annotation.
const TEST_STEMS: &[&str] = &["test", "tests", "conftest"];

/// Folders in which `test.rs` is a command called `test`.
const COMMAND_FOLDERS: &[&str] = &["command", "commands", "subcommands", "cmd"];

/// First word of names of tests. `test-run.ts` is more often a part of a test runner.
const TEST_PREFIX: &str = "test_";

/// Parts of names between dots: `cart.test.ts`, `cart.cy.js`.
const TEST_PARTS: &[&str] = &["test", "tests", "spec", "specs", "e2e", "cy", "test-d"];

/// Files whose `.spec.` is a specification: `petstore.spec.yaml`.
const SPECIFICATION_EXTENSIONS: &[&str] = &["json", "yaml", "yml", "md"];

/// Endings of names that begin with a capital, each with the extensions where it means a test; an empty list means all.
const CAPITAL_TEST_ENDINGS: &[(&str, &[&str])] = &[
    ("Test", &[]),
    ("Tests", &[]),
    ("TestCase", &[]),
    ("IT", &["java", "kt", "groovy", "scala"]),
    // `IvParameterSpec.java` and `PodSpec.cs` are products.
    ("Spec", &["scala", "kt", "groovy", "hs", "purs", "js", "jsx", "ts", "tsx", "coffee", "swift", "php"]),
    ("Specs", &["cs", "scala", "kt", "groovy", "swift"]),
    ("Suite", &["scala"]),
    ("_SUITE", &["erl"]),
];

/// Files that only test runners read.
const TEST_EXTENSIONS: &[&str] = &["t", "bats", "feature", "snap"];

/// In the layout of Maven and Gradle the product lies below this, whatever its packages are called: `com.example`, `junit.test`.
const PRODUCT_ROOT: &str = "src/main/";

/// Folders of examples and benchmarks.
const EXAMPLE_FOLDERS: &[&str] = &[
    "example",
    "examples",
    "_examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "playground",
    "docs_src",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
];

/// Last words of names of folders and files of examples: `spring-boot-samples`, `sort_bench.rs`.
const EXAMPLE_WORDS: &[&str] =
    &["example", "examples", "sample", "samples", "demo", "demos", "bench", "benchmark", "benchmarks"];

/// Whole names of files of examples, without extension, and parts between dots: `button.stories.tsx`.
const EXAMPLE_STEMS: &[&str] = &["example", "examples", "demo"];
const EXAMPLE_PARTS: &[&str] = &["example", "stories", "bench"];

/// Folders of documentation.
const DOCUMENTATION_FOLDERS: &[&str] = &["doc", "docs", "documentation"];

/// Formats of prose, and formats that are prose if the file has one of the names below.
const PROSE_EXTENSIONS: &[&str] =
    &["md", "mdx", "markdown", "rst", "adoc", "asciidoc", "rdoc", "org", "textile", "pod"];
const NAMED_PROSE_EXTENSIONS: &[&str] = &["", "txt"];
const PROSE_STEMS: &[&str] = &[
    "readme",
    "changelog",
    "changes",
    "history",
    "news",
    "contributing",
    "contributors",
    "authors",
    "maintainers",
    "license",
    "licence",
    "copying",
    "notice",
    "security",
    "todo",
];

const STUB_ENDINGS: &[&str] = &[".d.ts", ".d.mts", ".d.cts", ".pyi"];
const BARREL_NAMES: &[&str] =
    &["index.ts", "index.js", "index.tsx", "index.mjs", "__init__.py", "mod.rs", "package-info.java"];

/// A path in the parts that the rules look at.
struct Place<'p> {
    /// Folders as written, up to [`PRODUCT_ROOT`] if the path has it.
    folders: &'p str,
    is_below_product_root: bool,
    /// All folders in lower case.
    lower_folders: String,
    name: &'p str,
    lower_name: String,
}

impl<'p> Place<'p> {
    fn new(path: &'p str) -> Self {
        let (folders, name) = (folder(path), name(path));
        let is_root = |at: &usize| *at == 0 || path.as_bytes()[at - 1] == b'/';
        let product_root = path.match_indices(PRODUCT_ROOT).map(|(at, _)| at).find(is_root);
        Self {
            folders: product_root.map_or(folders, |at| &folders[..at]),
            is_below_product_root: product_root.is_some(),
            lower_folders: folders.to_ascii_lowercase(),
            name,
            lower_name: name.to_ascii_lowercase(),
        }
    }

    fn is_vendored(&self) -> bool {
        self.has_folder(&self.lower_folders, VENDORED_FOLDERS)
    }

    fn is_generated(&self) -> bool {
        self.has_folder(&self.lower_folders, GENERATED_FOLDERS)
            || is_lock_file(self.name)
            || has_minified_name(self.name)
            || has_generated_name(self.name)
            || BUNDLE_EXTENSIONS.contains(&extension(&self.lower_name))
                && self.has_folder(&self.lower_folders, &[BUNDLE_FOLDER])
    }

    fn is_test(&self) -> bool {
        let folders = self.folders.to_ascii_lowercase();
        let has_specs = !EXTENSIONS_WITHOUT_SPECS.contains(&extension(&self.lower_name));
        if self.has_folder(&folders, TEST_FOLDERS) || has_specs && self.has_folder(&folders, SPEC_FOLDERS) {
            return true;
        }
        let is_named_for_tests =
            |folder| ends_with_word(folder, TEST_WORDS) || folder.starts_with(TESTS_PREFIX);
        let has_capitals = |folder: &str| CAPITAL_TEST_FOLDERS.iter().any(|end| ends_inside(folder, end));
        !self.is_below_product_root
            && (folders.split('/').any(is_named_for_tests)
                || self.folders.split('/').any(has_capitals)
                || self.has_test_name())
    }

    fn has_test_name(&self) -> bool {
        let (lower, extension) = (self.lower_name.as_str(), extension(&self.lower_name));
        let (lower_stem, stem) = (first_part(lower), first_part(self.name));
        let is_command = || COMMAND_FOLDERS.contains(&name(&self.lower_folders));
        let is_capital = |(end, languages): &(&str, &[&str])| {
            ends_inside(stem, end) && (languages.is_empty() || languages.contains(&extension))
        };
        TEST_STEMS.contains(&stem) && !is_command()
            || lower_stem.starts_with(TEST_PREFIX)
            || ends_with_word(lower_stem, TEST_WORDS)
            || middle_parts(lower).any(|part| TEST_PARTS.contains(&part) || ends_with_word(part, TEST_WORDS))
                && !SPECIFICATION_EXTENSIONS.contains(&extension)
            || CAPITAL_TEST_ENDINGS.iter().any(is_capital)
            || TEST_EXTENSIONS.contains(&extension)
    }

    fn is_example(&self) -> bool {
        let folders = self.folders.to_ascii_lowercase();
        let stem = first_part(&self.lower_name);
        self.has_folder(&folders, EXAMPLE_FOLDERS)
            || folders.split('/').any(|folder| ends_with_word(folder, EXAMPLE_WORDS))
            || !self.is_below_product_root
                && (EXAMPLE_STEMS.contains(&stem)
                    || ends_with_word(stem, EXAMPLE_WORDS)
                    || middle_parts(&self.lower_name).any(|part| EXAMPLE_PARTS.contains(&part)))
    }

    fn is_documentation(&self) -> bool {
        let extension = extension(&self.lower_name);
        // `LICENSE-MIT`, `README.zh-CN.txt`.
        let first_word = self.lower_name.split(['-', '.']).next().unwrap_or_default();
        PROSE_EXTENSIONS.contains(&extension)
            || NAMED_PROSE_EXTENSIONS.contains(&extension)
                && (PROSE_STEMS.contains(&first_word) || self.is_beside_documentation())
    }

    fn is_beside_documentation(&self) -> bool {
        self.has_folder(&self.folders.to_ascii_lowercase(), DOCUMENTATION_FOLDERS)
    }

    fn has_folder(&self, folders: &str, names: &[&str]) -> bool {
        folders.split('/').any(|folder| names.contains(&folder))
    }
}

/// A name up to its first dot.
fn first_part(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// Parts of a name between its first dot and its last.
fn middle_parts(name: &str) -> impl Iterator<Item = &str> {
    let n_parts = name.split('.').count();
    name.split('.').take(n_parts - 1).skip(1)
}

/// Whether the last word after `-`, `_` or `.` is one of `words`, and not the first word as well.
fn ends_with_word(name: &str, words: &[&str]) -> bool {
    name.rsplit_once(['-', '_', '.']).is_some_and(|(_, last)| words.contains(&last))
}

/// Whether a name ends with `end`, and is not `end` itself.
fn ends_inside(name: &str, end: &str) -> bool {
    name.len() > end.len() && name.ends_with(end)
}

/// Further properties that a path implies, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathTraits(u8);

impl PathTraits {
    /// The variant of one platform other than Unix.
    pub const OTHER_PLATFORM: Self = Self(1);
    /// Not meant to be used from outside.
    pub const INTERNAL: Self = Self(2);
    /// Superseded by newer code.
    pub const LEGACY: Self = Self(4);
    /// Named as a place where a program or library begins.
    pub const ENTRY: Self = Self(8);
    /// Named as a collection of types.
    pub const TYPES: Self = Self(16);

    /// The properties that `path` implies.
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

    /// The inverse of [`PathTraits::bits`].
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

    /// Paths of real projects by role.
    const PATHS: &[(PathRole, &[&str])] = &[
        (
            PathRole::Source,
            &[
                "src/auth.rs",
                "lib/latest.py",
                "contest/rank.py",
                "src/attest.rs",
                "src/inspector.rs",
                "src/specific.ts",
                "yazi-shared/src/spec/url.rs",
                "packages/tests-runner.ts",
                "src/test_runner/run.py",
                "packages/testing/src/module.ts",
                "pandas/testing.py",
                "src/vendor_api.rs",
                "src/vendoring.rs",
                "cargo/src/bin/cargo/commands/test.rs",
                "src/main/java/org/junit/Test.java",
                "spring-test/src/main/java/org/springframework/test/context/TestContext.java",
                "src/main/java/com/example/demo/DemoApplication.java",
                "src/main/java/javax/crypto/spec/IvParameterSpec.java",
                "Models/PodSpec.cs",
                "src/documents.ts",
                "src/history.ts",
                "internal/license.go",
                "src/generator.rs",
                "lib/mix/tasks/phx.gen.auth.ex",
                "src/benchmark_group.rs",
                "src/sampling.py",
                "src/node/test-run.ts",
                "src/external_sort.cc",
                "runtime/pack/dist/opt/matchit/autoload/matchit.vim",
                "build/webpack.config.js",
                ".github/workflows/ci.yml",
            ],
        ),
        (
            PathRole::Test,
            &[
                "src/__tests__/cart.js",
                "src/__test__/cart.ts",
                "Shop.Tests/CartTests.cs",
                "Shop.UnitTests/Cart.cs",
                "src/test/java/com/shop/CartTest.java",
                "src/CartTest.java",
                "core/CartIT.java",
                "pkg/auth_test.go",
                "tests/test_cart.py",
                "shop/test_cart.py",
                "shop/tests.py",
                "conftest.py",
                "src/cart.spec.ts",
                "src/cart.test.tsx",
                "src/cart.e2e-spec.ts",
                "cypress/integration/cart.cy.js",
                "src/cart.cy.ts",
                "src/index.test-d.ts",
                "spec/models/cart_spec.rb",
                "spec/spec_helper.rb",
                "testdata/input.json",
                "pkg/testdata/a.go",
                "test/fixtures/cart.yml",
                "__fixtures__/cart.json",
                "src/__mocks__/fs.js",
                "src/__snapshots__/cart.test.ts.snap",
                "Tests/ShopTests/CartTests.swift",
                "ShopUITests/Launch.swift",
                "app/src/androidTest/kotlin/Cart.kt",
                "core/src/commonTest/kotlin/Cart.kt",
                "modules/core/src/test/scala/CartSuite.scala",
                "core/CartSpec.scala",
                "src/CartSpec.hs",
                "tests/Unit/CartTest.php",
                "tests/TestCase.php",
                "test/cart_test.exs",
                "lib/cart_test.dart",
                "base/cart_unittest.cc",
                "llvm/unittests/ADT/MapTest.cpp",
                "test/test-fs-read.c",
                "t/basic.t",
                "tests/testthat/test-cart.R",
                "test/runtests.jl",
                "cart_SUITE.erl",
                "tests/cart.bats",
                "features/cart.feature",
                "integration-tests/cart.py",
                "my_project_tests/cart.rs",
                "e2e/login.ts",
                "src/parser/tests.rs",
                "src/setupTests.ts",
                "bookmarks/tests_e2e/helpers.py",
                "spec/support.js",
            ],
        ),
        (
            PathRole::Example,
            &[
                "examples/hello.rs",
                "example/main.go",
                "_examples/rest/main.go",
                "samples/app.kt",
                "spring-boot-samples/web/App.java",
                "Shop.Samples/Program.cs",
                "demo/index.html",
                "docs_src/first_steps/tutorial001.py",
                "benches/parse.rs",
                "benchmarks/run.py",
                "src/sort_bench.rs",
                "src/sort.bench.ts",
                "src/Button.stories.tsx",
                "playground/main.ts",
                "packages/core/useMouse/demo.vue",
                "examples/README.md",
                "docs/conf.py",
            ],
        ),
        (
            PathRole::Vendored,
            &[
                "vendor/github.com/pkg/errors/errors.go",
                "third_party/zlib/inflate.c",
                "3rdparty/json.hpp",
                "node_modules/react/index.js",
                "web/node_modules/jest/test/a.test.js",
                "deps/lua/src/lapi.c",
                "extern/pybind11/setup.py",
                "lib/python3.12/site-packages/requests/api.py",
                "ios/Pods/Alamofire/Request.swift",
            ],
        ),
        (
            PathRole::Generated,
            &[
                "api/cart.pb.go",
                "api/cart.pb.gw.go",
                "api/cart_pb2.py",
                "api/cart_pb2_grpc.py",
                "lib/cart.g.dart",
                "lib/cart.freezed.dart",
                "Forms/Main.Designer.cs",
                "Data/Migrations/CatalogContextModelSnapshot.cs",
                "src/routeTree.gen.ts",
                "src/api.generated.ts",
                "src/graphql/__generated__/types.ts",
                "pkg/apis/v1/zz_generated.deepcopy.go",
                "ent/schema_gen.go",
                "pkg/client/generated/cart.go",
                "static/jquery.min.js",
                "dist/index.js",
                "dist/app.js.map",
                "Cargo.lock",
                "web/package-lock.json",
                "go.sum",
            ],
        ),
        (
            PathRole::Documentation,
            &[
                "README.md",
                "README",
                "packages/core/Readme.rst",
                "CHANGELOG.md",
                "CHANGES.txt",
                "LICENSE",
                "docs/guide.md",
                "LICENSE-MIT",
                "doc/api.txt",
                "src/design.md",
            ],
        ),
        (PathRole::Stub, &["types/index.d.ts", "lib/cart.pyi"]),
        (PathRole::Barrel, &["pkg/__init__.py", "src/index.ts", "src/net/mod.rs"]),
    ];

    #[test]
    fn paths_of_many_ecosystems_have_their_roles() {
        let wrong: Vec<String> = PATHS
            .iter()
            .flat_map(|(role, paths)| paths.iter().map(move |path| (*role, *path)))
            .filter(|(role, path)| PathRole::from_path(path) != *role)
            .map(|(role, path)| format!("{path}: {:?} instead of {role:?}", PathRole::from_path(path)))
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn vendored_tests_are_tests_all_the_same() {
        assert!(is_test("vendor/lib/a_test.go") && !is_test("vendor/lib/a.go"));
        assert!(is_test("api/fixtures/cart.pb.go"));
    }

    #[test]
    fn paths_imply_traits() {
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
