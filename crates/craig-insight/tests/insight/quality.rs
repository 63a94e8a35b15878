//! Functions, clones, long files, notes and tests of tiny projects.

use craig_insight::{Quality, quality_of_texts};
use expect_test::{Expect, expect};

use crate::fixture::{borrowed, files};

fn quality(fixture: &str) -> Quality {
    quality_of_texts(borrowed(&files(fixture)))
}

fn check(fixture: &str, part: impl Fn(&Quality) -> String, expect: Expect) {
    expect.assert_eq(&part(&quality(fixture)));
}

fn functions(found: &Quality) -> String {
    let line = |one: &craig_insight::Function| {
        format!(
            "{}:{}-{} {}({}) complexity {} nesting {} lines {}\n",
            one.file,
            one.line_start,
            one.line_end,
            one.name,
            one.parameters,
            one.complexity,
            one.nesting,
            one.lines
        )
    };
    found.functions.iter().map(line).collect()
}

fn clones(found: &Quality) -> String {
    let mut out = format!("{} lines, {}%\n", found.duplication.duplicated_lines, found.duplication.percent);
    for clone in &found.duplication.clones {
        let places: Vec<String> = clone
            .places
            .iter()
            .map(|place| format!("{}:{}-{}", place.file, place.line_start, place.line_end))
            .collect();
        let tests = if clone.in_tests { " in tests" } else { "" };
        out.push_str(&format!("{} lines{tests}: {}\n", clone.lines, places.join(" ")));
    }
    out
}

fn notes(found: &Quality) -> String {
    let mut out = format!("{} notes\n", found.notes.total);
    for note in &found.notes.places {
        out.push_str(&format!("{}:{} {} {:?}\n", note.file, note.line, note.tag, note.text));
    }
    for file in &found.notes.files {
        out.push_str(&format!("{} in {}\n", file.count, file.file));
    }
    out
}

fn tests(found: &Quality) -> String {
    let line = |module: &craig_insight::ModuleTests| {
        format!(
            "{}: {} of {} files tested, {} lines, {} test files, {} test lines\n",
            module.module,
            module.tested_files,
            module.files,
            module.lines,
            module.test_files,
            module.test_lines
        )
    };
    found.tests.iter().map(line).collect()
}

#[test]
fn functions_are_ordered_by_complexity_and_length() {
    check(
        r#"
//- /a.rs
fn plain() {}
fn branches(a: bool, b: bool) {
    if a && b {
        loop { if b { break } }
    }
}
//- /b.py
def longer(x):
    y = x
    return y

def shorter(x): return x
"#,
        functions,
        expect![[r#"
            a.rs:2-6 branches(2) complexity 4 nesting 3 lines 5
            b.py:1-3 longer(1) complexity 1 nesting 0 lines 3
            a.rs:1-1 plain(0) complexity 1 nesting 0 lines 1
            b.py:5-5 shorter(1) complexity 1 nesting 0 lines 1
        "#]],
    );
}

#[test]
fn sums_are_of_code_alone() {
    let complex: String = (0..12).map(|at| format!("    if x == {at} {{ return {at} }}\n")).collect();
    let found = quality(&format!(
        "//- /a.rs\nfn many(x: u32) -> u32 {{\n{complex}    0\n}}\nfn one() {{}}\n//- /tests/a_test.rs\nfn t() {{}}\n\n//- /README.md\n# no code\n//- /a.json\n{{}}\n"
    ));
    let json = serde_json::to_string_pretty(&found.summary).unwrap();
    expect![[r#"
        {
          "files": 2,
          "lines": 18,
          "functions": 3,
          "complexity_mean": 5.0,
          "complexity_p90": 13,
          "complex_functions": 1,
          "function_lines_mean": 5.67,
          "test_files": 1,
          "test_lines_ratio": 0.13
        }"#]]
    .assert_eq(&json);
    assert!(found.not_parsed.is_empty());
}

#[test]
fn an_empty_project_has_sums_of_zero() {
    let summary = quality("").summary;
    assert_eq!((summary.files, summary.functions, summary.complexity_p90), (0, 0, 0));
    assert_eq!((summary.complexity_mean, summary.test_lines_ratio), (0.0, 0.0));
}

/// Fourteen lines with a name in them.
fn block(name: &str) -> String {
    (0..14).map(|at| format!("    let {name}_{at} = compute({name}, {at}) + other({at});\n")).collect()
}

#[test]
fn copied_code_is_found_wherever_it_stands() {
    let code = block("x");
    check(
        &format!(
            "//- /a.rs\nfn first() {{\n{code}}}\n//- /b.rs\nfn unrelated() {{}}\nfn second() {{\n{code}}}\n//- /c.rs\nfn third() {{\n{}}}\n",
            block("y")
        ),
        clones,
        expect![[r#"
            32 lines, 65.31%
            16 lines: a.rs:1-16 b.rs:2-17
        "#]],
    );
}

#[test]
fn blanks_comments_and_literals_do_not_hide_a_copy() {
    let code = block("x");
    let other = code
        .replace("    let", "\tlet")
        .replace(" + ", "  +\n        ")
        .replace("compute", "/* why */ compute");
    let other: String = other.lines().map(|line| format!("{line} // a comment\n")).collect();
    let other = other.replace("0)", "100)");
    check(
        &format!("//- /a.rs\nfn f() {{\n{code}}}\n//- /b.rs\nfn g() {{\n{other}}}\n"),
        clones,
        expect![[r#"
            46 lines, 100%
            16 lines: a.rs:1-16 b.rs:1-30
        "#]],
    );
}

#[test]
fn copies_within_a_file_and_in_three_places_are_one_clone() {
    let code = block("x");
    check(
        &format!("//- /a.py\ndef f():\n{code}\ndef g():\n{code}\n//- /b.py\ndef h():\n{code}\n"),
        clones,
        expect![[r#"
            45 lines, 93.75%
            15 lines: a.py:1-15 a.py:17-31 b.py:1-15
        "#]],
    );
}

#[test]
fn imports_and_short_repetitions_are_no_clones() {
    let imports: String = (0..40).map(|at| format!("import {{ a{at} }} from \"./a{at}\"\n")).collect();
    let uses: String = (0..40).map(|at| format!("use crate::a{at}::{{b, c}};\n")).collect();
    check(
        &format!("//- /a.rs\n{uses}//- /b.rs\n{uses}"),
        clones,
        expect![[r#"
        0 lines, 0%
    "#]],
    );
    check(
        &format!("//- /a.ts\n{imports}f()\n//- /b.ts\n{imports}g()\n"),
        clones,
        expect![[r#"
        0 lines, 0%
    "#]],
    );
    check(
        "//- /a.ts\nf(1, 2, 3)\ng()\n//- /b.ts\nf(1, 2, 3)\ng()\n",
        clones,
        expect![[r#"
        0 lines, 0%
    "#]],
    );
}

#[test]
fn clones_of_tests_come_last() {
    let (code, test) = (block("x"), block("a_longer_name"));
    check(
        &format!(
            "//- /tests/a_test.rs\nfn f() {{\n{test}{test}}}\n//- /tests/b_test.rs\nfn g() {{\n{test}{test}}}\n//- /src/a.rs\nfn f() {{\n{code}}}\n//- /src/b.rs\nfn g() {{\n{code}}}\n"
        ),
        clones,
        expect![[r#"
            32 lines, 100%
            16 lines: src/a.rs:1-16 src/b.rs:1-16
            30 lines in tests: tests/a_test.rs:1-30 tests/b_test.rs:1-30
            14 lines in tests: tests/a_test.rs:2-15 tests/a_test.rs:16-29 tests/b_test.rs:2-15 tests/b_test.rs:16-29
        "#]],
    );
}

fn sums(found: &Quality) -> String {
    let duplication = &found.duplication;
    format!(
        "product {} lines {}%, tests {} lines {}%\n",
        duplication.duplicated_lines,
        duplication.percent,
        duplication.test_duplicated_lines,
        duplication.test_percent
    )
}

#[test]
fn lists_of_similar_literals_are_no_copies_of_themselves() {
    let items = |one: &str| -> String { (0..80).map(|n| one.replace("N", &n.to_string())).collect() };
    for (path, text) in [
        (
            "a.ts",
            format!(
                "export const LIST = [\n{}];\n",
                items("  { id: N, name: 'name N', tags: ['a', 'b'] },\n")
            ),
        ),
        (
            "a.py",
            format!("LIST = [\n{}]\n", items("    {\n        'id': N,\n        'name': 'N',\n    },\n")),
        ),
        ("a.go", format!("package a\n\nvar list = []item{{\n{}}}\n", items("\t{id: N, name: \"N\"},\n"))),
    ] {
        let found = quality_of_texts([(path, text.as_str())]);
        assert_eq!(
            (clones(&found), found.duplication.duplicated_lines),
            ("0 lines, 0%\n".to_owned(), 0),
            "{path}"
        );
        let twice = quality_of_texts([(path, text.as_str()), ("b/other.ts", text.as_str())]);
        assert_eq!(clones(&twice), "0 lines, 0%\n", "{path}");
    }
}

#[test]
fn places_of_a_clone_share_no_line() {
    let one = block("x").replace('\n', " ");
    let text = format!("fn all() {{\n{}\n}}\n", vec![one; 4].join("\n\n\n\n\n\n\n"));
    let found = quality_of_texts([("a.rs", text.as_str())]);
    for clone in &found.duplication.clones {
        for pair in clone.places.windows(2).filter(|pair| pair[0].file == pair[1].file) {
            assert!(pair[0].line_end < pair[1].line_start, "{:?}", clone.places);
        }
    }
}

#[test]
fn copies_in_tests_are_counted_apart() {
    let (block, other) = (block("total"), block("total").replace("item", "thing"));
    let tests = format!("fn product() {{}}\n#[cfg(test)]\nmod tests {{\n{other}}}\n");
    check(
        &format!(
            "//- /a.rs\n{block}//- /b.rs\n{block}//- /c.rs\n{tests}//- /tests/c.rs\n{other}//- /tests/d.rs\n{other}"
        ),
        sums,
        expect![[r#"
            product 28 lines 96.55%, tests 42 lines 93.33%
        "#]],
    );
}

#[test]
fn long_files_are_listed_longest_first() {
    let lines = |n: usize| "fn f() {}\n".repeat(n);
    let found = quality(&format!(
        "//- /short.rs\n{}//- /long.rs\n{}//- /longest.py\n{}",
        lines(500),
        lines(501),
        "x = 1\n".repeat(600)
    ));
    let long: Vec<_> =
        found.long_files.iter().map(|file| (file.file.as_str(), file.lines, file.functions)).collect();
    assert_eq!(long, [("longest.py", 600, 0), ("long.rs", 501, 501)]);
}

#[test]
fn notes_are_tags_in_comments() {
    check(
        r#"
//- /a.rs
// TODO: first
let x = 1; // FIXME later */
let todo = "TODO in a string";
/* XXX
 * HACK: inside
 */
fn TODO_not_a_word() {}
// todo in lower case
//- /b.py
# TODO(alice): with a name
"""
HACK in a docstring
"""
//- /c.sql
-- FIXME
"#,
        notes,
        expect![[r#"
            7 notes
            a.rs:1 TODO "first"
            a.rs:2 FIXME "later"
            a.rs:4 XXX ""
            a.rs:5 HACK "inside"
            b.py:1 TODO "(alice): with a name"
            b.py:3 HACK "in a docstring"
            c.sql:1 FIXME ""
            4 in a.rs
            2 in b.py
            1 in c.sql
        "#]],
    );
}

#[test]
fn text_inside_of_strings_holds_no_notes() {
    check(
        r##"
//- /a.rs
const A: &str = r#"
// TODO in a raw string
"#; // TODO one
//- /b.py
TEXT = """
# TODO in a string
"""
def f():
    """TODO two"""
    return f"# TODO {TEXT}"
//- /c.ts
const a = `
// TODO in a template
/* FIXME in a template */
`
const b = "http://x/TODO" // TODO three
const c = /\/\/ TODO/
//- /d.go
package d

var text = `
// TODO in a raw string
`

/* TODO four */
//- /E.java
class E { String a = """
  // TODO in a text block
  """; /* FIXME five */ }
//- /f.rb
a = <<~TEXT
  # TODO in a here document
TEXT
b = "#{a} # TODO" # TODO six
//- /g.php
<?php
$a = <<<EOT
// TODO in a here document
EOT;
# TODO seven
//- /H.kt
val a = """
// TODO in a raw string
""" // TODO eight
//- /I.cs
class I { string a = @"
// TODO in a verbatim string
"; /* TODO nine */ }
//- /j.sh
cat <<EOF
# TODO in a here document
EOF
echo "# TODO" # TODO ten
//- /k.dart
import 'a.dart'; // TODO eleven
var a = '''
// TODO in a string
''';
//- /l.swift
let a = """
// TODO in a string
"""
// TODO twelve
//- /m.vue
<template><!-- TODO thirteen --></template>
<script>
const a = "// TODO in a string" // TODO fourteen
</script>
//- /n.lua
local a = [[
-- TODO in a string
]] -- TODO fifteen
//- /o.cpp
auto a = R"(
// TODO in a raw string
)"; // TODO sixteen
"##,
        notes,
        expect![[r#"
            16 notes
            E.java:3 FIXME "five"
            H.kt:3 TODO "eight"
            I.cs:3 TODO "nine"
            a.rs:3 TODO "one"
            b.py:5 TODO "two"
            c.ts:5 TODO "three"
            d.go:7 TODO "four"
            f.rb:4 TODO "six"
            g.php:5 TODO "seven"
            j.sh:4 TODO "ten"
            k.dart:1 TODO "eleven"
            l.swift:4 TODO "twelve"
            m.vue:1 TODO "thirteen"
            m.vue:3 TODO "fourteen"
            n.lua:3 TODO "fifteen"
            o.cpp:3 TODO "sixteen"
            2 in m.vue
            1 in E.java
            1 in H.kt
            1 in I.cs
            1 in a.rs
            1 in b.py
            1 in c.ts
            1 in d.go
            1 in f.rb
            1 in g.php
            1 in j.sh
            1 in k.dart
            1 in l.swift
            1 in n.lua
            1 in o.cpp
        "#]],
    );
}

#[test]
fn a_file_is_tested_if_a_test_imports_or_mirrors_it() {
    check(
        r#"
//- /src/cart.ts
export const a = 1
//- /src/cart.test.ts
test()
//- /src/price.ts
export const b = 1
//- /lib/inner.rs
fn f() {}
#[cfg(test)]
mod tests {}
//- /lib/other.rs
fn g() {}
//- /py/order.py
x = 1
//- /py/conf.py
x = 1
//- /py/tests/conftest.py
y = 1
//- /py/tests/test_order.py
y = 1
//- /java/src/main/java/Cart.java
class Cart {}
//- /java/src/test/java/CartTest.java
class CartTest {}
//- /web/a/index.ts
export const a = 1
//- /web/a/index.test.ts
test()
//- /web/b/index.ts
export const b = 1
//- /web/c/view.ts
export const c = 1
//- /web/d/index.test.ts
import { c } from "../c/view"
//- /php/Console/Sync.php
class Sync {}
//- /php/tests/Feature/Console/SyncTest.php
class SyncTest {}
//- /php/Other/Sync.php
class Sync {}
//- /db/AlbumFactory.php
class AlbumFactory {}
//- /js/albumFactory.ts
export const f = 1
//- /js/tests/helpers/config.ts
export const config = 1
//- /js/config.ts
export const config = 2
//- /src/routes.gen.ts
export const routes = 1
"#,
        tests,
        expect![[r#"
            db: 0 of 1 files tested, 1 lines, 0 test files, 0 test lines
            java/src/main: 1 of 1 files tested, 1 lines, 0 test files, 0 test lines
            java/src/test: 0 of 0 files tested, 0 lines, 1 test files, 1 test lines
            js: 0 of 2 files tested, 2 lines, 0 test files, 0 test lines
            js/tests: 0 of 0 files tested, 0 lines, 1 test files, 1 test lines
            lib: 1 of 2 files tested, 4 lines, 0 test files, 0 test lines
            php/Console: 1 of 1 files tested, 1 lines, 0 test files, 0 test lines
            php/Other: 0 of 1 files tested, 1 lines, 0 test files, 0 test lines
            php/tests: 0 of 0 files tested, 0 lines, 1 test files, 1 test lines
            py: 1 of 2 files tested, 2 lines, 0 test files, 0 test lines
            py/tests: 0 of 0 files tested, 0 lines, 2 test files, 2 test lines
            src: 1 of 2 files tested, 2 lines, 1 test files, 1 test lines
            web/a: 1 of 1 files tested, 1 lines, 1 test files, 1 test lines
            web/b: 0 of 1 files tested, 1 lines, 0 test files, 0 test lines
            web/c: 1 of 1 files tested, 1 lines, 0 test files, 0 test lines
            web/d: 0 of 0 files tested, 0 lines, 1 test files, 1 test lines
        "#]],
    );
}
