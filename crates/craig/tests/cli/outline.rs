//! `craig outline`: what people and programs see.

use expect_test::expect;

use crate::harness::Home;

#[test]
fn a_project_and_a_file() {
    let home = Home::with_ingested_shop();
    home.check(
        &["outline", "-p", "shop"],
        expect![[r#"
        exit 0
        -- stdout
        README.md
                1-3  section    # Shop
        src/auth.py
                4-7  function   def verify_token(token, secret)
        src/cart/prices.rs
                2-4  function   pub fn total_price(items: &[Item]) -> u64
    "#]],
    );
    home.check(
        &["outline", "shop/src/auth.py", "--root", "shop", "--format", "json"],
        expect![[r#"
        exit 0
        -- stdout
        {
          "project": "shop",
          "path": "src/auth.py",
          "files": [
            {
              "path": "src/auth.py",
              "language": "python",
              "lines": 7,
              "definitions": [
                {
                  "name": "verify_token",
                  "kind": "function",
                  "parent": null,
                  "depth": 0,
                  "line": 4,
                  "line_end": 7,
                  "signature": "def verify_token(token, secret)"
                }
              ]
            }
          ],
          "files_left": 0
        }
    "#]],
    );
    home.check(
        &["outline", "src/aut.py", "-p", "shop"],
        expect![[r#"
            exit 1
            -- stderr
            error: the project "shop" has no file "src/aut.py"
            hint: did you mean src/auth.py?
        "#]],
    );
    home.check(
        &["outline", "logo.png", "-p", "shop"],
        expect![[r#"
        exit 0
        -- stderr
        note: logo.png has no definitions
    "#]],
    );
}

#[test]
fn definitions_are_called_as_in_their_language() {
    let home = Home::new();
    home.write(
        "shop/cart.rs",
        "pub struct Cart {\n    items: u32,\n}\n\npub trait Priced {\n    fn price(&self) -> u32;\n}\n\n\
         pub enum State {\n    Open,\n}\n\nimpl Cart {\n    pub const MOST: u32 = 9;\n}\n\n\
         impl Priced for Order {\n    fn price(&self) -> u32 {\n        1\n    }\n}\n",
    );
    home.write("shop/State.java", "enum State {\n    OPEN;\n    int since;\n}\n");
    home.write("shop/guide.rst", "=======\n Guide\n=======\n\nWords.\n");
    home.succeed(&["ingest", "shop"]);
    home.check(
        &["outline", "-p", "shop", "--depth", "9"],
        expect![[r#"
            exit 0
            -- stdout
            State.java
                    1-4  enum       enum State
                      2  member       OPEN
                      3  field        int since
            cart.rs
                    1-3  struct     pub struct Cart
                      2  field        items: u32
                     14  constant     pub const MOST: u32 = 9
                    5-7  trait      pub trait Priced
                      6  method       fn price(&self) -> u32
                   9-11  enum       pub enum State
                     10  variant      Open
                  18-20  method     fn price(&self) -> u32  in Order
            guide.rst
                    2-5  section    Guide
        "#]],
    );
    home.check(
        &["symbol", "State::Open", "-p", "shop"],
        expect![[r#"
            exit 0
            -- stdout
            State::Open  variant  cart.rs:10
                 10      Open,
            0 references
        "#]],
    );
}
