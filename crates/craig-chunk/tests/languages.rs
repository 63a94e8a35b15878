//! What each language's fixture is cut into. `UPDATE_EXPECT=1 cargo test` rewrites the snapshots.

use std::{fmt::Write, fs, path::Path};

use craig_chunk::{Outline, chunk};
use craig_source::Language;
use expect_test::{ExpectFile, expect_file};

fn check(fixture: &str, expected: ExpectFile) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(fixture);
    let text = fs::read_to_string(&path).expect("fixture is readable");
    let language = Language::from_path(fixture).expect("fixture has a known extension");
    expected.assert_eq(&shown(&chunk(language, &text)));
}

fn shown(outline: &Outline) -> String {
    let mut out = format!("{:?}\n", outline.parsed);
    let within =
        |parent: &Option<String>| parent.as_ref().map(|parent| format!(" in {parent}")).unwrap_or_default();
    for chunk in &outline.chunks {
        let name = chunk.symbol_name.as_deref().unwrap_or("-");
        let (start, end) = (chunk.line_start, chunk.line_end);
        writeln!(out, "chunk {start}-{end} {:?} {name}{}", chunk.kind, within(&chunk.parent))
            .expect("string");
    }
    for symbol in &outline.symbols {
        let (start, end) = (symbol.line, symbol.line_end);
        writeln!(out, "symbol {start}-{end} {:?} {}{}", symbol.kind, symbol.name, within(&symbol.parent))
            .expect("string");
    }
    for import in &outline.imports {
        writeln!(out, "import {} {} {:?}", import.line, import.target, import.names).expect("string");
    }
    out
}

macro_rules! fixtures {
    ($($test:ident $fixture:literal)*) => {$(
        #[test]
        fn $test() {
            check($fixture, expect_file![concat!("snapshots/", $fixture, ".txt")]);
        }
    )*};
}

fixtures! {
    typescript "sample.ts"
    tsx "sample.tsx"
    javascript "sample.js"
    python "sample.py"
    java "sample.java"
    go "sample.go"
    rust "sample.rs"
    c "sample.c"
    cpp "sample.cpp"
    csharp "Sample.cs"
    ruby "sample.rb"
    php "sample.php"
    kotlin "sample.kt"
    swift "sample.swift"
    scala "sample.scala"
    lua "sample.lua"
    bash "sample.sh"
    dart "sample.dart"
    powershell "sample.ps1"
    elixir "sample.ex"
    haskell "Sample.hs"
    zig "sample.zig"
    html "sample.html"
    css "sample.css"
    scss "sample.scss"
    json "sample.json"
    yaml "sample.yaml"
    toml "sample.toml"
    sql "sample.sql"
    vue "sample.vue"
    svelte "sample.svelte"
    astro "sample.astro"
    notebook "sample.ipynb"
    markdown "sample.md"
    restructuredtext "sample.rst"
}
