//! Commands about symbols: what people and programs see.

use expect_test::expect;

use crate::harness::Home;

/// A home with a project in Python, ingested.
fn home() -> Home {
    let home = Home::new();
    home.write(
        "shop/cart.py",
        "from prices import price_of\n\n\nclass Cart:\n    def __init__(self, items):\n        self.items = items\n\n    \
         def total(self):\n        \"\"\"In cents.\"\"\"\n        return sum(price_of(item) for item in self.items)\n",
    );
    home.write(
        "shop/prices.py",
        "def price_of(item):\n    return rounded(item.price)\n\n\ndef rounded(price):\n    return round(price)\n\n\n\
         class Invoice:\n    def total(self):\n        return rounded(0)\n",
    );
    home.write(
        "shop/test_cart.py",
        "from cart import Cart\n\n\ndef test_total():\n    assert Cart([]).total() == 0\n",
    );
    home.succeed(&["ingest", "shop"]);
    home
}

#[test]
fn a_symbol() {
    let home = home();
    home.check(
        &["symbol", "Cart.total", "--root", "shop"],
        expect![[r#"
        exit 0
        -- stdout
        Cart.total  method  cart.py:8-10
              8      def total(self):
              9          """In cents."""
             10          return sum(price_of(item) for item in self.items)
        1 reference
    "#]],
    );
    home.check(&["symbol", "total", "-p", "shop", "--format", "json"], expect![[r#"
        exit 0
        -- stdout
        {
          "project": "shop",
          "symbol": {
            "name": "Cart.total",
            "kind": "method",
            "path": "cart.py",
            "line": 8,
            "line_end": 10
          },
          "others": [
            {
              "name": "Invoice.total",
              "kind": "method",
              "path": "prices.py",
              "line": 10,
              "line_end": 11
            }
          ],
          "signature": "def total(self)",
          "doc": "In cents.",
          "line_start": 8,
          "text": "    def total(self):\n        \"\"\"In cents.\"\"\"\n        return sum(price_of(item) for item in self.items)\n",
          "references": 1
        }
        -- stderr
        note: other symbols of that name (use a qualified name or path:line): Invoice.total at prices.py:10
    "#]]);
    let coloured = home.run(&["symbol", "shop/prices.py:5", "--root", "shop", "--color", "always"]);
    expect![[r#"
        exit 0
        -- stdout
        ESC[1mroundedESC[0m  ESC[2mfunctionESC[0m  ESC[35mprices.py:5-6ESC[0m
        ESC[2m      5ESC[0m  def rounded(price):
        ESC[2m      6ESC[0m      return round(price)
        ESC[2m2 referencesESC[0m
    "#]]
    .assert_eq(&home.transcript(&coloured).replace('\u{1b}', "ESC"));
}

#[test]
fn references() {
    let home = home();
    home.check(
        &["references", "rounded", "--root", "shop"],
        expect![[r#"
            exit 0
            -- stdout
            rounded  function  prices.py:5-6
            where         use   sure  in             text
            prices.py:2   call   99%  price_of       return rounded(item.price)
            prices.py:11  call   99%  Invoice.total  return rounded(0)
        "#]],
    );
    home.check(
        &["references", "Cart", "-p", "shop", "--kind", "call", "--kind", "import", "-n", "1"],
        expect![[r#"
            exit 0
            -- stdout
            Cart  class  cart.py:4-10
            where           use     sure  in  text
            test_cart.py:1  import   99%      from cart import Cart
            -- stderr
            note: 1 more of 2 references: -n 0 shows all
        "#]],
    );
    home.check(
        &["references", "Cart.total", "-p", "shop", "--format", "json"],
        expect![[r#"
            exit 0
            -- stdout
            {
              "project": "shop",
              "symbol": {
                "name": "Cart.total",
                "kind": "method",
                "path": "cart.py",
                "line": 8,
                "line_end": 10
              },
              "references": [
                {
                  "path": "test_cart.py",
                  "line": 5,
                  "column": 21,
                  "role": "call",
                  "within": "test_total",
                  "within_lines": [
                    4,
                    5
                  ],
                  "confidence": 95,
                  "test": true,
                  "text": "assert Cart([]).total() == 0"
                }
              ],
              "total": 1,
              "total_files": 1,
              "possible": 0,
              "unbound": {
                "word": "total",
                "lines": [],
                "total": 0
              }
            }
        "#]],
    );
    home.check(
        &["references", "Invoice", "-p", "shop"],
        expect![[r#"
        exit 0
        -- stdout
        Invoice  class  prices.py:9-11
        no references found
    "#]],
    );
    let coloured = home.run(&["references", "rounded", "-p", "shop", "--color", "always"]);
    expect![[r#"
        exit 0
        -- stdout
        ESC[1mroundedESC[0m  ESC[2mfunctionESC[0m  ESC[35mprices.py:5-6ESC[0m
        ESC[36mwhereESC[0m         ESC[36museESC[0m   ESC[36msureESC[0m  ESC[36minESC[0m             ESC[36mtextESC[0m
        ESC[35mprices.py:2ESC[0m   call   ESC[2m99%ESC[0m  ESC[2mprice_ofESC[0m       return rounded(item.price)
        ESC[35mprices.py:11ESC[0m  call   ESC[2m99%ESC[0m  ESC[2mInvoice.totalESC[0m  return rounded(0)
    "#]].assert_eq(&home.transcript(&coloured).replace('\u{1b}', "ESC"));
    let plain = home
        .craig(&["references", "rounded", "-p", "shop", "-n", "1"])
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    expect![[r#"
        exit 0
        -- stdout
        rounded  function  prices.py:5-6
        where        use   sure  in        text
        prices.py:2  call   99%  price_of  return rounded(item.price)
        -- stderr
        note: 1 more of 2 references: -n 0 shows all
    "#]]
    .assert_eq(&home.transcript(&plain).replace('\u{1b}', "ESC"));
}

#[test]
fn callers_and_callees() {
    let home = home();
    home.check(
        &["callers", "rounded", "-p", "shop", "--depth", "3"],
        expect![[r#"
        exit 0
        -- stdout
        rounded  function  prices.py:5-6
          price_of  prices.py:1  line 2, 99%
            Cart.total  cart.py:8  line 10, 99%
              test_total  test_cart.py:4  line 5, 95%, test
          Invoice.total  prices.py:10  line 11, 99%
    "#]],
    );
    home.check(
        &["callees", "Cart.total", "-p", "shop", "--depth", "2"],
        expect![[r#"
        exit 0
        -- stdout
        Cart.total  method  cart.py:8-10
          price_of  prices.py:1  line 10, 99%
            rounded  prices.py:5  line 2, 99%
    "#]],
    );
    home.check(
        &["callers", "price_of", "-p", "shop", "--format", "json"],
        expect![[r#"
            exit 0
            -- stdout
            {
              "project": "shop",
              "symbol": {
                "name": "price_of",
                "kind": "function",
                "path": "prices.py",
                "line": 1,
                "line_end": 2
              },
              "direction": "in",
              "calls": [
                {
                  "depth": 1,
                  "name": "Cart.total",
                  "kind": "method",
                  "path": "cart.py",
                  "line": 8,
                  "line_end": 10,
                  "call_lines": [
                    10
                  ],
                  "confidence": 99
                }
              ],
              "total": 1,
              "possible": 0,
              "other_references": 1,
              "unbound": {
                "word": "price_of",
                "lines": [],
                "total": 0
              }
            }
            -- stderr
            note: 1 reference outside calls: see craig references
        "#]],
    );
}

#[test]
fn impact() {
    let home = home();
    home.check(
        &["impact", "rounded", "-p", "shop"],
        expect![[r#"
            exit 0
            -- stdout
            rounded  function  prices.py:5-6
            a change may affect 4 symbols (1 in tests) and 3 files (1 of tests)

            distance  file
                   1  prices.py
                   2  cart.py
                   3  test_cart.py  test

            distance  symbol         where
                   1  price_of       prices.py:1
                   1  Invoice.total  prices.py:10
                   2  Cart.total     cart.py:8
                   3  test_total     test_cart.py:4  test
        "#]],
    );
    home.check(
        &["impact", "rounded", "-p", "shop", "--depth", "1", "--format", "json"],
        expect![[r#"
            exit 0
            -- stdout
            {
              "project": "shop",
              "symbol": {
                "name": "rounded",
                "kind": "function",
                "path": "prices.py",
                "line": 5,
                "line_end": 6
              },
              "depth": 1,
              "goes_further": true,
              "files": [
                {
                  "distance": 1,
                  "path": "prices.py"
                }
              ],
              "symbols": [
                {
                  "distance": 1,
                  "name": "price_of",
                  "kind": "function",
                  "path": "prices.py",
                  "line": 1,
                  "line_end": 2
                },
                {
                  "distance": 1,
                  "name": "Invoice.total",
                  "kind": "method",
                  "path": "prices.py",
                  "line": 10,
                  "line_end": 11
                }
              ],
              "total_files": 1,
              "total_tests": 0,
              "total_symbols": 2,
              "total_test_symbols": 0,
              "possible": 0
            }
            -- stderr
            note: code more than 1 step away may be affected, too: 'craig impact --depth N' shows it
        "#]],
    );
}

#[test]
fn an_impact_beyond_the_depth() {
    let home = home();
    home.check(
        &["impact", "rounded", "-p", "shop", "--depth", "2"],
        expect![[r#"
            exit 0
            -- stdout
            rounded  function  prices.py:5-6
            a change may affect 3 symbols (0 in tests) and 2 files (0 of tests)

            distance  file
                   1  prices.py
                   2  cart.py

            distance  symbol         where
                   1  price_of       prices.py:1
                   1  Invoice.total  prices.py:10
                   2  Cart.total     cart.py:8
            -- stderr
            note: code more than 2 steps away may be affected, too: 'craig impact --depth N' shows it
        "#]],
    );
}

#[test]
fn an_impact_on_tests_inside_a_file() {
    let home = Home::new();
    home.write(
        "shop/cart.rs",
        "pub fn total() -> u32 {\n    1\n}\n\npub fn twice() -> u32 {\n    total() * 2\n}\n\n\
         #[cfg(test)]\nmod tests {\n    #[test]\n    fn one() {\n        assert_eq!(super::total(), 1);\n    }\n}\n",
    );
    home.succeed(&["ingest", "shop"]);
    home.check(
        &["impact", "total", "-p", "shop"],
        expect![[r#"
            exit 0
            -- stdout
            total  function  cart.rs:1-3
            a change may affect 2 symbols (1 in tests) and 1 file (0 of tests)

            distance  file
                   1  cart.rs

            distance  symbol      where
                   1  twice       cart.rs:5
                   1  tests::one  cart.rs:12  test
        "#]],
    );
}

#[test]
fn unknown_symbols_are_refused_with_similar_ones() {
    let home = home();
    home.check(
        &["callers", "roundd", "-p", "shop"],
        expect![[r#"
        exit 1
        -- stderr
        error: the project "shop" has no symbol "roundd"
        hint: did you mean rounded?
    "#]],
    );
    home.check(&["impact", "zzz", "-p", "shop", "--format", "json"], expect![[r#"
        exit 1
        -- stderr
        {
          "error": "the project \"shop\" has no symbol \"zzz\"",
          "hint": "'craig search' finds code by what it does, 'craig grep' by its text; names are 'Cart.total' or 'src/cart.py:12'"
        }
    "#]]);
    home.check(
        &["references", "rounded", "-p", "shop", "--min-confidence", "101"],
        expect![[r#"
        exit 1
        -- stderr
        error: invalid value '101' for '--min-confidence <PERCENT>': 101 is not in 0..=100

        For more information, try '--help'.
    "#]],
    );
}

#[test]
fn a_comment_before_a_definition_is_shown() {
    let home = Home::new();
    home.write(
        "shop/prices.rs",
        "/// Rounds a price.\n///\n/// To cents.\nfn rounded(price: f64) -> u64 {\n    0\n}\n",
    );
    home.check(
        &["symbol", "rounded", "--root", "shop"],
        expect![[r#"
        exit 0
        -- stdout
        rounded  function  prices.rs:4-6
                 Rounds a price.

                 To cents.
              4  fn rounded(price: f64) -> u64 {
              5      0
              6  }
        0 references
    "#]],
    );
}

#[test]
fn lines_that_may_be_calls_are_counted() {
    let home = Home::new();
    home.write("shop/hooks.py", "def on_pay(order):\n    return order\n");
    home.write(
        "shop/run.py",
        "def run(hooks, order):\n    # Called by its name: on_pay.\n    return getattr(hooks, \"on_pay\")(order)\n",
    );
    home.check(
        &["callers", "on_pay", "--root", "shop"],
        expect![[r#"
            exit 0
            -- stdout
            on_pay  function  hooks.py:1-2
            no callers found; 2 lines with the word on_pay are not bound to a symbol: 'craig references on_pay --all' lists them
        "#]],
    );
    let json = home.succeed(&["callers", "on_pay", "--root", "shop", "--format", "json"]);
    assert!(json.contains(r#""unbound":{"word":"on_pay","lines":[],"total":2}"#), "{json}");
    home.write(
        "shop/direct.py",
        "from hooks import on_pay\n\n\ndef direct(order):\n    return on_pay(order)\n",
    );
    home.check(
        &["callers", "on_pay", "--root", "shop"],
        expect![[r#"
            exit 0
            -- stdout
            on_pay  function  hooks.py:1-2
              direct  direct.py:4  line 5, 99%
            -- stderr
            note: 1 reference outside calls: see craig references
            note: 2 lines with the word on_pay are not bound to a symbol: 'craig references on_pay --all' lists them
        "#]],
    );
}

#[test]
fn a_place_in_a_file_that_there_is_not() {
    home().check(
        &["references", "src/nope.js:4", "-p", "shop"],
        expect![[r#"
            exit 1
            -- stderr
            error: the project "shop" has no file "src/nope.js"
            hint: 'craig tree' lists the files of a project
        "#]],
    );
}

#[test]
fn other_words_for_commands_are_accepted() {
    let home = home();
    for (word, command) in [("usages", "references"), ("affected", "impact")] {
        let answer = |command: &str| home.succeed(&[command, "rounded", "-p", "shop"]);
        assert_eq!(answer(word), answer(command));
    }
}
