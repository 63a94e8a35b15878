//! Outlines of files and folders.

use craig_engine::{Outline, OutlineRequest};
use expect_test::{Expect, expect};

use crate::workshop::Workshop;

const FILES: &[(&str, &str)] = &[
    (
        "src/router.rs",
        "pub struct Router {\n    routes: Vec<Route>,\n}\n\nimpl Router {\n    /// Adds one.\n    pub fn route(\n        mut self,\n        path: &str,\n        handler: Handler,\n    ) -> Self {\n        self\n    }\n}\n\npub const MOST: usize = 10;\n",
    ),
    (
        "src/app.go",
        "package app\n\nfunc (c *Context) JSON(code int) {\n}\n\ntype Context struct {\n\tcode int\n}\n",
    ),
    (
        "src/shop.py",
        "class Shop:\n    class Item:\n        def price(self): return 1\n\n    def total(self, items=(1,\n                           2)):\n        return 3\n",
    ),
    ("docs/guide.md", "# Guide\n\nText.\n\n## Install\n\nText.\n"),
    ("notes.txt", "nothing is defined here\n"),
];

fn check(path: &str, request: &OutlineRequest, expected: Expect) {
    let workshop = Workshop::with_files(FILES);
    expected.assert_eq(&written(&workshop.engine.outline("tree", path, request).unwrap()));
}

fn written(outline: &Outline) -> String {
    let mut text = String::new();
    for file in &outline.files {
        text += &format!("{} {} lines\n", file.path, file.lines);
        for definition in &file.definitions {
            let indent = "  ".repeat(definition.depth as usize + 1);
            let (line, end, kind) = (definition.line, definition.line_end, definition.kind.as_str());
            text += &format!("{indent}{line}-{end} {kind} {}: {}\n", definition.name, definition.signature);
        }
    }
    text + &format!("{} files left\n", outline.files_left)
}

#[test]
fn files_have_all_their_definitions() {
    check(
        "src/router.rs",
        &OutlineRequest::default(),
        expect![[r#"
            src/router.rs 16 lines
              1-3 class Router: pub struct Router
                2-2 constant routes: routes: Vec<Route>
                7-13 method route: pub fn route(mut self, path: &str, handler: Handler) -> Self
              16-16 constant MOST: pub const MOST: usize = 10
            0 files left
        "#]],
    );
    check(
        "./src/app.go",
        &OutlineRequest::default(),
        expect![[r#"
        src/app.go 8 lines
          6-8 class Context: type Context struct
            3-4 method JSON: func (c *Context) JSON(code int)
            7-7 constant code: code int
        0 files left
    "#]],
    );
    check(
        "src/shop.py",
        &OutlineRequest::default(),
        expect![[r#"
        src/shop.py 7 lines
          1-7 class Shop: class Shop
            2-3 class Item: class Item
              3-3 method price: def price(self): return 1
            5-7 method total: def total(self, items=(1, 2))
        0 files left
    "#]],
    );
    check(
        "docs/guide.md",
        &OutlineRequest::default(),
        expect![[r#"
        docs/guide.md 7 lines
          1-3 section Guide: # Guide
            5-7 section Install: ## Install
        0 files left
    "#]],
    );
    check(
        "notes.txt",
        &OutlineRequest::default(),
        expect![[r#"
        0 files left
    "#]],
    );
}

#[test]
fn folders_have_the_main_definitions_of_their_files() {
    check(
        "src/",
        &OutlineRequest::default(),
        expect![[r#"
        src/app.go 8 lines
          6-8 class Context: type Context struct
        src/router.rs 16 lines
          1-3 class Router: pub struct Router
          16-16 constant MOST: pub const MOST: usize = 10
        src/shop.py 7 lines
          1-7 class Shop: class Shop
        0 files left
    "#]],
    );
    check(
        "",
        &OutlineRequest { depth: Some(2), limit: 4 },
        expect![[r#"
        docs/guide.md 7 lines
          1-3 section Guide: # Guide
            5-7 section Install: ## Install
        src/app.go 8 lines
          6-8 class Context: type Context struct
            3-4 method JSON: func (c *Context) JSON(code int)
        2 files left
    "#]],
    );
}

#[test]
fn a_path_that_is_not_there_is_an_error() {
    let workshop = Workshop::with_files(FILES);
    let error = workshop.engine.outline("tree", "src/route", &OutlineRequest::default()).unwrap_err();
    expect![[r#"the project "tree" has no file "src/route""#]].assert_eq(&error.to_string());
}
