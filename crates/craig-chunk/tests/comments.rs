//! Which comments, decorators and attributes belong to a definition: its chunk begins with them.

use craig_chunk::chunk;
use craig_source::Language;
use expect_test::{Expect, expect};

/// A definition with a name, whose body is long enough that it becomes a chunk of its own.
fn definition(head: &str, line: &str, end: &str) -> String {
    let body: String = (0..20).map(|at| format!("{}\n", line.replace('#', &at.to_string()))).collect();
    format!("{head}\n{body}{end}")
}

/// The first lines of the chunk that defines `second`, up to its name.
fn head_of_second(path: &str, text: &str) -> String {
    let language = Language::from_path(path).expect("a language by its extension");
    let outline = chunk(language, text);
    let found = outline.chunks.iter().find(|chunk| chunk.symbol_name.as_deref() == Some("second"));
    let Some(found) = found else { return format!("no chunk of its own in {path}\n") };
    let lines: Vec<&str> = found.text(text).lines().collect();
    let name = lines.iter().position(|line| line.contains("second")).expect("its name");
    let indent = lines[name].len() - lines[name].trim_start().len();
    lines[..=name]
        .iter()
        .map(|line| format!("{}\n", line.get(indent..).unwrap_or(line.trim_start())))
        .collect()
}

/// Checks what a chunk begins with when `before` stands before the second of two definitions.
fn check(path: &str, head: &str, line: &str, end: &str, before: &str, expect: Expect) {
    let first = definition(&head.replace("NAME", "first"), line, end);
    let second = definition(&head.replace("NAME", "second"), line, end);
    let opening = if path.ends_with(".php") { "<?php\n" } else { "" };
    expect.assert_eq(&head_of_second(path, &format!("{opening}{first}\n\n{before}\n{second}\n")));
}

fn check_rust(before: &str, expect: Expect) {
    check("a.rs", "fn NAME() {", "    step_number(#, argument);", "}", before, expect);
}

#[test]
fn rust_docs_and_attributes() {
    check_rust(
        "/// Doc.\n#[inline]\n#[cfg(unix)]",
        expect![[r#"
        /// Doc.
        #[inline]
        #[cfg(unix)]
        fn second() {
    "#]],
    );
    check_rust(
        "/** Block. */",
        expect![[r#"
        /** Block. */
        fn second() {
    "#]],
    );
    check_rust(
        "// Plain.",
        expect![[r#"
        // Plain.
        fn second() {
    "#]],
    );
    check_rust(
        "// Apart.\n\n/// Doc.",
        expect![[r#"
        /// Doc.
        fn second() {
    "#]],
    );
    check_rust(
        "// Apart.\n",
        expect![[r#"
        fn second() {
    "#]],
    );
}

#[test]
fn a_comment_at_the_end_of_a_line_belongs_to_that_line() {
    let first = definition("fn first() {", "    step_number(#, argument);", "}");
    let second = definition("fn second() {", "    step_number(#, argument);", "}");
    let text = format!("{first} // the end of first\n{second}\n");
    assert!(head_of_second("a.rs", &text).starts_with("fn second() {"));
}

#[test]
fn docs_of_languages_with_braces() {
    let line = "        stepNumber(#, argument);";
    check(
        "a.ts",
        "function NAME() {",
        line,
        "}",
        "/**\n * Doc.\n */",
        expect![[r#"
        /**
         * Doc.
         */
        function second() {
    "#]],
    );
    check(
        "a.js",
        "export function NAME() {",
        line,
        "}",
        "// One.\n// Two.",
        expect![[r#"
        // One.
        // Two.
        export function second() {
    "#]],
    );
    check(
        "a.go",
        "func NAME() {",
        line,
        "}",
        "// NAME does it.\n//go:noinline",
        expect![[r#"
        // NAME does it.
        //go:noinline
        func second() {
    "#]],
    );
    check(
        "a.c",
        "static int NAME(void) {",
        line,
        "}",
        "/* Doc. */",
        expect![[r#"
        /* Doc. */
        static int second(void) {
    "#]],
    );
    check(
        "a.cpp",
        "int NAME(int t) {",
        line,
        "}",
        "/// Doc.\n[[nodiscard]]",
        expect![[r#"
        /// Doc.
        [[nodiscard]]
        int second(int t) {
    "#]],
    );
    check(
        "a.cpp",
        "template <class T>\nint NAME(T t) {",
        line,
        "}",
        "/// Doc.",
        expect![[r#"
            int second(T t) {
        "#]],
    );
    check(
        "a.php",
        "function NAME() {",
        line,
        "}",
        "/** Doc. */\n#[Pure]",
        expect![[r#"
        /** Doc. */
        #[Pure]
        function second() {
    "#]],
    );
    check(
        "a.kt",
        "fun NAME() {",
        line,
        "}",
        "/** Doc. */\n@Test",
        expect![[r#"
        /** Doc. */
        @Test
        fun second() {
    "#]],
    );
    check(
        "a.swift",
        "func NAME() {",
        line,
        "}",
        "/// Doc.\n@discardableResult",
        expect![[r#"
        /// Doc.
        @discardableResult
        func second() {
    "#]],
    );
    check(
        "a.scala",
        "def NAME() = {",
        line,
        "}",
        "/** Doc. */\n@tailrec",
        expect![[r#"
        /** Doc. */
        @tailrec
        def second() = {
    "#]],
    );
    check(
        "a.zig",
        "fn NAME() void {",
        line,
        "}",
        "/// Doc.",
        expect![[r#"
        /// Doc.
        fn second() void {
    "#]],
    );
    check(
        "a.sh",
        "NAME() {",
        "  step_number # argument",
        "}",
        "# Doc.",
        expect![[r#"
        # Doc.
        second() {
    "#]],
    );
}

#[test]
fn docs_of_languages_without_braces() {
    check(
        "a.py",
        "def NAME():",
        "    step_number(#, argument)",
        "",
        "# Doc.\n@cached\n@retry(3)",
        expect![[r#"
            # Doc.
            @cached
            @retry(3)
            def second():
        "#]],
    );
    check(
        "a.rb",
        "def NAME",
        "  step_number(#, argument)",
        "end",
        "# Doc.",
        expect![[r#"
        # Doc.
        def second
    "#]],
    );
    check(
        "a.lua",
        "function NAME()",
        "  step_number(#, argument)",
        "end",
        "--- Doc.",
        expect![[r#"
        --- Doc.
        function second()
    "#]],
    );
    check(
        "A.hs",
        "NAME x = do",
        "  stepNumber # argument",
        "",
        "-- | Doc.\nsecond :: Int -> IO ()",
        expect![[r#"
            -- | Doc.
            second :: Int -> IO ()
        "#]],
    );
}

#[test]
fn members_keep_their_comments_when_a_type_is_taken_apart() {
    let line = "        stepNumber(#, argument);";
    let method = |name: &str, before: &str| {
        format!("{before}\n{}", definition(&format!("    void {name}() {{"), line, "    }"))
    };
    let class = format!(
        "class A {{\n    int field;\n{}\n\n{}\n\n{}\n}}\n",
        method("first", "    /** First. */"),
        method("second", "    // Second.\n    @Override"),
        method("third", "")
    );
    expect![[r#"
            // Second.
            @Override
            void second() {
    "#]]
    .assert_eq(&head_of_second("A.java", &class));
    expect![[r#"
            // Second.
            [Obsolete]
            void second() {
    "#]]
    .assert_eq(&head_of_second("A.cs", &class.replace("@Override", "[Obsolete]")));
}

#[test]
fn elixir_docs_and_specs() {
    let text = format!(
        "defmodule A do\n{}\n\n  @doc \"Second.\"\n  @spec second(integer) :: integer\n{}\nend\n",
        definition("  def first(x) do", "    step_number_of_many(#, first_argument, second)", "  end"),
        definition("  def second(x) do", "    step_number_of_many(#, first_argument, second)", "  end"),
    );
    expect![[r#"
        @doc "Second."
        @spec second(integer) :: integer
    "#]]
    .assert_eq(&head_of_second("a.ex", &text));
}
