//! `craig outline`: what people and programs see.

use expect_test::expect;

use crate::harness::Home;

#[test]
fn a_project_and_a_file() {
    let home = Home::with_ingested_shop();
    home.check(&["outline", "-p", "shop"], expect![[""]]);
    home.check(&["outline", "shop/src/auth.py", "--root", "shop", "--format", "json"], expect![[""]]);
    home.check(&["outline", "src/aut.py", "-p", "shop"], expect![[""]]);
    home.check(&["outline", "logo.png", "-p", "shop"], expect![[""]]);
}
