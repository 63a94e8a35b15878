//! SECURITY.md proves each of its sentences by a test or a drill: those have to be there.

use std::collections::BTreeSet;

use crate::code::rust_files;
use crate::{check, workspace};

/// Names of tests and scripts in the tables of `page`: the last part of each path in code.
fn proofs(page: &str) -> BTreeSet<&str> {
    let rows = page.lines().filter(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.trim_end_matches([' ', '|']).rsplit_once('|'));
    let code = cells.flat_map(|(_, proof)| proof.split('`').skip(1).step_by(2));
    code.filter_map(|name| name.rsplit([':', ' ']).next()).collect()
}

#[test]
fn what_security_md_names_as_proof_exists() {
    let page = std::fs::read_to_string(workspace().join("SECURITY.md")).unwrap();
    let sources: String = rust_files(&workspace().join("crates"))
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let exists = |proof: &str| match proof.contains('/') {
        true => workspace().join(proof).exists(),
        false => [format!("fn {proof}("), format!("mod {proof};"), format!("mod {proof} {{")]
            .iter()
            .any(|definition| sources.contains(definition)),
    };
    let proofs = proofs(&page);
    assert!(proofs.len() > 30, "{proofs:?}");
    check(proofs.into_iter().filter(|proof| !exists(proof)).map(|proof| format!("no {proof}")).collect());
}

#[test]
fn proofs_are_read_from_the_last_column() {
    let page = "| what | proof |\n|---|---|\n| `no` | `craig cli::a::b_c`, `d_e`; `drills/f` |\n";
    assert_eq!(proofs(page), BTreeSet::from(["b_c", "d_e", "drills/f"]));
}
