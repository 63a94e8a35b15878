//! Symbols: definitions, references, callers and callees, impact.

use craig_engine::{CallDirection, GraphSymbol, Subject, SymbolRequest, SymbolRole};
use expect_test::expect;

use crate::workshop::Workshop;

pub(crate) const FILES: &[(&str, &str)] = &[
    (
        "shop/cart.py",
        "from shop.prices import price_of\n\n\nclass Cart:\n    \"\"\"What a customer buys.\"\"\"\n\n    def __init__(self, items):\n        \
         self.items = items\n\n    def total(self):\n        # Sums the prices.\n        return sum(price_of(item) for item in self.items)\n\n    \
         def is_free(self):\n        return self.total() == 0\n",
    ),
    (
        "shop/prices.py",
        "# The price of an item,\n# in cents.\n@cached\ndef price_of(item):\n    return rounded(item.price)\n\n\ndef rounded(price):\n    \
         return round(price)\n\n\nclass Invoice:\n    def total(self):\n        return rounded(0)\n",
    ),
    (
        "shop/main.py",
        "from shop.cart import Cart\n\n\ndef main():\n    cart = Cart([])\n    print(cart.total(), cart.is_free())\n\n\nmain()\n",
    ),
    (
        "tests/test_cart.py",
        "from shop.cart import Cart\n\n\ndef test_total():\n    assert Cart([]).total() == 0\n",
    ),
    ("README.md", "price_of and Cart\n"),
];

fn row(symbol: &GraphSymbol) -> String {
    let GraphSymbol { name, kind, path, line, line_end, test } = symbol;
    let test = if *test { " test" } else { "" };
    format!("{} {name} {path}:{line}-{line_end}{test}\n", kind.as_str())
}

fn subject(subject: &Subject) -> String {
    let mut text = row(&subject.symbol);
    subject.also_defined.iter().for_each(|also| text += &format!("also {}", row(also)));
    subject.others.iter().for_each(|other| text += &format!("other {}", row(other)));
    text
}

fn references(workshop: &Workshop, name: &str, request: &SymbolRequest) -> String {
    let found = workshop.engine.references("tree", name, request).unwrap();
    let mut text = subject(&found.subject);
    for found in &found.references {
        let within = found.within.as_deref().unwrap_or("-");
        let role = found.role.as_str();
        text += &format!(
            "{}:{}:{} {role} {}% {within} {:?}\n",
            found.path, found.line, found.column, found.confidence, found.text
        );
    }
    text + &format!("{} in {} files, {} possible\n", found.total, found.total_files, found.possible)
}

fn calls(workshop: &Workshop, name: &str, direction: CallDirection, depth: u32) -> String {
    let request = SymbolRequest { depth, ..SymbolRequest::default() };
    let found = workshop.engine.call_hierarchy("tree", name, direction, &request).unwrap();
    let mut text = String::new();
    for row in &found.calls {
        let test = if row.test { " test" } else { "" };
        let repeated = if row.repeated { " repeated" } else { "" };
        let indent = "  ".repeat(row.depth as usize - 1);
        let lines = &row.call_lines;
        text += &format!("{indent}{} {}:{} {lines:?}{test}{repeated}\n", row.name, row.path, row.line);
    }
    text
}

#[test]
fn a_definition_with_its_comment() {
    let workshop = Workshop::with_files(FILES);
    let shown = |name: &str| {
        let found = workshop.engine.symbol("tree", name, &SymbolRequest::default()).unwrap();
        let (doc, first) =
            (found.doc.unwrap_or_default(), found.text.lines().next().unwrap_or_default().to_owned());
        format!(
            "{}{}\n{doc:?}\n{}: {first}\n{} references\n",
            subject(&found.subject),
            found.signature,
            found.line_start,
            found.references
        )
    };
    expect![[r#"
        class Cart shop/cart.py:4-15
        class Cart
        "What a customer buys."
        4: class Cart:
        4 references

        function price_of shop/prices.py:4-5
        def price_of(item)
        "The price of an item,\nin cents."
        4: def price_of(item):
        2 references

        method Cart.total shop/cart.py:10-12
        def total(self)
        ""
        10:     def total(self):
        3 references

        method Cart.total shop/cart.py:10-12
        other method Invoice.total shop/prices.py:13-14
        def total(self)
        ""
        10:     def total(self):
        3 references

        field Cart.items shop/cart.py:8-8
        self.items = items
        ""
        8:         self.items = items
        1 references
    "#]]
    .assert_eq(&["Cart", "price_of", "Cart::total", "total", "shop/cart.py:8"].map(shown).join("\n"));
}

#[test]
fn references_by_path_and_line() {
    let workshop = Workshop::with_files(FILES);
    let all = SymbolRequest::default();
    expect![[r#"
        function price_of shop/prices.py:4-5
        shop/cart.py:1:25 import 99% - "from shop.prices import price_of"
        shop/cart.py:12:20 call 99% Cart.total "return sum(price_of(item) for item in self.items)"
        2 in 1 files, 0 possible
    "#]]
    .assert_eq(&references(&workshop, "price_of", &all));
    expect![[r#"
        class Cart shop/cart.py:4-15
        shop/main.py:1:23 import 99% - "from shop.cart import Cart"
        shop/main.py:5:12 call 99% main "cart = Cart([])"
        tests/test_cart.py:1:23 import 99% - "from shop.cart import Cart"
        tests/test_cart.py:5:12 call 99% test_total "assert Cart([]).total() == 0"
        4 in 2 files, 0 possible
    "#]]
    .assert_eq(&references(&workshop, "Cart", &all));
    let calls = SymbolRequest { roles: vec![SymbolRole::Call], limit: 1, ..all };
    expect![[r#"
        method Cart.total shop/cart.py:10-12
        shop/cart.py:15:21 call 95% Cart.is_free "return self.total() == 0"
        3 in 3 files, 0 possible
    "#]]
    .assert_eq(&references(&workshop, "Cart.total", &calls));
}

#[test]
fn callers_and_callees() {
    let workshop = Workshop::with_files(FILES);
    expect![[r#"
        price_of shop/prices.py:4 [5]
          Cart.total shop/cart.py:10 [12]
            Cart.is_free shop/cart.py:14 [15]
              main shop/main.py:4 [6] repeated
            main shop/main.py:4 [6]
              shop/main.py shop/main.py:9 [9]
            test_total tests/test_cart.py:4 [5] test
        Invoice.total shop/prices.py:13 [14]
    "#]]
    .assert_eq(&calls(&workshop, "rounded", CallDirection::In, 5));
    expect![[r#"
        Cart shop/cart.py:4 [5]
        Cart.total shop/cart.py:10 [6]
          price_of shop/prices.py:4 [12]
            rounded shop/prices.py:8 [5]
        Cart.is_free shop/cart.py:14 [6]
          Cart.total shop/cart.py:10 [15] repeated
    "#]]
    .assert_eq(&calls(&workshop, "main", CallDirection::Out, 5));
    expect![[r#"
        shop/main.py shop/main.py:9 [9]
    "#]]
    .assert_eq(&calls(&workshop, "main", CallDirection::In, 1));
}

#[test]
fn impact_begins_in_its_own_file() {
    let workshop = Workshop::with_files(FILES);
    let request = SymbolRequest { depth: 3, ..SymbolRequest::default() };
    let found = workshop.engine.impact("tree", "rounded", &request).unwrap();
    let mut text = String::new();
    for file in &found.files {
        text += &format!("{} {}{}\n", file.distance, file.path, if file.test { " test" } else { "" });
    }
    found.symbols.iter().for_each(|found| text += &format!("{} {}", found.distance, row(&found.symbol)));
    expect![[r#"
        1 shop/prices.py
        2 shop/cart.py
        3 shop/main.py
        3 tests/test_cart.py test
        1 function price_of shop/prices.py:4-5
        1 method Invoice.total shop/prices.py:13-14
        2 method Cart.total shop/cart.py:10-12
        3 method Cart.is_free shop/cart.py:14-15
        3 function main shop/main.py:4-6
        3 function test_total tests/test_cart.py:4-5 test
    "#]]
    .assert_eq(&text);
    let goes_further = |depth| {
        let request = SymbolRequest { depth, ..SymbolRequest::default() };
        workshop.engine.impact("tree", "rounded", &request).unwrap().goes_further
    };
    assert_eq!([1, 2, 3, 4].map(goes_further), [true, true, false, false]);
}

#[test]
fn names_that_nothing_has() {
    let workshop = Workshop::with_files(FILES);
    let refused = |name: &str| {
        let error = workshop.engine.symbol("tree", name, &SymbolRequest::default()).unwrap_err();
        format!("{error}\n{}\n", error.hint().unwrap_or_default())
    };
    expect![[r#"
        the project "tree" has no symbol "rouned"
        did you mean rounded?
        the project "tree" has no symbol "Wagon.total"
        did you mean Cart.total, Invoice.total?
        the project "tree" has no symbol ""
        'craig search' finds code by what it does, 'craig grep' by its text; names are 'Cart.total' or 'src/cart.py:12'
        the project "tree" has no symbol "shop/cart.py:99"
        'craig search' finds code by what it does, 'craig grep' by its text; names are 'Cart.total' or 'src/cart.py:12'
        the project "tree" has no symbol "zzz"
        'craig search' finds code by what it does, 'craig grep' by its text; names are 'Cart.total' or 'src/cart.py:12'
    "#]]
        .assert_eq(&["rouned", "Wagon.total", "", "shop/cart.py:99", "zzz"].map(refused).join(""));
}

#[test]
fn a_change_of_a_file_changes_the_graph() {
    let workshop = Workshop::with_files(FILES);
    let all = SymbolRequest::default();
    references(&workshop, "rounded", &all);
    workshop.write("shop/prices.py", "def rounded(price):\n    return 1\n");
    workshop.remove("tests/test_cart.py");
    workshop.delta();
    expect![[r#"
        function rounded shop/prices.py:1-2
        0 in 0 files, 0 possible
    "#]]
    .assert_eq(&references(&workshop, "rounded", &all));
}

#[test]
fn a_name_may_come_after_its_file_and_overrides_are_shown() {
    let workshop = Workshop::with_files(&[
        (
            "src/Shape.java",
            "interface Shape {\n  int area();\n}\n\nclass Square implements Shape {\n  Square(int side) {}\n  public int area() { return 1; }\n}\n",
        ),
        (
            "src/Use.java",
            "class Use {\n  int area(Shape shape) { return shape.area(); }\n  int make() { return area(new Square(2)); }\n}\n",
        ),
    ]);
    let shown = |name: &str| {
        let found = workshop.engine.symbol("tree", name, &SymbolRequest::default()).unwrap();
        let overrides = found.subject.overrides.iter().map(|base| format!("overrides {}", row(base)));
        format!("{}{}", subject(&found.subject), overrides.collect::<String>())
    };
    expect![[r#"
        method Shape.area src/Shape.java:2-2
        other method Square.area src/Shape.java:7-7

        method Square.area src/Shape.java:7-7
        overrides method Shape.area src/Shape.java:2-2

        method Use.area src/Use.java:2-2
    "#]]
    .assert_eq(&["Shape.java::area", "src/Shape.java::Square.area", "Use.java::area"].map(shown).join("\n"));
    expect![[r#"
        Square.Square src/Shape.java:6 [3]
        Use.area src/Use.java:2 [3]
          Shape.area src/Shape.java:2 [2]
          Square.area src/Shape.java:7 [2]
    "#]]
    .assert_eq(&calls(&workshop, "Use.make", CallDirection::Out, 2));
}

#[test]
fn a_place_is_that_of_one_overload_and_a_caller_is_the_overload_that_calls() {
    let workshop = Workshop::with_files(&[(
        "src/Price.java",
        "class Price {\n  int of(int a) { return of(a, 2); }\n  int of(int a, int b) { return rounded(a); }\n  int of(int a, int b, int c) { \
         return rounded(c); }\n  int rounded(int a) { return a; }\n  int sum() { return of(1) + of(1, 2, 3); }\n}\n",
    )]);
    expect![[r#"
        Price.of src/Price.java:3 [3]
          Price.of src/Price.java:2 [2]
            Price.sum src/Price.java:6 [6] repeated
        Price.of src/Price.java:4 [4]
          Price.sum src/Price.java:6 [6]
    "#]]
    .assert_eq(&calls(&workshop, "Price.rounded", CallDirection::In, 3));
    let asked = |name: &str| {
        subject(&workshop.engine.symbol("tree", name, &SymbolRequest::default()).unwrap().subject)
    };
    expect![[r#"
        method Price.of src/Price.java:2-2
        also method Price.of src/Price.java:3-3
        also method Price.of src/Price.java:4-4

        method Price.of src/Price.java:3-3
        other method Price.of src/Price.java:2-2
    "#]]
    .assert_eq(&["Price.of", "src/Price.java:3"].map(asked).join("\n"));
}

#[test]
fn who_reads_a_property_calls_its_function() {
    let workshop = Workshop::with_files(&[(
        "shop.py",
        "class Cart:\n    @property\n    def total(self):\n        return rounded(1)\n\n    def text(self):\n        return str(self.total)\n\n\n\
         def rounded(price):\n    return price\n",
    )]);
    expect![[r#"
        Cart.total shop.py:3 [4]
          Cart.text shop.py:6 [7]
    "#]]
    .assert_eq(&calls(&workshop, "rounded", CallDirection::In, 2));
    expect![[r#"
        Cart.total shop.py:3 [7]
          rounded shop.py:10 [4]
    "#]]
    .assert_eq(&calls(&workshop, "Cart.text", CallDirection::Out, 2));
}

#[test]
fn code_in_an_object_is_run_by_the_function_around_it() {
    let workshop = Workshop::with_files(&[
        ("rate.ts", "export function rate(n: number) {\n  return n * 2;\n}\n"),
        (
            "quote.ts",
            "import { rate } from './rate';\n\nexport function quote(n: number) {\n  return { total: rate(n) };\n}\n\n\
             export function page() {\n  return quote(1).total;\n}\n\nexport const known = { two: rate(2) };\n",
        ),
    ]);
    expect![[r#"
        function rate rate.ts:1-3
        quote.ts:1:10 import 99% - "import { rate } from './rate';"
        quote.ts:4:19 call 99% quote "return { total: rate(n) };"
        quote.ts:11:29 call 99% known.two "export const known = { two: rate(2) };"
        3 in 1 files, 0 possible
    "#]]
    .assert_eq(&references(&workshop, "rate", &SymbolRequest::default()));
    expect![[r#"
        quote quote.ts:3 [4]
          page quote.ts:7 [8]
        known.two quote.ts:11 [11]
    "#]]
    .assert_eq(&calls(&workshop, "rate", CallDirection::In, 2));
}

#[test]
fn a_module_of_tests_inside_of_a_rust_file_is_of_tests() {
    let workshop = Workshop::with_files(&[(
        "src/lib.rs",
        "pub struct Cart;\nimpl Cart {\n    pub fn total(&self) -> u32 { 1 }\n}\npub fn pay(cart: &Cart) -> u32 { cart.total() }\n#[cfg(test)]\nmod \
         tests {\n    use super::*;\n    #[test]\n    fn total() {\n        assert_eq!(Cart.total(), 1);\n    }\n}\n",
    )]);
    expect![[r#"
        pay src/lib.rs:5 [5]
        tests::total src/lib.rs:10 [11] test
    "#]]
    .assert_eq(&calls(&workshop, "Cart::total", CallDirection::In, 1));
    expect![[r#"
        method Cart::total src/lib.rs:3-3
        other function tests::total src/lib.rs:10-12 test
    "#]]
    .assert_eq(&subject(
        &workshop.engine.symbol("tree", "total", &SymbolRequest::default()).unwrap().subject,
    ));
}

#[test]
fn lines_of_calls_that_are_not_listed_are_counted() {
    let calls: String = (0..13).map(|_| "    f()\n".to_owned()).collect();
    let text = format!("def f():\n    return 1\n\n\ndef g():\n{calls}");
    let workshop = Workshop::with_files(&[("a.py", text.as_str())]);
    let found =
        workshop.engine.call_hierarchy("tree", "f", CallDirection::In, &SymbolRequest::default()).unwrap();
    assert_eq!(found.calls[0].text("a.py"), "g  :5-18 at 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 and 3 more");
}

#[test]
fn lines_with_the_own_name_of_a_member_are_unbound() {
    for (path, name, text) in [
        ("a.php", "Cart\\total", "<?php\nclass Cart {\n    function total() {}\n}\n$anything->total();\n"),
        ("a.py", "Cart.total", "class Cart:\n    def total(self):\n        pass\n\n# what total() is\n"),
    ] {
        let workshop = Workshop::with_files(&[(path, text)]);
        let request = SymbolRequest { min_confidence: 99, unbound: Some(9), ..SymbolRequest::default() };
        let found = workshop.engine.references("tree", name, &request).unwrap().unbound.unwrap();
        assert_eq!((found.word.as_str(), found.total), ("total", 1));
        assert_eq!(found.lines[0].line, 5);
    }
}

#[test]
fn the_first_question_to_several_projects_is_answered_from_their_files() {
    let workshop = Workshop::with_files(FILES);
    workshop.ingest_copy("copy");
    let found = workshop.engine.references("tree,copy", "price_of", &SymbolRequest::default()).unwrap();
    assert_eq!((found.subject.project.as_str(), found.total), ("copy,tree", 2));
}

#[test]
fn lines_with_references_of_other_kinds_are_bound() {
    let workshop = Workshop::with_files(FILES);
    let unbound = |roles: &[SymbolRole]| {
        let request = SymbolRequest { roles: roles.to_vec(), unbound: Some(9), ..SymbolRequest::default() };
        let found = workshop.engine.references("tree", "price_of", &request).unwrap().unbound.unwrap();
        found.lines.into_iter().map(|line| format!("{}:{}", line.path, line.line)).collect::<Vec<_>>()
    };
    assert_eq!(unbound(&[]), ["README.md:1"]);
    assert_eq!(unbound(&[SymbolRole::Call]), ["README.md:1"]);
}
