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
    home.check(
        &["symbol", "total", "-p", "shop", "--format", "json"],
        expect![[r#"
        exit 0
        -- stdout
        rounded  function  prices.py:5-6
        where         use   sure  in             line
        prices.py:2   call   99%  price_of       return rounded(item.price)
        prices.py:11  call   99%  Invoice.total  return rounded(0)
    "#]],
    );
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
    home.check(&["references", "rounded", "--root", "shop"], expect![[r#""#]]);
    home.check(
        &["references", "Cart", "-p", "shop", "--kind", "call", "--kind", "import", "-n", "1"],
        expect![[r#""#]],
    );
    home.check(&["references", "Cart.total", "-p", "shop", "--format", "json"], expect![[r#""#]]);
    home.check(&["references", "Invoice", "-p", "shop"], expect![[r#""#]]);
    let coloured = home.run(&["references", "rounded", "-p", "shop", "--color", "always"]);
    expect![[r#""#]].assert_eq(&home.transcript(&coloured).replace('\u{1b}', "ESC"));
    let plain = home
        .craig(&["references", "rounded", "-p", "shop", "-n", "1"])
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    expect![[r#""#]].assert_eq(&home.transcript(&plain).replace('\u{1b}', "ESC"));
}

#[test]
fn callers_and_callees() {
    let home = home();
    home.check(&["callers", "rounded", "-p", "shop", "--depth", "3"], expect![[r#""#]]);
    home.check(&["callees", "Cart.total", "-p", "shop", "--depth", "2"], expect![[r#""#]]);
    home.check(&["callers", "price_of", "-p", "shop", "--format", "json"], expect![[r#""#]]);
}

#[test]
fn impact() {
    let home = home();
    home.check(&["impact", "rounded", "-p", "shop"], expect![[r#""#]]);
    home.check(&["impact", "rounded", "-p", "shop", "--depth", "1", "--format", "json"], expect![[r#""#]]);
}

#[test]
fn unknown_symbols_are_refused_with_similar_ones() {
    let home = home();
    home.check(&["callers", "roundd", "-p", "shop"], expect![[r#""#]]);
    home.check(&["impact", "zzz", "-p", "shop", "--format", "json"], expect![[r#""#]]);
    home.check(&["references", "rounded", "-p", "shop", "--min-confidence", "101"], expect![[r#""#]]);
}
