//! Complexity, nesting and names of functions, and what a file refers to; for any text, neither panics.

use std::fmt::Write as _;

use craig_chunk::{metrics, references};
use craig_source::Language;
use expect_test::{Expect, expect};
use proptest::prelude::*;

fn check(path: &str, text: &str, expect: Expect) {
    let language = Language::from_path(path).expect("a language by its extension");
    let mut lines = String::new();
    for f in metrics(language, text).unwrap_or_default() {
        let range = format!("{}-{}", f.line_start, f.line_end);
        writeln!(lines, "{} {range} complexity {} nesting {}", f.name, f.complexity, f.nesting)
            .expect("a string");
    }
    expect.assert_eq(&lines);
}

#[test]
fn rust() {
    check(
        "a.rs",
        r#"
fn arms(x: u8) -> u8 { match x { 1 => 2, 2 | 3 => 4, n if n > 4 => 5, _ => 0 } }
fn errors() -> Result<(), E> { let x = f()?; g(x)?; Ok(()) }
fn closures(x: &[u8]) { x.iter().filter(|x| if **x > 1 { true } else { false }); loop { break } }
fn lets(x: Option<u8>) { let Some(y) = x else { return }; while let Some(z) = n() && y > z {} }
fn outer() { fn inner(x: bool) { if x { for _ in 0..1 {} } else if y {} } }
"#,
        expect![[r#"
            arms 2-2 complexity 5 nesting 1
            errors 3-3 complexity 3 nesting 0
            closures 4-4 complexity 2 nesting 1
            lets 5-5 complexity 4 nesting 1
            outer 6-6 complexity 1 nesting 0
            inner 6-6 complexity 4 nesting 2
        "#]],
    );
}

#[test]
fn scripts_and_their_function_expressions() {
    check(
        "a.ts",
        r#"
function choose(x) { return x?.b ?? x.c?.d }
const map = (xs) => xs.map(x => x ? 1 : 2)
class Cart { total(x) { switch (x) { case 1: case 2: return 1; default: return 2 } } handle = () => { if (a && b) {} } }
const o = { run() { try {} catch (e) {} }, go: function () { for (const y of z) { while (y) {} } } }
"#,
        expect![[r#"
            choose 2-2 complexity 2 nesting 0
            map 3-3 complexity 1 nesting 0
            (anonymous) 3-3 complexity 2 nesting 0
            total 4-4 complexity 3 nesting 1
            handle 4-4 complexity 3 nesting 1
            run 5-5 complexity 2 nesting 1
            go 5-5 complexity 3 nesting 2
        "#]],
    );
}

#[test]
fn defaults_decide_in_scripts() {
    check(
        "a.ts",
        r#"
function area(width = 1, { height = 2 }: Size = {}) { const [unit = "m", scale] = units(); return width }
const open = (path: string, mode: Mode = "r", rest?: string) => path
class Point { constructor(private x: number, readonly y = 0) {} }
"#,
        expect![[r#"
            area 2-2 complexity 5 nesting 0
            open 3-3 complexity 2 nesting 0
            constructor 4-4 complexity 2 nesting 0
        "#]],
    );
}

#[test]
fn accessors_of_swift() {
    check(
        "a.swift",
        r#"
struct Cache {
    var size: Int { get { isFull ? limit : used } set { used = newValue ?? 0 } }
    var used: Int = 0 { willSet { if newValue > 1 {} } didSet { report() } }
    subscript(key: String) -> Int? { guard let at = find(key) else { return nil }; return at }
    func trim(to size: Int) -> String? { names[size] ?? name?.first }
}
"#,
        expect![[r#"
            get 3-3 complexity 2 nesting 0
            set 3-3 complexity 1 nesting 0
            willSet 4-4 complexity 2 nesting 1
            didSet 4-4 complexity 1 nesting 0
            subscript 5-5 complexity 2 nesting 0
            trim 6-6 complexity 1 nesting 0
        "#]],
    );
}

#[test]
fn functions_of_dart_and_powershell() {
    check(
        "a.dart",
        r#"
class Cart {
  Cart.empty();
  int get total => n > 1 ? n : 0;
  int pay(int sum, [bool now = false]) {
    if (sum > 1 && now) { return 1; } else if (sum < 0) { for (final i in all) { i.pay(); } }
    return sum ?? 0;
  }
}
void main() { switch (n) { case 1: break; default: run(); } }
"#,
        expect![[r#"
            total 4-4 complexity 2 nesting 0
            pay 5-8 complexity 6 nesting 2
            main 10-10 complexity 2 nesting 1
        "#]],
    );
    check(
        "a.ps1",
        r#"
function Get-Cart($name, $n) {
    if ($name -and $n) { return 1 } elseif ($n) { foreach ($i in $all) { $i } }
}
class Cart {
    [int] Pay([int]$sum) { try { $this.N } catch { } return 1 }
}
"#,
        expect![[r#"
            Get-Cart 2-4 complexity 5 nesting 2
            Pay 6-6 complexity 2 nesting 1
        "#]],
    );
}

#[test]
fn functions_of_lua_are_called_after_what_they_are_assigned_to() {
    check(
        "a.lua",
        r#"
local M = {}
function M.add(a) return a and 1 or 2 end
function M:close() end
M.run = function() if a then end end
local first, second = 1, function() end
return { go = function() end, ["x"] = call(function() end) }
"#,
        expect![[r#"
            M.add 3-3 complexity 3 nesting 0
            M:close 4-4 complexity 1 nesting 0
            run 5-5 complexity 2 nesting 1
            second 6-6 complexity 1 nesting 0
            go 7-7 complexity 1 nesting 0
            (anonymous) 7-7 complexity 1 nesting 0
        "#]],
    );
}

#[test]
fn python() {
    check(
        "a.py",
        r#"
def tries(x):
    try:
        pass
    except A:
        pass
    finally:
        pass
def comprehends(x):
    return [y for y in x if y and z]
def cases(x):
    match x:
        case 1: pass
        case _: pass
@decorated
def outer(x):
    def inner(y):
        if y: pass
        elif z: pass
    assert x
    return lambda z: 1 if z else 2
"#,
        expect![[r#"
            tries 2-8 complexity 2 nesting 1
            comprehends 9-10 complexity 4 nesting 0
            cases 11-14 complexity 2 nesting 1
            outer 16-21 complexity 2 nesting 0
            inner 17-19 complexity 3 nesting 1
        "#]],
    );
}

#[test]
fn languages_with_braces() {
    check(
        "A.java",
        "class A { int a(int x) { return switch (x) { case 1, 2 -> 1; case 3 -> 2; default -> 0; }; }\n\
         A() { run(() -> { if (x) {} }); for (B b : c) {} do {} while (x); } }",
        expect![[r#"
            a 1-1 complexity 3 nesting 1
            A 2-2 complexity 4 nesting 1
        "#]],
    );
    check(
        "a.go",
        "package a\nfunc a(x int) { switch x { case 1: case 2: default: }; for {} }\nfunc b() { f := func() { if x > 1 && y {} }; f() }",
        expect![[r#"
            a 2-2 complexity 4 nesting 1
            b 3-3 complexity 1 nesting 0
            (anonymous) 3-3 complexity 3 nesting 1
        "#]],
    );
    check(
        "a.c",
        "static int\nfoo(int x)\n{\n#if A\n  if (x) {}\n#endif\n  return x ? 1 : 2;\n}\n",
        expect![[r#"
            foo 2-8 complexity 3 nesting 1
        "#]],
    );
    check(
        "a.cpp",
        "int A::b(int x) const { auto f = [] { return x && y; }; for (auto y : z) {} return 1; }\nA::~A() {}\n",
        expect![[r#"
            b 1-1 complexity 3 nesting 1
            ~A 2-2 complexity 1 nesting 0
        "#]],
    );
    check(
        "A.cs",
        "class A { int P { get { return x ?? 1; } } void B() { foreach (var y in z) { if (y is 1 or 2) {} } } }",
        expect![[r#"
            get 1-1 complexity 2 nesting 0
            B 1-1 complexity 3 nesting 2
        "#]],
    );
    check(
        "a.kt",
        "fun a(x: Int) = when (x) { 1 -> 2; else -> 3 }\nfun b(x: Int?) { val y = x ?: return; list.forEach { if (it) {} } }",
        expect![[r#"
            a 1-1 complexity 2 nesting 1
            b 2-2 complexity 3 nesting 1
        "#]],
    );
    check(
        "a.rb",
        "def a(x)\n  @y ||= 1\n  x.each { |y| y if y }\n  case x\n  when 1, 2 then 3\n  end\n  return 1 unless x\nend\n",
        expect![[r#"
            a 1-8 complexity 5 nesting 1
        "#]],
    );
    check(
        "a.php",
        "<?php function a($x) { return array_map(fn ($y) => $y ? 1 : 2, $x); }",
        expect![[r#"
        a 1-1 complexity 2 nesting 0
    "#]],
    );
}

proptest! {
    #[test]
    fn any_text_is_measured(text in "\\PC{0,200}", n in 0usize..200) {
        let language = Language::all().nth(n % Language::all().count()).expect("within the table");
        for function in metrics(language, &text).unwrap() {
            prop_assert!(function.complexity >= 1 && function.line_end >= function.line_start);
        }
        references(language, &text);
    }

    #[test]
    fn broken_code_is_measured(cut in 0usize..2_000, n in 0usize..6) {
        let name = ["sample.rs", "sample.ts", "sample.py", "sample.cpp", "sample.ex", "sample.php"][n];
        let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("fixture is readable");
        let text = &text[..text.floor_char_boundary(cut)];
        let language = Language::from_path(name).expect("fixture has a known extension");
        for function in metrics(language, text).unwrap() {
            prop_assert!(function.complexity >= 1 && function.nesting <= 64);
        }
        references(language, text);
    }
}

/// Each of these took a time that grew with the square of the depth or worse: some for more than a minute.
#[test]
fn deep_nesting_is_measured_in_linear_time() {
    let n = 20_000;
    let nested = |open: &str, close: &str| format!("{}{}", open.repeat(n), close.repeat(n));
    let go = format!("package a\nfunc f() {{\n{}}}\n", nested("if a {\n", "}\n"));
    let functions = metrics(Language::Go, &go).unwrap();
    assert_eq!((functions[0].nesting, functions[0].complexity), (20_000, 20_001));
    assert_eq!(references(Language::Go, &go).packages, ["a"]);

    let arms: String = (0..n).map(|n| format!("{n} => b(),\n")).collect();
    let rust = format!("fn f() {{ match a {{ {arms} }} }}\n");
    assert_eq!(metrics(Language::Rust, &rust).unwrap()[0].complexity, 20_000);
}

#[test]
fn other_languages_count_their_decisions() {
    check(
        "a.scala",
        "def a(x: Int) = x match { case 1 => 2; case n if n > 3 => 4; case _ => 5 }\ndef b(xs: Seq[Int]) = for (x <- xs if x > 1) yield { if (x > 2) 1 else 2 }\ndef c() = try f() catch { case e: E => g() }\n",
        expect![[r#"
            a 1-1 complexity 4 nesting 1
            b 2-2 complexity 4 nesting 2
            c 3-3 complexity 2 nesting 1
        "#]],
    );
    check(
        "a.ex",
        "defmodule A do\n  def a(x) do\n    case x do\n      1 -> :one\n      2 -> :two\n      _ -> :many\n    end\n  end\n  def b(x), do: if(x, do: 1, else: 2)\n  defp c(x) when x > 1 do\n    cond do\n      x > 2 -> 1\n      true -> 2\n    end\n  end\nend\n",
        expect![[r#"
            a 2-8 complexity 3 nesting 0
            b 9-9 complexity 2 nesting 1
            c 10-15 complexity 2 nesting 0
        "#]],
    );
    check(
        "A.hs",
        "a :: Int -> Int\na x | x > 1 = 2\n    | otherwise = if x > 3 && x < 9 then 4 else 5\nb x = case x of\n  1 -> 2\n  _ -> 3\n",
        expect![[r#"
            (anonymous) 1-1 complexity 1 nesting 0
            a 2-3 complexity 4 nesting 1
            b 4-6 complexity 3 nesting 1
        "#]],
    );
    check(
        "a.zig",
        "fn a(x: u32) u32 { if (x > 1 and x < 3) return 1; while (true) {} return switch (x) { 1, 2 => 3, else => 4 }; }\nfn b() !void { try c(); d() catch |e| return e; const y = z orelse 1; }\n",
        expect![[r#"
            a 1-1 complexity 5 nesting 1
            b 2-2 complexity 4 nesting 0
        "#]],
    );
    check(
        "a.sh",
        "a() {\n  if [ -f x ] && [ -f y ]; then\n    for i in 1 2; do echo; done\n  elif true; then\n    while read -r l; do :; done\n  fi\n  case $1 in a) ;; b) ;; *) ;; esac\n}\n",
        expect![[r#"
            a 1-8 complexity 8 nesting 2
        "#]],
    );
    check(
        "a.js",
        "class A { #p() { return a ?? b } static s() { for (;;) { if (a) continue } } get g() { return 1 } async *gen() { try { yield 1 } catch { } finally { } } }\n",
        expect![[r#"
            #p 1-1 complexity 2 nesting 0
            s 1-1 complexity 3 nesting 2
            g 1-1 complexity 1 nesting 0
            gen 1-1 complexity 2 nesting 1
        "#]],
    );
}

#[test]
fn parameters_are_counted() {
    let count = |path: &str, text: &str| {
        let functions = metrics(Language::from_path(path).unwrap(), text).unwrap();
        functions.into_iter().map(|function| (function.name, function.parameters)).collect::<Vec<_>>()
    };
    let one = |name: &str, n: u32| vec![(name.to_owned(), n)];
    assert_eq!(count("a.rs", "fn f(&self, a: u32, (b, c): (u8, u8)) {}"), one("f", 3));
    assert_eq!(count("a.py", "def f(a, b=1, *args, c: int, **kw): pass"), one("f", 5));
    assert_eq!(count("a.ts", "function f(a, b?: T, ...rest) {}"), one("f", 3));
    assert_eq!(count("a.go", "package a\nfunc f() {}"), one("f", 0));
    assert_eq!(count("A.java", "class A { void f(int a, String... b) {} }"), one("f", 2));
    assert_eq!(count("a.c", "int *f(int a, /* c */ char *b) { return 0; }"), one("f", 2));
    assert_eq!(count("a.js", "const f = x => x"), one("f", 1));
    assert_eq!(count("a.rb", "def f(a, b = 1, *c, d:, &e); end"), one("f", 5));
    assert_eq!(count("a.php", "<?php function f(int $a, &$b) {}"), one("f", 2));
    assert_eq!(count("A.cs", "class A { void F(int a, ref int b) {} }"), one("F", 2));
}

#[test]
fn data_and_documents_have_no_functions() {
    for path in ["a.json", "a.yaml", "a.md", "a.css", "a.html", "a.txt"] {
        assert_eq!(
            metrics(Language::from_path(path).unwrap(), "{ \"f\": 1 }\n# f\n"),
            Some(Vec::new()),
            "{path}"
        );
    }
    assert_eq!(metrics(Language::Rust, ""), Some(Vec::new()));
}

#[test]
fn functions_of_components_have_the_lines_of_the_file() {
    check(
        "a.vue",
        "<template>\n<p/>\n</template>\n<script lang=\"ts\">\nfunction f(a) {\n  if (a) {}\n}\n</script>\n",
        expect![[r#"
            f 5-7 complexity 2 nesting 1
        "#]],
    );
}
