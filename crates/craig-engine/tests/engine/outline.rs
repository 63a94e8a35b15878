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
    check("src/router.rs", &OutlineRequest::default(), expect![[""]]);
    check("./src/app.go", &OutlineRequest::default(), expect![[""]]);
    check("src/shop.py", &OutlineRequest::default(), expect![[""]]);
    check("docs/guide.md", &OutlineRequest::default(), expect![[""]]);
    check("notes.txt", &OutlineRequest::default(), expect![[""]]);
}

#[test]
fn folders_have_the_main_definitions_of_their_files() {
    check("src/", &OutlineRequest::default(), expect![[""]]);
    check("", &OutlineRequest { depth: Some(2), limit: 4 }, expect![[""]]);
}

#[test]
fn a_path_that_is_not_there_is_an_error() {
    let workshop = Workshop::with_files(FILES);
    let error = workshop.engine.outline("tree", "src/route", &OutlineRequest::default()).unwrap_err();
    expect![[""]].assert_eq(&error.to_string());
}
