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
