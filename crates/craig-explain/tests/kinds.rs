//! Quotes that document a symbol are distinguished from those that mention it.

use craig_explain::{CodeContext, Explanation, Kind, Library, explain};
use craig_source::Language;

const CODE: &str = "export class Client {\n  openSocket(port) {\n    return port\n  }\n}\n";

/// What a page explains of `Client.openSocket`.
fn explained(page: &str) -> Explanation {
    let library = Library::of_texts(vec![("docs/client.md".into(), page.into())]);
    explain(&library, &CodeContext::read("src/client.js", Language::JavaScript, CODE, Some((2, 4))))
}

fn hover(explanation: &Explanation) -> Option<String> {
    explanation.hover(&|_| None)
}

#[test]
fn a_heading_of_the_name_below_its_owner_documents() {
    let page = "# Client\n\n## `client.openSocket(port)`\n\nOpens a socket on the port. `openSocket` fails without one.\n";
    let explanation = explained(page);
    assert_eq!(explanation.kind, Some(Kind::Documented), "{explanation:?}");
    assert!(explanation.explanation.starts_with("- Opens a socket on the port."));
    assert!(hover(&explanation).unwrap().contains("Opens a socket"));
}

#[test]
fn an_entry_of_a_list_documents() {
    let page =
        "# Client\n\n## Methods\n\n- `client.openSocket(port)`: opens a socket on the port for the server.\n";
    assert_eq!(explained(page).kind, Some(Kind::Documented));
}

#[test]
fn a_sentence_of_another_section_mentions() {
    let page = "# Client\n\n## Getting started\n\nUse `client.openSocket(port)` to open a socket on the port of a server. The \
                method `client.openSocket` is called once.\n";
    let explanation = explained(page);
    assert_eq!(explanation.kind, Some(Kind::Mentioned), "{explanation:?}");
    assert!(explanation.explanation.starts_with("- Mentioned in docs/client.md: "), "{explanation:?}");
    assert_eq!(hover(&explanation), None);
    assert!(explanation.markdown(&|_| None).contains("Mentioned in:\n\n- Use"));
}

#[test]
fn a_heading_of_the_name_without_its_owner_mentions_at_most() {
    let page = "# Tools\n\n## openSocket\n\nOpens the sockets of a kitchen drawer, and closes them.\n";
    let explanation = explained(page);
    assert_ne!(explanation.kind, Some(Kind::Documented), "{explanation:?}");
    assert_eq!(hover(&explanation), None);
}

#[test]
fn truncating_keeps_kind_and_text_true() {
    let page = "# Client\n\n## `client.openSocket(port)`\n\nOpens a socket on the port. Fails without a port to open.\n";
    let mut explanation = explained(page);
    explanation.truncate(1);
    assert_eq!((explanation.bullets.len(), explanation.citations.len()), (1, 1));
    assert_eq!(explanation.explanation, "- Opens a socket on the port.");
    explanation.truncate(0);
    assert_eq!((explanation.kind, explanation.citations.len()), (None, 0));
}
