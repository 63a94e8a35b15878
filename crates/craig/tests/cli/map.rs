//! `craig map`, `craig overview`, `craig scip`: what people and programs see of a whole project.

use expect_test::expect;

use crate::harness::Home;

/// A home with a project in Python, ingested.
fn home() -> Home {
    let home = Home::new();
    home.write("shop/README.md", "# Shop\n\nSells things to people.\n");
    home.write(
        "shop/cart.py",
        "\"\"\"What is bought.\"\"\"\n\nfrom prices import price_of\n\n\nclass Cart:\n    \"\"\"Items of one customer.\n\n    \
         More.\n    \"\"\"\n\n    def __init__(self, items):\n        self.items = items\n\n    \
         def total(self):\n        return sum(price_of(item) for item in self.items)\n",
    );
    home.write(
        "shop/prices.py",
        "def price_of(item):\n    return rounded(item.price)\n\n\ndef rounded(price):\n    return round(price)\n",
    );
    home.write(
        "shop/__main__.py",
        "from cart import Cart\n\n\ndef main():\n    print(Cart([]).total())\n\n\nmain()\n",
    );
    home.write(
        "shop/test_cart.py",
        "from cart import Cart\n\n\ndef test_total():\n    assert Cart([]).total() == 0\n",
    );
    home.succeed(&["ingest", "shop"]);
    home
}

#[test]
fn a_map() {
    let home = home();
    home.check(
        &["map", "--root", "shop"],
        expect![[r#"
        exit 0
        -- stdout
        cart.py
            6 class Cart
           12   def __init__(self, items)
           15   def total(self)
        prices.py
            1 def price_of(item)
            5 def rounded(price)
        __main__.py
            4 def main()
    "#]],
    );
    home.check(
        &["map", "prices.py", "-p", "shop", "--tokens", "20", "--format", "json"],
        expect![[r#"
        exit 0
        -- stdout
        {
          "project": "shop",
          "files": [
            {
              "path": "prices.py",
              "symbols": [
                {
                  "name": "price_of",
                  "kind": "function",
                  "depth": 0,
                  "line": 1,
                  "signature": "def price_of(item)"
                },
                {
                  "name": "rounded",
                  "kind": "function",
                  "depth": 0,
                  "line": 5,
                  "signature": "def rounded(price)"
                }
              ]
            }
          ],
          "shown": 2,
          "total": 6,
          "tokens": 18
        }
        -- stderr
        note: 2 of 6 symbols in 18 tokens: --tokens N shows more
    "#]],
    );
    home.check(
        &["map", "-p", "shop", "--query", "where is the total computed", "--tokens", "30"],
        expect![[r#"
            exit 0
            -- stdout
            cart.py
                6 class Cart
               12   def __init__(self, items)
               15   def total(self)
            -- stderr
            note: 3 of 7 symbols in 29 tokens: --tokens N shows more
        "#]],
    );
    home.check(
        &["map", "gone.py", "-p", "shop"],
        expect![[r#"
        exit 1
        -- stderr
        error: the project "shop" has no file "gone.py"
        hint: 'craig tree' lists the files of a project
    "#]],
    );
    home.check(
        &["map", "README.md", "-p", "shop", "--tokens", "0"],
        expect![[r#"
        exit 0
        -- stderr
        note: 0 of 6 symbols in 0 tokens: --tokens N shows more
    "#]],
    );
}

#[test]
fn an_overview_describes_types_by_their_comments() {
    let home = Home::new();
    home.write(
        "shop/src/Cart.java",
        "/** A {@link Cart} holds what {@code Customer}s buy. */\npublic class Cart {\n    Cart next() { return new Cart(); }\n}\n",
    );
    home.write(
        "shop/src/types.ts",
        "///////////////////\n////  base type  ////\n///////////////////\nexport interface Base<\n  In = unknown,\n  \
         Out = unknown,\n> extends Cart<In> {}\nexport const base: Base = {};\n",
    );
    home.write("shop/src/state.rs", "pub struct Shop;\npub fn open() -> Shop {\n    Shop\n}\n");
    home.succeed(&["ingest", "shop"]);
    home.check(
        &["overview", "shop"],
        expect![[r#"
            exit 0
            -- stdout
            shop

            Modules  1 module
            module  files  lines  about  uses
            src         3     16

            Main types  most central first
            name  kind       where            about
            Cart  class      src/Cart.java:2  A Cart holds what Customers buy
            Base  interface  src/types.ts:4   export interface Base<In = unknown, Out = unknown> extends Cart<In> {}
            Shop  struct     src/state.rs:1   pub struct Shop

            More
            craig map                   the declarations of the central symbols
            craig symbol Cart           the definition of a symbol
            craig references Cart       the references to it
            craig insight architecture  layers, cycles, all entry points
        "#]],
    );
}

#[test]
fn an_overview() {
    let home = home();
    home.check(
        &["overview", "shop"],
        expect![[r#"
            exit 0
            -- stdout
            shop: Sells things to people  README.md

            Modules  1 module
            module  files  lines  about                   uses
            .           4     35  Sells things to people

            Main types  most central first
            name  kind   where      about
            Cart  class  cart.py:6  Items of one customer

            Entry points  1 place, the most important first
            kind     place        reaches  evidence
            program  __main__.py        2  runs with python -m

            One flow  the calls of one function in order; less important ones are omitted
            main  __main__.py:4
              Cart  cart.py:6
              Cart.total  cart.py:15
                price_of  prices.py:1
                  rounded  prices.py:5

            More
            craig map                     the declarations of the central symbols
            craig symbol Cart             the definition of a symbol
            craig references Cart         the references to it
            craig callees main --depth 3  all callees of a symbol
            craig insight architecture    layers, cycles, all entry points
        "#]],
    );
    home.check(
        &["overview", "shop", "--format", "json"],
        expect![[r#"
            exit 0
            -- stdout
            {
              "project": "shop",
              "about": {
                "text": "Sells things to people",
                "file": "README.md"
              },
              "modules": [
                {
                  "path": ".",
                  "about": {
                    "text": "Sells things to people",
                    "file": "README.md"
                  },
                  "files": 4,
                  "lines": 35,
                  "uses": []
                }
              ],
              "types": [
                {
                  "name": "Cart",
                  "kind": "class",
                  "path": "cart.py",
                  "line": 6,
                  "line_end": 16,
                  "signature": "class Cart",
                  "about": "Items of one customer"
                }
              ],
              "public_api": [],
              "entry_points": [
                {
                  "file": "__main__.py",
                  "line": null,
                  "kind": "program",
                  "evidence": "runs with python -m",
                  "started_by": [],
                  "reach": 2
                }
              ],
              "flow": {
                "from": {
                  "name": "main",
                  "kind": "function",
                  "path": "__main__.py",
                  "line": 4,
                  "line_end": 5
                },
                "calls": [
                  {
                    "depth": 1,
                    "name": "Cart",
                    "kind": "class",
                    "path": "cart.py",
                    "line": 6,
                    "line_end": 16,
                    "call_lines": [
                      5
                    ],
                    "confidence": 99
                  },
                  {
                    "depth": 1,
                    "name": "Cart.total",
                    "kind": "method",
                    "path": "cart.py",
                    "line": 15,
                    "line_end": 16,
                    "call_lines": [
                      5
                    ],
                    "confidence": 95
                  },
                  {
                    "depth": 2,
                    "name": "price_of",
                    "kind": "function",
                    "path": "prices.py",
                    "line": 1,
                    "line_end": 2,
                    "call_lines": [
                      16
                    ],
                    "confidence": 99
                  },
                  {
                    "depth": 3,
                    "name": "rounded",
                    "kind": "function",
                    "path": "prices.py",
                    "line": 5,
                    "line_end": 6,
                    "call_lines": [
                      2
                    ],
                    "confidence": 99
                  }
                ]
              }
            }
        "#]],
    );
}

#[test]
fn an_export() {
    let home = home();
    home.check(
        &["scip", "shop", "--output", "shop.scip"],
        expect![[r#"
        exit 0
        -- stdout
        shop.scip: 4 files, 8 symbols, 19 occurrences, 1.4 kB
    "#]],
    );
    assert!(home.path().join("shop.scip").metadata().unwrap().len() > 500);
    home.check(
        &["scip", "shop", "-o", "gone/index.scip"],
        expect![[r#"
        exit 1
        -- stderr
        error: cannot write gone/index.scip: No such file or directory (os error 2)
        hint: name another file with --output
    "#]],
    );
}
