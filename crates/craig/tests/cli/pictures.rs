//! The pictures of the README are what the program prints: `UPDATE_EXPECT=1` makes them anew.

use std::path::Path;

use regex::Regex;

use crate::harness::Home;

/// Columns of the pictured terminal.
const COLUMNS: &str = "100";

/// Runs a command of a terminal in colour, and holds it against `docs/images/<name>.svg`.
fn check_picture(home: &Home, name: &str, args: &[&str]) {
    let output = home.craig(args).args(["--color", "always", "-q"]).env("COLUMNS", COLUMNS).output().unwrap();
    assert!(output.status.success(), "{}", home.transcript(&output));
    let shown = args.iter().map(|arg| if arg.contains(' ') { format!("{arg:?}") } else { (*arg).to_owned() });
    let prompt = format!("\u{1b}[32m$\u{1b}[0m craig {}\n\n", shown.collect::<Vec<_>>().join(" "));
    let text = prompt + String::from_utf8(output.stdout).unwrap().trim_end();
    // How long it took differs from run to run.
    let text = Regex::new(r"[0-9.]+ ms").unwrap().replace_all(&text, "1.0 ms").into_owned();
    let picture = anstyle_svg::Term::new().render_svg(&text);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/images/{name}.svg"));
    expect_test::expect_file![file].assert_eq(&picture);
}

/// A small shop with something to find.
fn shop() -> Home {
    let home = Home::with_shop();
    home.write("shop/src/session.py", SESSION);
    home.write("shop/src/cart/checkout.rs", CHECKOUT);
    home.write(
        "shop/tests/test_session.py",
        "from session import expire\n\n\ndef test_expire():\n    assert expire([]) == []\n",
    );
    home.succeed(&["ingest", "shop"]);
    home
}

#[test]
fn picture_of_a_search() {
    check_picture(&shop(), "search", &["search", "how do sessions expire", "--project", "shop", "-n", "2"]);
}

#[test]
fn picture_of_why_a_result_is_relevant() {
    let args = ["search", "total_price", "--project", "shop", "-n", "1", "--explain"];
    check_picture(&shop(), "explain", &args);
}

#[test]
fn picture_of_an_analysis() {
    check_picture(&shop(), "quality", &["insight", "quality", "shop"]);
}

const SESSION: &str = r#""""Sessions of people who are logged in."""

from auth import verify_token

MAX_AGE = 30 * 60


def expire(sessions, now=0):
    """Drops sessions that nobody has used for half an hour."""
    return [session for session in sessions if now - session.last_used < MAX_AGE]


def resume(token, secret, sessions):
    """Finds the session of a signed token, if it has not expired."""
    if not verify_token(token, secret):
        return None
    for session in expire(sessions):
        if session.token == token:
            return session
    return None
"#;

const CHECKOUT: &str = r#"use super::prices::total_price;

/// Charges the cart, unless it is empty or the card is refused.
pub fn checkout(cart: &Cart, card: &Card) -> Result<Receipt, Refusal> {
    if cart.items.is_empty() {
        return Err(Refusal::Empty);
    }
    let total = total_price(&cart.items);
    match card.charge(total) {
        Ok(reference) => Ok(Receipt { total, reference }),
        Err(error) if error.is_temporary() => Err(Refusal::TryAgain),
        Err(_) => Err(Refusal::Card),
    }
}
"#;
