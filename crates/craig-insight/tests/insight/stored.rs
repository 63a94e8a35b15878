//! Projects read from a store are analysed as texts are, and may be cancelled.

use std::sync::atomic::{AtomicUsize, Ordering};

use craig_insight::{Analysis, InsightError, quality, quality_of_texts};
use craig_symbols::SymbolError;

use crate::fixture::{Stored, borrowed, files, stored};

const SHOP: &str = r#"
//- /package.json
{ "name": "shop", "dependencies": { "zod": "^3" } }
//- /src/cart.ts
import { z } from "zod"
import { price } from "./price"
// TODO: taxes
export function total(n: number) { return n > 1 ? price(n) : 0 }
//- /src/price.ts
export function price(n: number) { return n }
//- /README.md
# Shop
"#;
fn load(stored: &Stored) -> Analysis {
    Analysis::load(&stored.store, stored.project.id, &stored.pool, &|| false).unwrap()
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

#[test]
fn reports_of_a_store_are_those_of_its_texts() {
    let (stored, texts) = (stored(SHOP), files(SHOP));
    let (loaded, direct) = (load(&stored), Analysis::from_texts(borrowed(&texts)));
    assert_eq!(json(&loaded.dependencies()), json(&direct.dependencies()));
    assert_eq!(json(&loaded.architecture()), json(&direct.architecture()));
    let relations = loaded.relations(&stored.store, stored.project.id, "price", &stored.pool).unwrap();
    assert_eq!(json(&relations), json(&direct.relations_in(borrowed(&texts), "price").unwrap()));
    assert_eq!(relations.mentions.len(), 2);
    let measured = quality(&stored.store, stored.project.id, &stored.pool, &|| false).unwrap();
    assert_eq!(json(&measured), json(&quality_of_texts(borrowed(&texts))));
    assert_eq!(measured.notes.total, 1);
}

#[test]
fn an_empty_store_has_empty_reports() {
    let stored = stored("");
    let found = load(&stored).dependencies();
    assert_eq!((found.edges.len(), found.external.len()), (0, 0));
    assert_eq!(quality(&stored.store, stored.project.id, &stored.pool, &|| false).unwrap().summary.files, 0);
}

#[test]
fn a_cancelled_analysis_ends_with_an_error() {
    let many: String = (0..40).map(|at| format!("//- /a{at}.rs\nfn f() {{}}\n")).collect();
    let stored = stored(&many);
    let asked = AtomicUsize::new(0);
    let is_cancelled = || asked.fetch_add(1, Ordering::Relaxed) >= 10;
    let found = Analysis::load(&stored.store, stored.project.id, &stored.pool, &is_cancelled);
    assert!(matches!(found, Err(InsightError::Symbols(SymbolError::Cancelled))));
    asked.store(0, Ordering::Relaxed);
    let found = quality(&stored.store, stored.project.id, &stored.pool, &is_cancelled);
    assert!(matches!(found, Err(InsightError::Symbols(SymbolError::Cancelled))));
}

#[test]
fn an_unknown_target_of_a_store_is_an_error() {
    let stored = stored(SHOP);
    let found = load(&stored).relations(&stored.store, stored.project.id, "nowhere", &stored.pool);
    assert!(matches!(found, Err(InsightError::UnknownTarget { similar, .. }) if similar.is_empty()));
}
