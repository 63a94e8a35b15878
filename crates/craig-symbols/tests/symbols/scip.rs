//! The export as a SCIP index, read again by the crate of the format.

use std::collections::BTreeSet;

use craig_symbols::{ScipOrigin, SymbolGraph};
use expect_test::{Expect, expect};
use protobuf::Message as _;
use scip::symbol::{format_symbol, parse_symbol};
use scip::types::{Document, Index, SymbolRole};

use crate::fixture;

fn check(files: &str, expected: &Expect) {
    let files = fixture::files(files);
    let graph = SymbolGraph::from_texts(fixture::borrowed(&files));
    let origin = ScipOrigin { project: "shop", root: "file:///shop", version: "1" };
    let text = |path: &str| {
        fixture::borrowed(&files).into_iter().find(|file| file.0 == path).map(|file| file.1.to_owned())
    };
    let export = graph.scip(origin, 50, text);
    let index = Index::parse_from_bytes(&export.bytes).unwrap();
    let n_occurrences: usize = index.documents.iter().map(|document| document.occurrences.len()).sum();
    assert_eq!((export.documents, export.occurrences), (index.documents.len() as u64, n_occurrences as u64));
    assert_eq!(complaints(&index), Vec::<String>::new());
    expected.assert_eq(&index.documents.iter().map(written).collect::<String>());
}

/// What the linter of the format would complain about: what is there twice, what nothing describes, and symbols that are not
/// written as the format says.
fn complaints(index: &Index) -> Vec<String> {
    let mut found = Vec::new();
    let infos = || {
        index
            .documents
            .iter()
            .flat_map(|document| document.symbols.iter().map(move |symbol| (document, symbol)))
    };
    let known: BTreeSet<&str> = infos().map(|(_, symbol)| symbol.symbol.as_str()).collect();
    let mut seen = BTreeSet::new();
    let mut once = |what: String, found: &mut Vec<String>| {
        if !seen.insert(what.clone()) {
            found.push(format!("twice: {what}"));
        }
    };
    for document in &index.documents {
        let path = &document.relative_path;
        once(format!("document {path}"), &mut found);
        for occurrence in &document.occurrences {
            let symbol = occurrence.symbol.as_str();
            once(format!("{path} {:?} {} {symbol}", occurrence.range, occurrence.symbol_roles), &mut found);
            if !known.contains(symbol) {
                found.push(format!("{path} {:?}: nothing describes {symbol}", occurrence.range));
            }
            match parse_symbol(symbol) {
                Ok(parsed) if format_symbol(parsed.clone()) == symbol => {}
                Ok(parsed) => found.push(format!("{symbol} is not {}", format_symbol(parsed))),
                Err(error) => found.push(format!("{symbol}: {error:?}")),
            }
        }
    }
    for (document, symbol) in infos() {
        once(format!("{} {}", document.relative_path, symbol.symbol), &mut found);
        for relation in &symbol.relationships {
            once(format!("{} -> {}", symbol.symbol, relation.symbol), &mut found);
            if !known.contains(relation.symbol.as_str()) {
                found.push(format!("{}: nothing describes {}", symbol.symbol, relation.symbol));
            }
        }
    }
    found
}

fn written(document: &Document) -> String {
    let mut out = format!("{} {}\n", document.relative_path, document.language);
    for occurrence in &document.occurrences {
        let roles = [
            (SymbolRole::Definition, "definition"),
            (SymbolRole::Import, "import"),
            (SymbolRole::ReadAccess, "read"),
            (SymbolRole::WriteAccess, "write"),
            (SymbolRole::Test, "test"),
        ];
        let roles = roles.iter().filter(|(role, _)| occurrence.symbol_roles & *role as i32 != 0);
        let roles: Vec<&str> = roles.map(|(_, name)| *name).collect();
        out += &format!("  {:?} {} {}\n", occurrence.range, occurrence.symbol, roles.join("+"));
    }
    for symbol in &document.symbols {
        for relation in &symbol.relationships {
            out += &format!("  {} implements {}\n", symbol.symbol, relation.symbol);
        }
    }
    out
}

#[test]
fn occurrences_have_symbols_and_roles() {
    check(
        r#"
//- /shop/price.py
class Price:
    def shown(self):
        return ""


class Sale(Price):
    def shown(self):
        old = super().shown()
        return old + "ä"
//- /shop/test_price.py
from shop.price import Sale as S

S().shown()
"#,
        &expect![[r#"
            shop/price.py Python
              [0, 6, 11] craig . shop . shop/`price.py`/Price# definition
              [1, 8, 13] craig . shop . shop/`price.py`/Price#shown(). definition
              [5, 6, 10] craig . shop . shop/`price.py`/Sale# definition
              [5, 11, 16] craig . shop . shop/`price.py`/Price# read
              [6, 8, 13] craig . shop . shop/`price.py`/Sale#shown(). definition
              [7, 22, 27] craig . shop . shop/`price.py`/Price#shown(). read
              craig . shop . shop/`price.py`/Sale#shown(). implements craig . shop . shop/`price.py`/Price#shown().
            shop/test_price.py Python
              [0, 23, 27] craig . shop . shop/`price.py`/Sale# import+test
              [2, 0, 1] craig . shop . shop/`price.py`/Sale# read+test
              [2, 4, 9] craig . shop . shop/`price.py`/Sale#shown(). read+test
        "#]],
    );
}

#[test]
fn overloads_have_numbers() {
    check(
        r#"
//- /src/Price.java
package shop;

class Price {
    int plus(int cents) { return cents; }
    int plus(Price other) { return plus(1); }
}
"#,
        &expect![[r#"
            src/Price.java Java
              [2, 6, 11] craig . shop . src/`Price.java`/Price# definition
              [3, 8, 12] craig . shop . src/`Price.java`/Price#plus(). definition
              [4, 8, 12] craig . shop . src/`Price.java`/Price#plus(+1). definition
              [4, 13, 18] craig . shop . src/`Price.java`/Price# read
              [4, 35, 39] craig . shop . src/`Price.java`/Price#plus(). read
              [4, 35, 39] craig . shop . src/`Price.java`/Price#plus(+1). read
        "#]],
    );
}
