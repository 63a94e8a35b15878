//! How a file, a folder or a symbol is connected, and what its change would reach.

use craig_insight::{InsightError, Relations};
use expect_test::{Expect, expect};

use crate::analysis;
use crate::fixture::{borrowed, files};

const SHOP: &str = r#"
//- /package.json
{ "name": "shop", "dependencies": { "zod": "^3" } }
//- /src/cart/cart.ts
import { z } from "zod"
import { price } from "../price"
export class Cart {
  total() { return price(1) }
}
//- /src/cart/line.ts
import { Cart } from "./cart"
export const line = new Cart()
//- /src/price.ts
export function price(n: number) { return n }
export function total() { return 0 }
//- /src/api.ts
import { Cart } from "./cart/cart"
export function checkout(cart: Cart) { return cart.total() }
//- /src/main.ts
import { checkout } from "./api"
checkout(new Something())
//- /src/api.test.ts
import { checkout } from "./api"
//- /src/unrelated.ts
export const Cart = "another thing"
"#;

fn relations(fixture: &str, target: &str) -> Result<Relations, InsightError> {
    let files = files(fixture);
    analysis(fixture).relations_in(borrowed(&files), target)
}

fn check(target: &str, expect: Expect) {
    let found = relations(SHOP, target).unwrap();
    let mut out = format!("{} {} of {}\n", found.target, found.kind, found.files.join(" "));
    for definition in &found.definitions {
        let parent = definition.parent.as_ref().map(|parent| format!(" in {parent}")).unwrap_or_default();
        out.push_str(&format!(
            "defined {}:{}-{} {}{parent}\n",
            definition.file, definition.line, definition.line_end, definition.kind
        ));
    }
    for edge in &found.uses {
        out.push_str(&format!(
            "uses {} from {}:{} ({})\n",
            edge.to_file, edge.from_file, edge.line, edge.kind
        ));
    }
    for package in &found.packages {
        out.push_str(&format!("uses package {} in {} places\n", package.name, package.uses.len()));
    }
    for edge in &found.used_by {
        out.push_str(&format!("used by {}:{} ({})\n", edge.from_file, edge.line, edge.kind));
    }
    for place in &found.mentions {
        out.push_str(&format!("mentioned {}:{}\n", place.file, place.line));
    }
    for reached in &found.impact {
        let test = if reached.is_test { " test" } else { "" };
        out.push_str(&format!("reaches {} at {}{test}\n", reached.file, reached.distance));
    }
    expect.assert_eq(&out);
}

#[test]
fn a_file_uses_and_is_used() {
    check(
        "src/cart/cart.ts",
        expect![[r#"
        src/cart/cart.ts file of src/cart/cart.ts
        uses src/price.ts from src/cart/cart.ts:2 (import)
        uses package zod in 1 places
        used by src/api.ts:1 (import)
        used by src/cart/line.ts:1 (import)
        reaches src/api.ts at 1
        reaches src/cart/line.ts at 1
        reaches src/api.test.ts at 2 test
        reaches src/main.ts at 2
    "#]],
    );
}

#[test]
fn a_path_may_begin_with_a_dot() {
    check(
        "./src/price.ts",
        expect![[r#"
        ./src/price.ts file of src/price.ts
        used by src/cart/cart.ts:2 (import)
        reaches src/cart/cart.ts at 1
        reaches src/api.ts at 2
        reaches src/cart/line.ts at 2
        reaches src/api.test.ts at 3 test
        reaches src/main.ts at 3
    "#]],
    );
}

#[test]
fn a_folder_is_all_of_its_files() {
    check(
        "src/cart",
        expect![[r#"
        src/cart folder of src/cart/cart.ts src/cart/line.ts
        uses src/price.ts from src/cart/cart.ts:2 (import)
        uses package zod in 1 places
        used by src/api.ts:1 (import)
        reaches src/api.ts at 1
        reaches src/api.test.ts at 2 test
        reaches src/main.ts at 2
    "#]],
    );
    check(
        "src/cart/",
        expect![[r#"
        src/cart/ folder of src/cart/cart.ts src/cart/line.ts
        uses src/price.ts from src/cart/cart.ts:2 (import)
        uses package zod in 1 places
        used by src/api.ts:1 (import)
        reaches src/api.ts at 1
        reaches src/api.test.ts at 2 test
        reaches src/main.ts at 2
    "#]],
    );
}

#[test]
fn the_whole_project_has_nothing_around_it() {
    check(
        ".",
        expect![[r#"
        . folder of package.json src/api.test.ts src/api.ts src/cart/cart.ts src/cart/line.ts src/main.ts src/price.ts src/unrelated.ts
        uses package zod in 1 places
    "#]],
    );
}

#[test]
fn a_symbol_is_where_it_is_defined_and_named() {
    check(
        "checkout",
        expect![[r#"
        checkout symbol of src/api.ts
        defined src/api.ts:2-2 function
        uses src/cart/cart.ts from src/api.ts:1 (import)
        used by src/api.test.ts:1 (mention)
        used by src/main.ts:1 (mention)
        mentioned src/api.test.ts:1
        mentioned src/main.ts:1
        mentioned src/main.ts:2
        reaches src/api.test.ts at 1 test
        reaches src/main.ts at 1
    "#]],
    );
}

#[test]
fn a_qualified_symbol_is_one_of_several() {
    check(
        "Cart.total",
        expect![[r#"
        Cart.total symbol of src/cart/cart.ts
        defined src/cart/cart.ts:4-4 method in Cart
        uses src/price.ts from src/cart/cart.ts:2 (import)
        uses package zod in 1 places
        used by src/api.ts:2 (mention)
        mentioned src/api.ts:2
        reaches src/api.ts at 1
        reaches src/api.test.ts at 2 test
        reaches src/main.ts at 2
    "#]],
    );
    check(
        "Cart::total",
        expect![[r#"
        Cart::total symbol of src/cart/cart.ts
        defined src/cart/cart.ts:4-4 method in Cart
        uses src/price.ts from src/cart/cart.ts:2 (import)
        uses package zod in 1 places
        used by src/api.ts:2 (mention)
        mentioned src/api.ts:2
        reaches src/api.ts at 1
        reaches src/api.test.ts at 2 test
        reaches src/main.ts at 2
    "#]],
    );
    check(
        "total",
        expect![[r#"
        total symbol of src/cart/cart.ts src/price.ts
        defined src/cart/cart.ts:4-4 method in Cart
        defined src/price.ts:2-2 function
        uses package zod in 1 places
        used by src/api.ts:2 (mention)
        mentioned src/api.ts:2
        reaches src/api.ts at 1
        reaches src/api.test.ts at 2 test
        reaches src/main.ts at 2
    "#]],
    );
}

#[test]
fn a_name_of_two_things_is_both() {
    check(
        "Cart",
        expect![[r#"
        Cart symbol of src/cart/cart.ts src/unrelated.ts
        defined src/cart/cart.ts:3-5 class
        defined src/unrelated.ts:1-1 constant
        uses src/price.ts from src/cart/cart.ts:2 (import)
        uses package zod in 1 places
        used by src/api.ts:1 (mention)
        used by src/cart/line.ts:1 (mention)
        mentioned src/api.ts:1
        mentioned src/api.ts:2
        mentioned src/cart/line.ts:1
        mentioned src/cart/line.ts:2
        reaches src/api.ts at 1
        reaches src/cart/line.ts at 1
        reaches src/api.test.ts at 2 test
        reaches src/main.ts at 2
    "#]],
    );
}

#[test]
fn a_dotted_path_of_a_module_is_its_file() {
    let fixture = r#"
//- /shop/app/__init__.py
from .task import Task
//- /shop/app/task.py
class Task: pass
//- /shop/app/base.py
class App:
    def task(self): pass
//- /src/cart/mod.rs
pub fn cart() {}
"#;
    let found = |target: &str| {
        let found = relations(fixture, target).unwrap();
        format!("{target}: {} {}\n", found.kind, found.files.join(" "))
    };
    let targets = ["shop.app.task", "shop.app", "App.task", "crate::cart", "cart"];
    expect![[r#"
        shop.app.task: file shop/app/task.py
        shop.app: folder shop/app/__init__.py shop/app/base.py shop/app/task.py
        App.task: symbol shop/app/base.py
        crate::cart: folder src/cart/mod.rs
        cart: symbol src/cart/mod.rs
    "#]]
    .assert_eq(&targets.map(found).concat());
}

#[test]
fn charts_show_the_neighbours_of_the_target() {
    expect![[r#"
        flowchart LR
          n0["src/api.ts"]
          n1["src/api.test.ts"]
          n2["src/main.ts"]
          n3["src/cart/cart.ts"]
          n0 --> n3
          n1 --> n0
          n2 --> n0
    "#]]
    .assert_eq(&relations(SHOP, "src/api.ts").unwrap().mermaid);
}

#[test]
fn an_unknown_target_is_an_error_with_similar_names() {
    let error = |target| match relations(SHOP, target) {
        Err(InsightError::UnknownTarget { target, similar }) => format!("{target}: {similar:?}\n"),
        other => panic!("{other:?}"),
    };
    expect![[r#"
        CHECKOUT: ["checkout"]
        lib/api.ts: ["src/api.ts"]
        nowhere: []
    "#]]
    .assert_eq(&["CHECKOUT", "lib/api.ts", "nowhere"].map(error).concat());
}

#[test]
fn a_ring_reaches_each_of_its_files_once() {
    let ring = "//- /a.ts\nimport './b'\n//- /b.ts\nimport './c'\n//- /c.ts\nimport './a'\n";
    let found = relations(ring, "a.ts").unwrap();
    let reached: Vec<(&str, usize)> =
        found.impact.iter().map(|one| (one.file.as_str(), one.distance)).collect();
    assert_eq!(reached, [("c.ts", 1), ("b.ts", 2)]);
}

#[test]
fn a_change_of_a_source_of_c_reaches_those_that_include_its_header() {
    let fixture = r#"
//- /Settings.h
int read(void);
//- /Settings.c
#include "Settings.h"
int read(void) { return 1; }
//- /Panel.c
#include "Panel.h"
#include "Settings.h"
//- /Panel.h
int draw(void);
//- /main.c
#include "Panel.h"
"#;
    let found = relations(fixture, "Settings.c").unwrap();
    let reached: Vec<String> =
        found.impact.iter().map(|reached| format!("{} {}", reached.file, reached.distance)).collect();
    assert_eq!(reached, ["Panel.c 1", "main.c 2"]);
}
