//! What is central in a project, and what others use of it.

use craig_symbols::{MapFocus, SymbolGraph, SymbolIx};
use expect_test::{Expect, expect};

use crate::fixture;

const SHOP: &str = r#"
//- /shop/cart.py
from shop.prices import Price, rounded


class Cart:
    def __init__(self, items):
        self.items = items

    def total(self):
        total = Price(0)
        for item in self.items:
            total = total.plus(item.price)
        return total


def _empty():
    return Cart([])
//- /shop/prices.py
class Price:
    def __init__(self, cents):
        self.cents = cents

    def plus(self, other):
        return Price(rounded(self.cents + other.cents))


def rounded(number):
    return round(number)
//- /shop/invoice.py
from shop.cart import Cart
from shop.prices import Price


class Invoice:
    def due(self, cart: Cart) -> Price:
        return cart.total()
//- /vendor/tables.py
class Table:
    def row(self):
        return Table()
//- /tests/test_cart.py
from shop.cart import Cart


def helper():
    return Cart([])


def test_total():
    assert helper().total()
"#;

fn graph() -> SymbolGraph {
    let files = fixture::files(SHOP);
    SymbolGraph::from_texts(fixture::borrowed(&files))
}

fn line(graph: &SymbolGraph, at: SymbolIx) -> String {
    let definition = graph.definition(at);
    let path = &graph.files[definition.file as usize].path;
    format!("{} {path}:{}\n", graph.qualified_name(at), definition.line)
}

fn check_central(focus: impl Fn(&SymbolGraph) -> MapFocus, expected: &Expect) {
    let graph = graph();
    let central = graph.central(&focus(&graph));
    expected.assert_eq(&central.iter().map(|found| line(&graph, found.symbol)).collect::<String>());
}

#[test]
fn what_much_refers_to_is_central() {
    check_central(
        |_| MapFocus::default(),
        &expect![[r#"
        Cart shop/cart.py:4
        Price shop/prices.py:1
        Cart.total shop/cart.py:8
        Invoice shop/invoice.py:5
        Price.plus shop/prices.py:5
        rounded shop/prices.py:9
        Invoice.due shop/invoice.py:6
        Cart.__init__ shop/cart.py:5
        _empty shop/cart.py:15
        Price.__init__ shop/prices.py:2
    "#]],
    );
}

#[test]
fn a_map_may_be_about_paths_or_symbols() {
    let of_path = |_: &SymbolGraph| MapFocus { paths: vec!["shop/invoice.py".into()], symbols: Vec::new() };
    check_central(
        of_path,
        &expect![[r#"
        Invoice shop/invoice.py:5
        Invoice.due shop/invoice.py:6
        Cart shop/cart.py:4
        Price shop/prices.py:1
        Cart.total shop/cart.py:8
        Price.plus shop/prices.py:5
        rounded shop/prices.py:9
        Cart.__init__ shop/cart.py:5
        _empty shop/cart.py:15
        Price.__init__ shop/prices.py:2
    "#]],
    );
    let of_tests =
        |graph: &SymbolGraph| MapFocus { paths: Vec::new(), symbols: vec![(graph.named("helper")[0], 50)] };
    check_central(
        of_tests,
        &expect![[r#"
        helper tests/test_cart.py:4
        Cart shop/cart.py:4
        Price shop/prices.py:1
        Cart.total shop/cart.py:8
        Invoice shop/invoice.py:5
        Price.plus shop/prices.py:5
        rounded shop/prices.py:9
        Invoice.due shop/invoice.py:6
        Cart.__init__ shop/cart.py:5
        _empty shop/cart.py:15
        Price.__init__ shop/prices.py:2
    "#]],
    );
}

#[test]
fn the_public_api_is_what_tests_use() {
    let graph = graph();
    let (central, n_users) = (graph.central(&MapFocus::default()), graph.n_outside_users());
    let names = |roots: &[u32]| {
        graph.public_api(roots, &central, &n_users).iter().map(|&at| line(&graph, at)).collect::<String>()
    };
    expect![[r#"
        Cart shop/cart.py:4
        Price shop/prices.py:1
        Invoice shop/invoice.py:5
        rounded shop/prices.py:9
    "#]]
    .assert_eq(&names(&[]));
    let root = graph.file("shop/invoice.py").unwrap();
    expect![[r#"
        Cart shop/cart.py:4
        Price shop/prices.py:1
        Invoice shop/invoice.py:5
        rounded shop/prices.py:9
    "#]]
    .assert_eq(&names(&[root]));
}

#[test]
fn the_public_api_of_scripts_is_what_their_main_files_export() {
    let files = fixture::files(
        r#"
//- /src/index.ts
import { hidden } from "./run"
export { run } from "./run"
export * from "./types"
export * as tools from "./tools"
export const VERSION = hidden()
const own = 1
import useCart from "./cart"
export default useCart
//- /src/cart.ts
import { run } from "./run"
const useCart = run(1)
const kept = run(2)
export default useCart
//- /src/run.ts
export function run() { return hidden() + spawn() }
export function hidden() { return 1 }
export function spawn() { return 2 }
//- /src/types.ts
export * from "./more"
export interface Options { all: boolean }
interface Inner {}
//- /src/more.ts
export { late as early } from "./late"
//- /src/late.ts
export function late() {}
export function never() {}
//- /src/tools.ts
export function tool() {}
//- /src/old.js
module.exports = { first, second: make() }
function first() {}
function make() {}
//- /lib/__init__.py
from lib._impl import Shown
//- /lib/_impl.py
class Shown: pass
class Internal: pass
//- /lib/open.py
class Open: pass
"#,
    );
    let graph = SymbolGraph::from_texts(fixture::borrowed(&files));
    let (central, n_users) = (graph.central(&MapFocus::default()), graph.n_outside_users());
    let names = |root: &str| {
        let offered = graph.public_api(&[graph.file(root).unwrap()], &central, &n_users);
        let mut names: Vec<&str> =
            offered.iter().map(|&at| graph.definitions[at as usize].name.as_str()).collect();
        names.sort_unstable();
        names.join(" ")
    };
    expect!["Open Options VERSION late run tool useCart"].assert_eq(&names("src/index.ts"));
    expect!["Open first second"].assert_eq(&names("src/old.js"));
    expect!["Open Shown"].assert_eq(&names("lib/__init__.py"));
}

#[test]
fn a_project_without_symbols_has_no_map() {
    let graph = SymbolGraph::from_texts([("README.md", "# Shop\n")]);
    assert_eq!(graph.central(&MapFocus { paths: vec!["README.md".into()], symbols: Vec::new() }), []);
}
