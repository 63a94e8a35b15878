//! One fault hides no more than what it is in: unfinished code, conflicts of a merge, constructs that a grammar does not know.

use std::fmt::Write as _;

use craig_chunk::{ChunkKind, Outline, chunk};
use craig_source::Language;
use expect_test::{Expect, expect};

fn outline(path: &str, text: &str) -> Outline {
    chunk(Language::from_path(path).expect("a language by its extension"), text)
}

/// Lists the definitions of `text` other than constants.
fn check(path: &str, text: &str, expect: Expect) {
    let mut out = String::new();
    for symbol in outline(path, text.trim_start_matches('\n')).symbols {
        if symbol.kind != ChunkKind::Constant {
            let parent = symbol.parent.map(|parent| format!(" in {parent}")).unwrap_or_default();
            let (start, end) = (symbol.line, symbol.line_end);
            writeln!(out, "{start}-{end} {} {}{parent}", symbol.kind.as_str(), symbol.name)
                .expect("a string");
        }
    }
    expect.assert_eq(&out);
}

/// What one language puts around functions, and one function: `NAME` and `N` are replaced.
struct Shape {
    path: &'static str,
    head: &'static str,
    function: &'static str,
    end: &'static str,
    /// Lines for the middle of a body that leave something open.
    open_block: &'static str,
    open_string: &'static str,
}

#[rustfmt::skip]
const SHAPES: [Shape; 13] = [
    Shape { path: "a.ts", head: "", function: "export function NAME(a: number): number {\n  return a + N;\n}\n\n", end: "", open_block: "  if (a > 1) {\n", open_string: "  x = \"abc\n" },
    Shape { path: "a.js", head: "", function: "function NAME(a) {\n  return a + N;\n}\n\n", end: "", open_block: "  if (a > 1) {\n", open_string: "  x = \"abc;\n" },
    Shape { path: "a.py", head: "", function: "def NAME(a):\n    return a + N\n\n\n", end: "", open_block: "    if (a > 1:\n", open_string: "    x = \"abc\n" },
    Shape { path: "a.rs", head: "", function: "pub fn NAME(a: i32) -> i32 {\n    a + N\n}\n\n", end: "", open_block: "    if a > 1 {\n", open_string: "    let x = \"abc;\n" },
    Shape { path: "a.go", head: "package a\n\n", function: "func NAME(a int) int {\n\treturn a + N\n}\n\n", end: "", open_block: "\tif a > 1 {\n", open_string: "\tx := \"abc\n" },
    Shape { path: "A.java", head: "class A {\n", function: "    @Test\n    int NAME(int a) {\n        return a + N;\n    }\n\n", end: "}\n", open_block: "        if (a > 1) {\n", open_string: "        x = \"abc;\n" },
    Shape { path: "a.c", head: "", function: "static int\nNAME(int a)\n{\n    return a + N;\n}\n\n", end: "", open_block: "    if (a > 1) {\n", open_string: "    x = \"abc;\n" },
    Shape { path: "a.cpp", head: "", function: "int A::NAME(int a) {\n  return a + N;\n}\n\n", end: "", open_block: "  if (a > 1) {\n", open_string: "  x = \"abc;\n" },
    Shape { path: "A.cs", head: "class A\n{\n", function: "    [Fact]\n    int NAME(int a)\n    {\n        return a + N;\n    }\n\n", end: "}\n", open_block: "        if (a > 1) {\n", open_string: "        x = \"abc;\n" },
    Shape { path: "a.rb", head: "class A\n", function: "  def NAME(a)\n    a + N\n  end\n\n", end: "end\n", open_block: "    if a > 1\n", open_string: "    x = \"abc\n" },
    Shape { path: "a.php", head: "<?php\n", function: "function NAME($a) {\n    return $a + N;\n}\n\n", end: "", open_block: "    if ($a > 1) {\n", open_string: "    $x = \"abc;\n" },
    Shape { path: "a.kt", head: "", function: "fun NAME(a: Int): Int {\n    return a + N\n}\n\n", end: "", open_block: "    if (a > 1) {\n", open_string: "    x = \"abc\n" },
    Shape { path: "a.swift", head: "", function: "func NAME(a: Int) -> Int {\n    return a + N\n}\n\n", end: "", open_block: "    if a > 1 {\n", open_string: "    x = \"abc\n" },
];

impl Shape {
    fn function(&self, at: usize) -> String {
        self.function.replace("NAME", &format!("f{at}")).replace('N', &at.to_string())
    }

    /// Eight functions, of which the fourth is replaced.
    fn text(&self, broken: &str) -> String {
        let before: String = (0..3).map(|at| self.function(at)).collect();
        let after: String = (4..8).map(|at| self.function(at)).collect();
        format!("{}{before}{broken}{after}{}", self.head, self.end)
    }
}

/// Lists which of the other seven functions are lost, or in another function.
fn check_others(fault: impl Fn(&Shape, String) -> String, expect: Expect) {
    let mut out = String::new();
    for shape in &SHAPES {
        let broken = fault(shape, shape.function(3).replace("f3", "broken"));
        let outline = outline(shape.path, &shape.text(&broken));
        let is_found = |name: &String| {
            let is_outside = |parent: &String| !parent.contains("broken");
            let mut found = outline.symbols.iter().filter(|symbol| symbol.name == *name);
            found.any(|symbol| symbol.parent.as_ref().is_none_or(is_outside))
        };
        let names = [0, 1, 2, 4, 5, 6, 7].map(|at| format!("f{at}"));
        let lost: Vec<_> = names.iter().filter(|name| !is_found(name)).cloned().collect();
        if !lost.is_empty() {
            writeln!(out, "{}: {}", shape.path, lost.join(" ")).expect("a string");
        }
    }
    expect.assert_eq(&out);
}

/// `function` with `added` above the line that holds its number.
fn with_line(function: &str, added: &str) -> String {
    let at = function.find("+ 3").and_then(|at| function[..at].rfind('\n')).expect("a body") + 1;
    format!("{}{added}{}", &function[..at], &function[at..])
}

#[test]
fn an_unclosed_block_hides_no_other_function() {
    check_others(|shape, function| with_line(&function, shape.open_block), expect![[""]]);
}

#[test]
fn an_unclosed_string_hides_no_other_function() {
    check_others(|shape, function| with_line(&function, shape.open_string), expect![[""]]);
}

#[test]
fn a_block_opened_where_a_function_ends_hides_no_other_function() {
    let opened = |shape: &Shape, function: String| {
        let end = function.trim_end().rfind('\n').expect("lines") + 1;
        format!("{}{}\n\n", &function[..end], shape.open_block)
    };
    check_others(opened, expect![[""]]);
}

#[test]
fn a_missing_end_hides_no_other_function() {
    let without_end = |function: &str| {
        let lines: Vec<_> = function.lines().filter(|line| !matches!(line.trim(), "}" | "end")).collect();
        lines.join("\n") + "\n"
    };
    check_others(|_, function| without_end(&function), expect![[""]]);
}

#[test]
fn half_a_call_hides_no_other_function() {
    check_others(|_, function| with_line(&function, "        call(a, b.\n"), expect![[""]]);
}

#[test]
fn half_a_signature_hides_no_other_function() {
    let half = |function: &str| {
        let end = function.find("broken(").expect("a name") + "broken(".len();
        format!("{}first,\n\n", &function[..end])
    };
    check_others(|_, function| half(&function), expect![[""]]);
}

#[test]
fn a_conflict_hides_no_function_of_either_side() {
    let conflict = |function: &str| {
        let other = function.replace("broken", "theirs").replace("+ 3", "- 3");
        format!("<<<<<<< HEAD\n{function}||||||| 1f2e\nbase(\n=======\n{other}>>>>>>> feature/x\n")
    };
    check_others(|_, function| conflict(&function), expect![[""]]);
    let text = SHAPES[0].text(&conflict(&SHAPES[0].function(3)).replace("theirs", "other"));
    assert!(outline("a.ts", &text).symbols.iter().any(|symbol| symbol.name == "f3"));
}

#[test]
fn a_conflict_within_a_signature_is_read_as_the_first_side_has_it() {
    check(
        "a.ts",
        r#"
<<<<<<< ours
function pay(a: number) {
=======
function pay(a: number, b: number) {
>>>>>>> theirs
  return a;
}
function after() {}
"#,
        expect![[r#"
            2-7 function pay
            8-8 function after
        "#]],
    );
}

#[test]
fn markers_of_a_conflict_in_a_string_are_text() {
    check(
        "a.py",
        r#"
SAMPLE = """
<<<<<<< ours
=======
>>>>>>> theirs
"""
def after(): pass
"#,
        expect![[r#"
            6-6 function after
        "#]],
    );
}

#[test]
fn members_stay_members_of_their_class() {
    check(
        "A.java",
        r#"
class A {
  void first() {
    if (a) {
    one();
  }

  void second() {
    two();
  }

  enum Kind { X, Y }
}
class B { void third() {} }
"#,
        expect![[r#"
            1-12 class A
            2-5 method first in A
            7-9 method second in A
            11-11 enum Kind in A
            13-13 class B
            13-13 method third in B
        "#]],
    );
}

#[test]
fn conditions_around_braces_of_c() {
    check(
        "a.c",
        r#"
int first(int a)
{
#ifdef X
    if (a > 1) {
#else
    if (a > 2) {
#endif
        a++;
    }
    return a;
}
#ifdef X
int second(int a) {
#else
int second(int a, int b) {
#endif
    return a;
}
#ifdef X
int one_way(void) { return 1; }
#else
int other_way(void) { return 2; }
#endif
"#,
        expect![[r#"
            1-11 function first
            13-18 function second
            20-20 function one_way
            22-22 function other_way
        "#]],
    );
}

#[test]
fn macros_of_c_that_no_grammar_knows() {
    check(
        "a.c",
        r#"
#define CHECK(x) do { /* x may be null */ if (!(x)) return -1; } while (0)
int ZEXPORT first(z_streamp strm) { return 1; }
static void printflike(2, 3)
second(int a, const char *fmt, ...)
{
    a++;
}
int third(int idx UNUSED)
{
    IF_LESS(a, b) {
        a++;
    } else {
        IF_LESS(b, a) { b++; } else { a = b; }
    }
    return 1;
}
DEFINE_HANDLER(on_open)
DEFINE_HANDLER(on_close)
int last(void) { return 1; }
"#,
        expect![[r#"
            1-1 function CHECK
            2-2 function first
            4-7 function second
            8-16 function third
            19-19 function last
        "#]],
    );
}

#[test]
fn slots_and_signals_of_qt_and_exact_objects_of_flow() {
    check(
        "a.hpp",
        r#"
class Foo : public QObject {
public slots:
  void onClicked();
private:
  int plain();
};
"#,
        expect![[r#"
            1-6 class Foo
            3-3 method onClicked in Foo
            5-5 method plain in Foo
        "#]],
    );
    check(
        "a.cpp",
        r#"
void Foo::lock() {
  QMutexLocker locker(mutex);
  emit changed(value);
  emit locked();
}
"#,
        expect![[r#"
            1-5 method lock in Foo
        "#]],
    );
    check(
        "a.js",
        r#"
// @flow
export type Props = {| +x: number, y?: ?string |};
export function typed(x: number, ...y: Array<string>): Promise<void> {
  return z;
}
"#,
        expect![[r#"
            2-2 type Props
            3-5 function typed
        "#]],
    );
}

#[test]
fn kotlin_with_members_in_the_line_of_their_class() {
    check(
        "a.kt",
        r#"
package shop

context(log: Logger)
fun logged() { log.info("x") }

enum class Color(val rgb: Int) {
    RED(0xff0000) { override fun warm() = true },
    BLUE(0xff);
    open fun warm() = false
}

class Tail {
    companion object { @JvmStatic fun create(): Tail = Tail() }
    operator fun get(i: Int) = i
}

expect class Platform() { val name: String }
actual fun platform(): String = "x"

val o = object : Runnable { override fun run() {} }

class After { fun fine() = 1 }
"#,
        expect![[r#"
            4-4 function logged
            6-10 enum Color
            7-7 function warm in Color.RED
            9-9 method warm in Color
            12-15 class Tail
            13-13 method create in Tail
            14-14 method get in Tail
            17-17 class Platform
            18-18 function platform
            22-22 class After
            22-22 method fine in After
        "#]],
    );
}

#[test]
fn kotlin_with_a_class_behind_annotations_read_as_an_expression() {
    check(
        "a.kt",
        r#"
package shop

@Component
@ConfigurationProperties(prefix = "shop")
class Config {
    fun endpoint() = url ?: "x"
}

class After { fun fine() = 1 }
"#,
        expect![[r#"
            5-7 class Config
            6-6 method endpoint in Config
            9-9 class After
            9-9 method fine in After
        "#]],
    );
}

#[test]
fn keywords_of_csharp_that_are_names() {
    check(
        "a.cs",
        r#"
namespace N;
public class First(bool async)
{
    public Task One(bool async)
    {
        if (async) { await F(); } else { F(); }
        groups.Add(key, [property]);
        return Run(
            async, x => from y in x select y ?? x);
    }
    public async Task Two(bool async) => await Run(async ? 1 : 2, async () => 1, async x => x, async: true);
    [property: JsonIgnore] public int Three { get; }
    public void Four() { IsAsync = async; }
}
"#,
        expect![[r#"
            2-14 class First
            4-10 method One in First
            11-11 method Two in First
            13-13 method Four in First
        "#]],
    );
}

#[test]
fn kotlin_that_the_grammar_does_not_know() {
    check(
        "a.kt",
        r#"
package shop

@RequiresOptIn(
    message = "x"
)
@Target(AnnotationTarget.CLASS)
annotation class Marked

@Component
@ConfigurationProperties(prefix = "shop")
class Config {
    val lazyValue by lazy { 3 }
    operator fun get(i: Int) = i
    override fun <R : Any> suspend(request: R): R {
        return request
    }
}

context(log: Logger)
fun logged() { log.info("x") }

fun guard(i: Any) = when (i) {
    is Int if i > 1 -> 1
    else -> 0
}

class After
"#,
        expect![[r#"
            7-7 class Marked
            11-17 class Config
            13-13 method get in Config
            14-16 method suspend in Config
            20-20 function logged
            22-25 function guard
            27-27 class After
        "#]],
    );
}

#[test]
fn a_class_of_cpp_keeps_its_members_around_a_macro() {
    check(
        "a.hpp",
        r#"
class CORELIB NODISCARD Token : public Base {
public:
  enum Type : int { Name, Number };
  template <class T, REQUIRES("T must be a token", std::is_convertible<T*, const Token*> )>
  static T *next(T *token) {
    return token;
  }
private:
  void old(int count,
           int most)
      CORE_DEPRECATED("Use next() instead") {
    next(this);
  }
  int last() const;
};
"#,
        expect![[r#"
            1-15 class Token
            3-3 enum Type in Token
            5-7 method next in Token
            9-13 method old in Token
            14-14 method last in Token
        "#]],
    );
}
