//! `craig related`: what people and programs see.

use expect_test::expect;

use crate::harness::Home;

const SESSION: &str = r#""""Who is logged in."""


def verify_session(session, secret):
    """Checks that a session was signed with the secret."""
    header, payload, signature = session.split(".")
    return sign(header + "." + payload, secret) == signature
"#;

#[test]
fn what_is_like_a_place() {
    let home = Home::with_shop();
    home.write("shop/src/session.py", SESSION);
    home.succeed(&["ingest", "shop"]);
    home.check(
        &["related", "shop/src/auth.py:5", "--root", "shop"],
        expect![[r#"
            exit 0
            -- stdout
            like src/auth.py:1-7  verify_token
             1 PERCENT  src/session.py:1-7  verify_session  function
                  1  """Who is logged in."""
                  2
                  3
                  4  def verify_session(session, secret):
                  5      """Checks that a session was signed with the secret."""
                  6      header, payload, signature = session.split(".")
                  7      return sign(header + "." + payload, secret) == signature

             2 PERCENT  src/cart/prices.rs:1-4  total_price  function
            2 results in shop
        "#]],
    );
    home.check(
        &["related", "src/cart/prices.rs", "-p", "shop", "--kind", "docs"],
        expect![[r#"
            exit 0
            -- stdout
            like src/cart/prices.rs:1-4  total_price
            0 results in shop
        "#]],
    );
    home.check(
        &["related", "logo.png", "-p", "shop"],
        expect![[r#"
            exit 1
            -- stderr
            error: logo.png has no text to compare
            hint: binary files and secrets are tracked by name only
        "#]],
    );
}
