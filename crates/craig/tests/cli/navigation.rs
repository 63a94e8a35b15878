//! Editors that ask where symbols are defined, referred to and called.

use serde_json::{Value, json};

use crate::explain::{Editor, hello, uri};
use crate::harness::Home;

const SHAPES: &str = "class Shape:\n    def area(self):\n        return 0\n\n\nclass Square(Shape):\n    def area(self):\n        \
                      return side(self)\n\n\ndef side(of):\n    return 1\n";

const MAIN: &str = "from shapes import Square\n\n\ndef main():\n    é = Square(); print(é.area())\n";

/// A home with an ingested project.
fn home() -> Home {
    let home = Home::new();
    home.write("work/shapes.py", SHAPES);
    home.write("work/main.py", MAIN);
    home.succeed(&["ingest", "work"]);
    home
}

fn editor(home: &Home, settings: Value) -> Editor {
    let (mut editor, _) = Editor::start(home, hello(home, "work", json!({}), settings));
    editor.await_state("inactive");
    editor.open_text(&uri(home, "work/main.py"), MAIN);
    editor.open_text(&uri(home, "work/shapes.py"), SHAPES);
    editor
}

fn place(home: &Home, path: &str, line: u32, character: u32) -> Value {
    let document = json!({ "uri": uri(home, path) });
    json!({ "textDocument": document, "position": { "line": line, "character": character },
            "context": { "includeDeclaration": true } })
}

/// Files, lines and columns of locations.
fn shown(home: &Home, locations: &Value) -> Vec<String> {
    let row = |location: &Value| {
        let (range, folder) = (&location["range"], uri(home, "work/"));
        let path = location["uri"].as_str().unwrap_or_default().trim_start_matches(&folder).to_owned();
        format!(
            "{path}:{}:{}-{}",
            range["start"]["line"], range["start"]["character"], range["end"]["character"]
        )
    };
    locations.as_array().unwrap().iter().map(row).collect()
}

#[test]
fn definitions_references_and_implementations() {
    let home = home();
    let mut editor = editor(&home, json!({ "craig": { "lsp": { "navigation": "on" } } }));
    let mut at = |method: &str, path: &str, line, character| {
        let found = editor.ask(&format!("textDocument/{method}"), place(&home, path, line, character));
        shown(&home, &found)
    };
    // Columns are UTF-16 units, and a position at the end of a name is of the name.
    assert_eq!(at("definition", "work/main.py", 4, 28), ["shapes.py:6:8-12"]);
    assert_eq!(at("definition", "work/main.py", 0, 20), ["shapes.py:5:6-12"]);
    assert_eq!(
        at("references", "work/shapes.py", 5, 6),
        ["shapes.py:5:6-12", "main.py:0:19-25", "main.py:4:8-14"]
    );
    assert_eq!(at("implementation", "work/shapes.py", 0, 7), ["shapes.py:5:6-12"]);
    assert_eq!(at("implementation", "work/shapes.py", 1, 9), ["shapes.py:6:8-12"]);
    assert_eq!(at("documentHighlight", "work/shapes.py", 10, 4), [":10:4-8", ":7:15-19"]);
    editor.close();
}

#[test]
fn a_text_that_is_not_saved_is_navigated() {
    let home = home();
    let mut editor = editor(&home, json!({ "craig": { "lsp": { "navigation": "on" } } }));
    let start = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
    let change = json!({ "range": start, "text": "# one\n# two\n" });
    let document = json!({ "uri": uri(&home, "work/shapes.py"), "version": 2 });
    editor.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }));
    let found = editor.ask("textDocument/definition", place(&home, "work/shapes.py", 9, 16));
    assert_eq!(shown(&home, &found), ["shapes.py:12:4-8"]);
    let symbols = editor.ask("textDocument/documentSymbol", place(&home, "work/shapes.py", 0, 0));
    assert_eq!(symbols[1]["name"], "Square", "{symbols}");
    assert_eq!(symbols[1]["selectionRange"]["start"], json!({ "line": 7, "character": 6 }));
    assert_eq!(symbols[1]["children"][0]["name"], "area");
    editor.close();
}

#[test]
fn callers_and_callees() {
    let home = home();
    let mut editor = editor(&home, json!({ "craig": { "lsp": { "navigation": "on" } } }));
    let items = editor.ask("textDocument/prepareCallHierarchy", place(&home, "work/shapes.py", 6, 9));
    assert_eq!((&items[0]["name"], &items[0]["detail"]), (&json!("area"), &json!("Square.area")));
    let callers = editor.ask("callHierarchy/incomingCalls", json!({ "item": items[0] }));
    assert_eq!(
        (&callers[0]["from"]["name"], &callers[0]["fromRanges"][0]["start"]["line"]),
        (&json!("main"), &json!(4))
    );
    let callees = editor.ask("callHierarchy/outgoingCalls", json!({ "item": items[0] }));
    assert_eq!(callees[0]["to"]["name"], "side");
    editor.close();
}

#[test]
fn only_languages_that_are_named_are_navigated() {
    let home = home();
    for (settings, is_answered) in [
        (json!({}), false),
        (json!({ "lsp": { "languages": ["python"] } }), true),
        (json!({ "lsp": { "languages": ["rust"] } }), false),
        (json!({ "lsp": { "navigation": "off", "languages": ["python"] } }), false),
    ] {
        let mut editor = editor(&home, json!({ "craig": settings }));
        let found = editor.ask("textDocument/definition", place(&home, "work/main.py", 0, 20));
        assert_eq!(found.is_array(), is_answered, "{settings}");
        editor.close();
    }
}
