//! What members of subtypes that take the place of others mean for references.

use std::collections::BTreeMap;

use craig_chunk::names::Role;
use rustc_hash::FxHashSet;

use super::table::{Family, Table};
use super::{SymbolIx, SymbolReference};

/// An overriding member mentions what it overrides.
const OVERRIDES: u8 = 90;
/// A call through an interface, or a base, may reach each member that takes its place.
const THROUGH_BASE: u8 = 70;
/// Where types are structural or dynamic, a call of one member of a family may reach each other one.
const SAME_FAMILY: u8 = 60;
/// Larger families say nothing about one of their members.
const MAX_FAMILY: usize = 160;
/// As [`MAX_FAMILY`], of an interface of Go: each of its methods is called through it in few places.
const MAX_IMPLEMENTERS: usize = 512;

/// References that follow from `overrides`, pairs of a member and one that it overrides.
pub(super) fn references(
    table: &Table<'_>,
    overrides: &[(SymbolIx, SymbolIx)],
    references: &[SymbolReference],
) -> Vec<SymbolReference> {
    let mut found: Vec<SymbolReference> =
        overrides.iter().map(|&(member, base)| at_definition(table, member, base)).collect();
    let families = families(table, overrides);
    for family in families.values() {
        let pairs = family.iter().flat_map(|&a| family.iter().map(move |&b| (a, b))).filter(|(a, b)| a != b);
        found.extend(pairs.map(|(member, of)| at_definition(table, member, of)));
    }
    let mut relatives: BTreeMap<SymbolIx, Vec<SymbolIx>> = BTreeMap::new();
    for family in families.values() {
        relatives.extend(family.iter().map(|&at| (at, family.clone())));
    }
    for &(member, base) in overrides {
        match table.family(member) {
            Family::Php => {
                relatives.entry(member).or_default().push(base);
                relatives.entry(base).or_default().push(member);
            }
            // A method stands for those of the interfaces that its type satisfies.
            Family::Go => {
                relatives.entry(member).or_default().push(base);
                relatives.entry(base).or_default().push(member);
            }
            // A call of a method of a type is one of the trait's.
            Family::Rust => relatives.entry(member).or_default().push(base),
            _ => {}
        }
    }
    relatives.retain(|&at, relatives| {
        let max = if table.family(at) == Family::Go { MAX_IMPLEMENTERS } else { MAX_FAMILY };
        relatives.len() <= max
    });
    let bases = all_bases(overrides);
    for reference in references {
        let Some(relatives) = relatives.get(&reference.symbol) else { continue };
        let others = relatives.iter().filter(|&&at| at != reference.symbol);
        found.extend(others.map(|&symbol| {
            let most = if bases.contains(&(symbol, reference.symbol)) { THROUGH_BASE } else { SAME_FAMILY };
            SymbolReference { symbol, confidence: reference.confidence.min(most), ..*reference }
        }));
    }
    found
}

/// Pairs of a member and one that it overrides, directly or by others.
fn all_bases(overrides: &[(SymbolIx, SymbolIx)]) -> FxHashSet<(SymbolIx, SymbolIx)> {
    let mut direct: BTreeMap<SymbolIx, Vec<SymbolIx>> = BTreeMap::new();
    for &(member, base) in overrides {
        direct.entry(member).or_default().push(base);
    }
    let mut found = FxHashSet::default();
    for &member in direct.keys() {
        let mut open = vec![member];
        while let Some(at) = open.pop() {
            let above = direct.get(&at).into_iter().flatten().copied();
            open.extend(above.filter(|&base| found.insert((member, base))));
        }
    }
    found
}

/// The definition of `member` as a mention of `base`.
fn at_definition(table: &Table<'_>, member: SymbolIx, base: SymbolIx) -> SymbolReference {
    let definition = table.definition(member);
    SymbolReference {
        symbol: base,
        file: table.entry(member).file,
        line: definition.line,
        column: definition.column,
        role: Role::Override,
        within: Some(member),
        confidence: OVERRIDES,
    }
}

/// Members that override each other, directly or by others, by the first of them.
fn families(table: &Table<'_>, overrides: &[(SymbolIx, SymbolIx)]) -> BTreeMap<SymbolIx, Vec<SymbolIx>> {
    let is_loose = |at: SymbolIx| table.family(at) == Family::Script;
    let mut first: BTreeMap<SymbolIx, SymbolIx> = BTreeMap::new();
    for &(member, base) in overrides.iter().filter(|(member, _)| is_loose(*member)) {
        let (a, b) = (root(&mut first, member), root(&mut first, base));
        first.insert(a.max(b), a.min(b));
    }
    let members: Vec<SymbolIx> = first.keys().copied().collect();
    let mut families: BTreeMap<SymbolIx, Vec<SymbolIx>> = BTreeMap::new();
    for at in members {
        let root = root(&mut first, at);
        families.entry(root).or_default().push(at);
    }
    families.retain(|_, family| family.len() > 1 && family.len() <= MAX_FAMILY);
    families
}

fn root(first: &mut BTreeMap<SymbolIx, SymbolIx>, at: SymbolIx) -> SymbolIx {
    let mut at = at;
    loop {
        let above = *first.entry(at).or_insert(at);
        if above == at {
            return at;
        }
        at = above;
    }
}
