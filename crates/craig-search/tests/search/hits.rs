//! What a hit says: place, name, text, evidence, further ranges.

use craig_model::StaticModel;
use craig_search::{SearchError, SearchOptions};
use expect_test::expect;

use crate::fixture::{TestProject, check, shown};

const SHOP: &str = "\
//- /src/cart.rs
//! The shopping cart.

/// Adds the prices of all items.
pub fn total_price(items: &[Item]) -> u64 {
    items.iter().map(|item| item.price).sum()
}

pub struct Cart {
    items: Vec<Item>,
}

impl Cart {
    /// Removes everything.
    pub fn clear(&mut self) {
        self.items.clear();
    }
}
//- /src/mail.py
def send_invoice(customer, invoice):
    \"\"\"Sends an invoice by mail.\"\"\"
    smtp.connect()
    smtp.send(customer.address, invoice.render())
//- /docs/guide.md
# Guide

Welcome.

## Returning goods

Customers may return goods within thirty days.
//- /config/limits.toml
[orders]
max_items = 30
";

#[test]
fn every_kind_of_file_is_found_with_place_kind_and_name() {
    check(
        &format!(
            "{SHOP}
//- query: add up the prices of all items
//- query: send_invoice
//- query: where is an invoice sent by mail
//- query: returning goods
//- query: max_items of orders
"
        ),
        expect![[r#"
            add up the prices of all items
              1 src/cart.rs:1-17 function total_price
              2 config/limits.toml:1-2 block orders
              3 src/mail.py:1-4 function send_invoice
              4 docs/guide.md:1-7 section Returning goods in Guide
            send_invoice
              1 src/mail.py:1-4 function send_invoice
              2 src/cart.rs:1-17 function total_price
              3 config/limits.toml:1-2 block orders
              4 docs/guide.md:1-7 section Returning goods in Guide
            where is an invoice sent by mail
              1 src/mail.py:1-4 function send_invoice
              2 src/cart.rs:1-17 function total_price
              3 docs/guide.md:1-7 section Returning goods in Guide
              4 config/limits.toml:1-2 block orders
            returning goods
              1 docs/guide.md:1-7 section Returning goods in Guide
              2 src/mail.py:1-4 function send_invoice
              3 src/cart.rs:1-17 function total_price
              4 config/limits.toml:1-2 block orders
            max_items of orders
              1 config/limits.toml:1-2 block orders
              2 src/cart.rs:1-17 function total_price
              3 src/mail.py:1-4 function send_invoice
              4 docs/guide.md:1-7 section Returning goods in Guide
        "#]],
    );
}

/// Statements that make a definition long enough for a chunk of its own.
fn body(word: &str) -> String {
    (0..16).map(|at| format!("    {word}.step(message, {at}, \"{word}\")\n")).collect()
}

#[test]
fn hits_name_the_kind_of_their_chunk() {
    let body = body("postman");
    check(
        &format!(
            "\
//- /src/imports.ts
import {{ listen }} from \"./net\"
//- /src/limits.ts
export const RETRY_LIMIT = 5
//- /src/transport.ts
export interface Transport {{ deliver(message: string): void }}
//- /src/protocol.ts
export enum Protocol {{ Plain, Sealed }}
//- /src/handler.ts
export type Handler = (message: string) => void
//- /src/postman.ts
export class Postman {{
  deliver(message: string): void {{
{body}  }}
  collect(message: string): void {{
{body}  }}
}}
//- /src/server.py
def start_server(message):
{body}
//- /src/office.rs
pub mod office {{ pub fn open() {{}} }}
//- query: listen import | limit=1
//- query: RETRY_LIMIT | limit=1
//- query: Transport | limit=1
//- query: Protocol | limit=1
//- query: Handler | limit=1
//- query: Postman.collect | limit=1
//- query: start_server | limit=1
//- query: office | limit=1
"
        ),
        expect![[r#"
            listen import | limit=1
              1 src/imports.ts:1-1 import -
            RETRY_LIMIT | limit=1
              1 src/limits.ts:1-1 constant RETRY_LIMIT
            Transport | limit=1
              1 src/transport.ts:1-1 interface Transport
            Protocol | limit=1
              1 src/protocol.ts:1-1 enum Protocol
            Handler | limit=1
              1 src/handler.ts:1-1 type Handler
            Postman.collect | limit=1
              1 src/postman.ts:1-38 class Postman
            start_server | limit=1
              1 src/server.py:1-17 function start_server
            office | limit=1
              1 src/office.rs:1-1 module office
        "#]],
    );
}

#[test]
fn the_text_of_a_hit_is_the_chunk_as_stored() {
    let project = TestProject::new(SHOP);
    let hits = project.search("send_invoice", &SearchOptions { limit: 1, ..SearchOptions::default() });
    expect![[r#"
        def send_invoice(customer, invoice):
            """Sends an invoice by mail."""
            smtp.connect()
            smtp.send(customer.address, invoice.render())
    "#]]
    .assert_eq(&hits[0].content);
    assert_eq!((hits[0].language.as_str(), hits[0].line_start, hits[0].line_end), ("python", 1, 4));
}

#[test]
fn evidence_is_ordered_by_size_and_has_no_zeros() {
    let project = TestProject::new(SHOP);
    let hits = project.search("total_price", &SearchOptions::default());
    let evidence = &hits[0].evidence;
    assert!(evidence.is_sorted_by(|a, b| a.value.abs() >= b.value.abs()), "{evidence:?}");
    assert!(evidence.iter().all(|signal| signal.value != 0.0));
    let adds = |name: &str| evidence.iter().any(|signal| signal.signal == name && signal.value > 0.0);
    assert!(adds("its file") && adds("names"), "{evidence:?}");
    assert!(!adds("beside the product"), "{evidence:?}");
}

#[test]
fn a_translation_comes_after_its_original() {
    let project = TestProject::new(
        "//- /docs/de/limits.md
# Retry limits

Wie oft eine Anfrage noch einmal gesendet wird. Ein retry limit gilt je Host.
//- /docs/en/limits.md
# Limits

How often a request is sent again. A retry limit holds for each host.
",
    );
    let options = SearchOptions { per_file: 3, ..SearchOptions::default() };
    let paths = |query: &str| {
        let hits = project.search(query, &options);
        hits.into_iter().map(|hit| hit.path).collect::<Vec<_>>()
    };
    assert_eq!(paths("what is the retry limit"), ["docs/en/limits.md", "docs/de/limits.md"]);
    // Whoever writes in another script may read another language.
    assert_eq!(paths("что такое retry limit"), ["docs/de/limits.md", "docs/en/limits.md"]);
}

#[test]
fn code_is_no_translation() {
    let project = TestProject::new(
        "//- /src/user.py
class User:
    pass
//- /src/user_id.py
class UserId:
    pass
",
    );
    let hits = project.search("UserId of a user", &SearchOptions { per_file: 3, ..SearchOptions::default() });
    assert_eq!(hits[0].path, "src/user_id.py");
    let reasons = hits.iter().flat_map(|hit| &hit.evidence);
    assert!(reasons.into_iter().all(|why| why.signal != "a translation"), "{hits:?}");
}

#[test]
fn scores_are_probabilities_that_never_rise() {
    let project = TestProject::new(SHOP);
    for query in ["invoice", "price of items", "goods", "unrelated astronomy"] {
        let options = SearchOptions { per_file: 3, ..SearchOptions::default() };
        let scores: Vec<f32> = project.search(query, &options).iter().map(|hit| hit.score).collect();
        assert!(!scores.is_empty() && scores.is_sorted_by(|a, b| a >= b), "{query}: {scores:?}");
        assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)), "{query}: {scores:?}");
    }
}

#[test]
fn limit_and_minimal_score_bound_the_hits() {
    check(
        &format!(
            "{SHOP}
//- query: invoice customer goods | limit=1
//- query: invoice customer goods | limit=2
//- query: send_invoice | min=0.5
//- query: send_invoice | min=1
"
        ),
        expect![[r#"
            invoice customer goods | limit=1
              1 src/mail.py:1-4 function send_invoice
            invoice customer goods | limit=2
              1 src/mail.py:1-4 function send_invoice
              2 src/cart.rs:1-17 function total_price
            send_invoice | min=0.5
              1 src/mail.py:1-4 function send_invoice
            send_invoice | min=1
        "#]],
    );
}

/// Several functions of one file, each too long to be joined with the next.
fn long_file() -> String {
    let function = |verb: &str| {
        let lines: String = (0..30)
            .map(|at| format!("    {verb}_step(message, {at}, \"{verb} the message again\");\n"))
            .collect();
        format!("/// To {verb} a message.\npub fn {verb}_message(message: &Message) {{\n{lines}}}\n\n")
    };
    format!(
        "//- /src/queue.rs\n{}//- /src/other.rs\nfn nothing() {{}}\n",
        ["publish", "receive", "forward"].map(function).concat()
    )
}

#[test]
fn the_best_chunk_of_a_file_is_its_hit_and_the_others_are_more_ranges() {
    let project = TestProject::new(&long_file());
    let hit = &project.search("message", &SearchOptions::default())[0];
    let more: Vec<String> = hit
        .more
        .iter()
        .map(|range| {
            format!("{}-{} {}", range.line_start, range.line_end, range.symbol_name.as_deref().unwrap_or("-"))
        })
        .collect();
    expect![[r#"
        src/queue.rs:35-67 function receive_message
        69-101 forward_message
        1-33 publish_message
    "#]]
    .assert_eq(&format!("{}\n{}\n", shown(hit), more.join("\n")));
    assert!(hit.more.iter().all(|range| range.score <= hit.score));
    let named = &project.search("forward_message", &SearchOptions::default())[0];
    assert_eq!(named.symbol_name.as_deref(), Some("forward_message"));
}

#[test]
fn several_hits_of_a_file_are_returned_on_request() {
    check(
        &format!("{}//- query: message | per_file=2\n//- query: message | per_file=5 limit=3\n", long_file()),
        expect![[r#"
            message | per_file=2
              1 src/queue.rs:35-67 function receive_message
              2 src/queue.rs:69-101 function forward_message
              3 src/other.rs:1-1 function nothing
            message | per_file=5 limit=3
              1 src/queue.rs:35-67 function receive_message
              2 src/queue.rs:69-101 function forward_message
              3 src/queue.rs:1-33 function publish_message
        "#]],
    );
}

#[test]
fn a_query_without_words_is_an_error() {
    let project = TestProject::new(SHOP);
    let index = project.index();
    for query in ["", "   ", "?!", "— {}"] {
        let found = index.search(&project.store, query, StaticModel::builtin(), &SearchOptions::default());
        assert!(matches!(found, Err(SearchError::EmptyQuery)), "{query:?}");
    }
}

#[test]
fn texts_and_queries_of_any_script_are_found() {
    check(
        r#"
//- /src/größe.rs
/// Berechnet die Größe einer Straße.
fn straßengröße() {}
//- /src/キュー.py
# 注文をキューに追加する
def add_order(): pass
//- /src/mail.go
// Отправка сообщений по почте.
func send() {}
//- /src/emoji.js
// 🚀 launches the rocket
function launch() {}
//- query: straßengröße | limit=1
//- query: Größe einer Straße | limit=1
//- query: 注文をキューに追加する | limit=1
//- query: отправка сообщений | limit=1
//- query: 🚀 rocket | limit=1
"#,
        expect![[r#"
            straßengröße | limit=1
              1 src/größe.rs:1-2 function straßengröße
            Größe einer Straße | limit=1
              1 src/größe.rs:1-2 function straßengröße
            注文をキューに追加する | limit=1
              1 src/キュー.py:1-2 function add_order
            отправка сообщений | limit=1
              1 src/mail.go:1-2 function send
            🚀 rocket | limit=1
              1 src/emoji.js:1-2 function launch
        "#]],
    );
}

#[test]
fn a_query_may_be_as_long_as_a_pasted_file() {
    let project = TestProject::new(SHOP);
    let pasted = format!("{} send_invoice", "why does this fail in total_price ".repeat(2_000));
    assert_eq!(project.paths(&pasted)[0], "src/cart.rs");
}

/// A long function is cut, and its parts repeat the end of the part before for the sake of the words; what is shown does
/// not.
#[test]
fn the_text_of_a_hit_is_that_of_its_lines() {
    let body: String = (0..300).map(|at| format!("    total += price_of(items[{at}]) * {at};\n")).collect();
    let file = format!("fn sum_of_prices(items: &[Item]) -> u64 {{\n{body}}}\n");
    let project = TestProject::new(&format!("//- /src/sum.rs\n{file}"));
    let options = SearchOptions { per_file: 20, ..SearchOptions::default() };
    let hits = project.search("sum of prices of items", &options);
    assert!(hits.len() > 2, "the function is cut: {}", hits.len());
    let lines: Vec<&str> = file.lines().collect();
    for hit in hits {
        let (first, last) = (hit.line_start as usize, hit.line_end as usize);
        assert_eq!(hit.content.trim_end(), lines[first - 1..last].join("\n").trim_end(), "{first}-{last}");
    }
}
