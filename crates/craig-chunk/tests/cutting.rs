//! How units are kept whole, taken apart, split and joined.

use std::fmt::Write;

use craig_chunk::chunk;
use craig_source::Language;
use expect_test::{Expect, expect};

fn check(language: Language, text: &str, expected: Expect) {
    let mut out = String::new();
    for chunk in chunk(language, text).chunks {
        let name = chunk.symbol_name.as_deref().unwrap_or("-");
        let parent = chunk.parent.as_ref().map(|parent| format!(" in {parent}")).unwrap_or_default();
        let overlap = if chunk.overlap_bytes > 0 { " (overlaps)" } else { "" };
        let (start, end) = (chunk.line_start, chunk.line_end);
        writeln!(out, "{start}-{end} {:?} {name}{parent}{overlap}", chunk.kind).expect("string");
    }
    expected.assert_eq(&out);
}

/// Lines of code of about 40 bytes each.
fn body(n_lines: usize) -> String {
    (0..n_lines).fold(String::new(), |text, n| format!("{text}        total = total + compute({n:03});\n"))
}

#[test]
fn a_class_that_fits_is_whole() {
    let text = format!("class Small {{\n    void run() {{\n{}    }}\n}}\n", body(20));
    check(
        Language::Java,
        &text,
        expect![[r#"
        1-24 Class Small
    "#]],
    );
}

#[test]
fn a_larger_class_is_header_and_methods_with_their_comments() {
    let text = format!(
        "class Large {{\n    int total;\n    int other;\n{}\n    /** Runs. */\n    @Override\n    void run() {{\n{}    }}\n\n    // Stops.\n    void stop() {{\n{}    }}\n}}\n",
        "    // about the fields, which are many\n".repeat(6),
        body(20),
        body(25)
    );
    check(
        Language::Java,
        &text,
        expect![[r#"
        1-9 Class Large
        11-34 Method run in Large
        36-64 Method stop in Large
    "#]],
    );
}

#[test]
fn getters_are_joined() {
    let getter = |n: usize| format!("    int get{n}() {{\n        return this.value{n};\n    }}\n\n");
    let text = format!("class Values {{\n{}}}\n", (0..40).map(getter).collect::<String>());
    check(
        Language::Java,
        &text,
        expect![[r#"
            1-88 Class Values
            90-162 Method get39 in Values
        "#]],
    );
}

#[test]
fn a_long_function_is_split_with_overlap() {
    let text = format!("package p\n\nfunc long() {{\n{}}}\n", body(140));
    check(
        Language::Go,
        &text,
        expect![[r#"
        1-49 Function long
        50-96 Function long (overlaps)
        97-144 Function long (overlaps)
    "#]],
    );
}

#[test]
fn inner_functions_are_cut_out_of_a_long_one() {
    let indented = |n| body(n).replace(';', "");
    let text = format!(
        "def outer():\n{}\n        def inner():\n{}\n        return inner\n",
        indented(30),
        indented(40).replace("        ", "            ")
    );
    check(
        Language::Python,
        &text,
        expect![[r#"
            1-31 Function outer
            33-75 Function inner in outer
        "#]],
    );
}

#[test]
fn a_licence_comment_stands_apart_from_the_first_function() {
    let text = format!(
        "// Licence text.\n{}\n\n// Doc.\nfn first() {{\n{}}}\n",
        "// More of it.\n".repeat(20),
        body(12)
    );
    check(
        Language::Rust,
        &text,
        expect![[r#"
        1-21 Block -
        24-38 Function first
    "#]],
    );
}

#[test]
fn text_becomes_windows_at_paragraphs() {
    let paragraph = format!("{}\n\n", "Words of a paragraph that go on. ".repeat(20).trim_end());
    check(
        Language::Text,
        &paragraph.repeat(12),
        expect![[r#"
        1-7 Block -
        9-15 Block - (overlaps)
        17-23 Block - (overlaps)
    "#]],
    );
}

#[test]
fn a_long_section_is_split_and_keeps_its_heading() {
    let text =
        format!("# Top\n\n## Long\n\n{}\n## Next\n\nEnd.\n", "Some words on a line of text.\n".repeat(200));
    check(
        Language::Markdown,
        &text,
        expect![[r#"
        1-70 Section Long in Top
        71-137 Section Long in Top (overlaps)
        138-204 Section Long in Top (overlaps)
        206-208 Section Next in Top
    "#]],
    );
}

#[test]
fn code_with_errors_still_yields_definitions() {
    let text =
        "class A {\n  int x = ;\n  void ok() { return; }\n  void bad( { \n}\nclass B { void fine() {} }\n";
    let outline = chunk(Language::Java, text);
    let names: Vec<_> = outline.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(
        (names, outline.parsed),
        (vec!["A", "x", "ok", "bad", "B", "fine"], craig_chunk::Parsed::Partly)
    );
}

#[test]
fn macros_do_not_hide_definitions() {
    let text = "FMT_BEGIN_NAMESPACE\nclass FMT_API error : public base {\n  FMT_CONSTEXPR auto code() const -> int { return 1; }\n};\nUV_EXTERN int uv_run(int mode);\nFMT_END_NAMESPACE\n";
    let outline = chunk(Language::Cpp, text);
    let names: Vec<_> =
        outline.symbols.iter().map(|symbol| (symbol.name.as_str(), symbol.parent.as_deref())).collect();
    assert_eq!(names, [("error", None), ("code", Some("error")), ("uv_run", None)]);
}

#[test]
fn macros_around_items_do_not_hide_them() {
    let text = "cfg_rt! {\n    /// Doc.\n    pub struct Handle {\n        id: u64,\n    }\n}\n\nfn main() {\n    select! {\n        a = b() => {}\n    }\n}\n";
    let outline = chunk(Language::Rust, text);
    let names: Vec<_> = outline.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(names, ["Handle", "id", "main"]);
}

#[test]
fn branches_of_macros_do_not_hide_items() {
    let text = r#"
cfg_if::cfg_if! {
    if #[cfg(any(
        unix,
        target_os = "{",
    ))] {
        /// Doc.
        #[derive(Clone)]
        pub(crate) struct Handle<'a>(&'a str);
        pub fn open() -> char { '{' }
    } else {
        pub fn open() -> char { panic!("}") }
    }
}

cfg_select! {
    not(feature = "full") => {}
    feature = "full" => {
        use std::fmt;
        cfg_rt! { pub fn run() {} }
    }
    _ => { pub type Res<T> = Result<T, u32>; } // the rest
}

lazy_static! { static ref TABLE: Vec<u32> = Vec::new(); }

fn main() {
    select! {
        a = b() => { let x = 1; }
        c = d() => {}
    }
    wait! { unsafe { e() } }
}
"#;
    let outline = chunk(Language::Rust, text);
    let names: Vec<_> = outline.symbols.iter().map(|symbol| (symbol.name.as_str(), symbol.line)).collect();
    let found =
        [("Handle", 9), ("open", 10), ("open", 12), ("run", 20), ("Res", 22), ("TABLE", 25), ("main", 27)];
    assert_eq!((names, outline.imports.len()), (found.to_vec(), 1));
}

#[test]
fn csharp_is_read_past_branches_and_pointer_casts() {
    let text = "namespace N\n{\n#if INTERNAL\n    internal\n#else\n    public\n#endif\n    ref partial struct Reader\n    {\n        unsafe void Copy(byte* p) { *(int*)p = *(int*)(p + 4); }\n    }\n}\n";
    let outline = chunk(Language::CSharp, text);
    let names: Vec<_> = outline.symbols.iter().map(|symbol| (symbol.name.as_str(), symbol.line)).collect();
    assert_eq!(names, [("N", 1), ("Reader", 8), ("Copy", 10)]);
}
