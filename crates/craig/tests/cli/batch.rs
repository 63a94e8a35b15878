//! `search --batch`: a line in, a line out.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use expect_test::expect;

use crate::harness::Home;

#[test]
fn bad_lines_are_reported_and_the_others_answered() {
    let home = Home::with_ingested_shop();
    let lines = r#"{"query": "verify_token", "limit": 1, "kind": "code"}
not json

{"query": ""}
{"query": "total_price", "limit": 1, "language": "rust", "min_score": 0}
{"query": "x", "language": ["python", "pyton"]}
{"query": "x", "limt": 3}
{"query": "x", "min_score": 7}
{"query": "x", "path": "src/["}
"#;
    let args = ["search", "--batch", "-", "--project", "shop"];
    let output = home.run_with_input(&args, lines.as_bytes());
    expect![[r#"
        exit 2
        -- stdout
        {
          "project": "shop",
          "query": "verify_token",
          "elapsed_ms": NUMBER,
          "hits": [
            {
              "path": "src/auth.py",
              "line_start": 1,
              "line_end": 7,
              "language": "python",
              "chunk_type": "function",
              "symbol_name": "verify_token",
              "parent": null,
              "score": NUMBER,
              "file_score": 0.9620047,
              "content": "\"\"\"Who may do what.\"\"\"\n\n\ndef verify_token(token, secret):\n    \"\"\"Checks that a token was signed with the secret.\"\"\"\n    header, payload, signature = token.split(\".\")\n    return sign(header + \".\" + payload, secret) == signature\n",
              "evidence": [
                "EVIDENCE"
              ],
              "more": []
            }
          ],
          "is_answered": true
        }
        {
          "query": null,
          "line": 2,
          "error": "not a query: expected ident at column 2",
          "hint": "a line looks like {\"query\": \"…\", \"limit\": 5}"
        }
        {
          "query": "",
          "line": 4,
          "error": "the query contains no words",
          "hint": "include at least one word or name, such as 'where is the retry logic'"
        }
        {
          "project": "shop",
          "query": "total_price",
          "elapsed_ms": NUMBER,
          "hits": [
            {
              "path": "src/cart/prices.rs",
              "line_start": 1,
              "line_end": 4,
              "language": "rust",
              "chunk_type": "function",
              "symbol_name": "total_price",
              "parent": null,
              "score": NUMBER,
              "file_score": 0.99611354,
              "content": "/// Sums the prices of a cart, in cents.\npub fn total_price(items: &[Item]) -> u64 {\n    items.iter().map(|item| item.price * item.quantity).sum()\n}\n",
              "evidence": [
                "EVIDENCE"
              ],
              "more": []
            }
          ],
          "is_answered": true
        }
        {
          "query": "x",
          "line": 6,
          "error": "no language \"pyton\"",
          "hint": "did you mean python?"
        }
        {
          "query": null,
          "line": 7,
          "error": "not a query: unknown field `limt`, expected one of `query`, `limit`, `per_file`, `language`, `path`, `kind`, `min_score`, `names`, `code` at column 21",
          "hint": "a line looks like {\"query\": \"…\", \"limit\": 5}"
        }
        {
          "query": "x",
          "line": 8,
          "error": "the minimum relevance is 7, outside 0 to 1",
          "hint": "relevance is between 0 and 1: 70% is 0.7"
        }
        {
          "query": "x",
          "line": 9,
          "error": "\"src/[\" is not a path pattern: unclosed character class; missing ']'",
          "hint": "patterns look like 'src/**/*.rs' or '*.md'"
        }
    "#]].assert_eq(&home.transcript(&output));
}

#[test]
fn a_file_of_queries_is_answered() {
    let home = Home::with_ingested_shop();
    home.write("queries.jsonl", "{\"query\": \"verify_token\"}\n{\"query\": \"total_price\"}");
    let answers = home.succeed(&["search", "--batch", "queries.jsonl", "--root", "shop"]);
    let first_hits: Vec<String> = answers
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|answer| format!("{} {}", answer["query"], answer["hits"][0]["path"]))
        .collect();
    expect![[r#"
        [
            "\"verify_token\" \"src/auth.py\"",
            "\"total_price\" \"src/cart/prices.rs\"",
        ]
    "#]]
    .assert_debug_eq(&first_hits);
}

#[test]
fn each_line_is_answered_before_the_next_is_written() {
    let home = Home::with_ingested_shop();
    let mut command = home.craig(&["search", "--batch", "-", "--project", "shop"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for query in ["verify_token", "total_price"] {
        writeln!(stdin, "{{\"query\": \"{query}\"}}").unwrap();
        stdin.flush().unwrap();
        assert!(answers.next().unwrap().unwrap().contains(query));
    }
    drop(stdin);
    assert!(answers.next().is_none());
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_missing_batch_file_is_reported_before_anything_is_ingested() {
    let home = Home::with_shop();
    home.check(
        &["search", "--batch", "nowhere.jsonl", "--root", "shop"],
        expect![[r#"
        exit 1
        -- stderr
        error: cannot read the batch file nowhere.jsonl: No such file or directory (os error 2)
        hint: give a file of lines such as {"query": "…"}, or '-' for stdin
    "#]],
    );
    home.check(
        &["search", "--batch", "shop", "--root", "shop"],
        expect![[r#"
        exit 1
        -- stderr
        error: cannot read the batch file shop: is a directory
        hint: give a file of lines such as {"query": "…"}, or '-' for stdin
    "#]],
    );
    home.check(
        &["list"],
        expect![[r#"
        exit 0
        -- stdout
        no projects yet: 'craig ingest <directory>' creates one
    "#]],
    );
}
