//! What members of subtypes that take the place of others mean for references.

use std::collections::BTreeMap;

use craig_chunk::names::{DefinitionKind, Role, Site, Source, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::table::{Family, Table};
use super::{SymbolIx, SymbolReference};

/// An overriding member mentions what it overrides.
const OVERRIDES: u8 = 90;
/// A call through an interface, or a base, may reach each member that takes its place: shown as [`is_sure`] says.
const THROUGH_BASE: u8 = 70;
/// As [`THROUGH_BASE`], where it is one of several.
const ONE_OF_SEVERAL: u8 = 45;
/// Where types are structural or dynamic, a call of one member of a family may reach each other one.
const SAME_FAMILY: u8 = 60;
/// Larger families say nothing about one of their members.
const MAX_FAMILY: usize = 160;
/// As [`MAX_FAMILY`], of an interface of Go: each of its methods is called through it in few places.
const MAX_IMPLEMENTERS: usize = 512;

/// References that follow from `overrides`, pairs of a member and one that it overrides, or of a type and an interface that it
/// satisfies.
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
        let family = table.family(member);
        if family == Family::Script || table.entry(member).kind.is_type() {
            continue;
        }
        relatives.entry(base).or_default().push(member);
        // Calls of a member count as calls of what it takes the place of.
        if matches!(family, Family::Go | Family::Php | Family::Rust) {
            relatives.entry(member).or_default().push(base);
        }
    }
    relatives.retain(|&at, relatives| {
        let max = if table.family(at) == Family::Go { MAX_IMPLEMENTERS } else { MAX_FAMILY };
        relatives.len() <= max
    });
    let bases = all_bases(overrides);
    let supers = super_calls(table);
    let by_type = calls_by_type(table, references);
    let sure = relatives.iter().filter(|(base, members)| is_sure(table, **base, members));
    let sure: FxHashSet<SymbolIx> = sure.map(|(&base, _)| base).collect();
    for reference in references {
        let Some(relatives) = relatives.get(&reference.symbol) else { continue };
        let place = (reference.file, reference.line, reference.column);
        let is_super = supers.contains(&place) || by_type.contains(&place);
        found.extend(relatives.iter().filter(|&&at| at != reference.symbol).filter_map(|&symbol| {
            let is_through_base = bases.contains(&(symbol, reference.symbol));
            let most = match is_through_base {
                true if is_super => return None,
                true if sure.contains(&reference.symbol) => THROUGH_BASE,
                true => ONE_OF_SEVERAL,
                false => SAME_FAMILY,
            };
            Some(SymbolReference { symbol, confidence: reference.confidence.min(most), ..*reference })
        }));
    }
    found
}

/// Whether a call of a member counts as one of each member that takes its place: in the languages whose servers say so, else if
/// it is that of an interface, and outside of tests only one takes its place.
fn is_sure(table: &Table<'_>, base: SymbolIx, members: &[SymbolIx]) -> bool {
    if matches!(table.family(base), Family::C | Family::Go | Family::Php | Family::Script) {
        return true;
    }
    let is_product = |at: SymbolIx| !table.workspace.files[table.entry(at).file as usize].is_test;
    let is_abstract =
        table.entry(base).parent.is_some_and(|parent| table.entry(parent).kind == DefinitionKind::Interface);
    is_abstract && members.iter().filter(|&&at| is_product(at)).count() == 1
}

/// File, line and column.
type Place = (u32, u32, u32);

/// Places where a member is named as that of the supertypes, so that none that overrides it is meant.
fn super_calls(table: &Table<'_>) -> FxHashSet<Place> {
    let files = table.files.iter().zip(0..);
    let named = files.flat_map(|(names, file)| names.occurrences.iter().map(move |named| (file, named)));
    named
        .filter(|(_, named)| matches!(named.site, Site::Member(Value::Super(_))))
        .map(|(file, named)| (file, named.line, named.column))
        .collect()
}

/// Places of Rust where a member of a trait is named as that of a type, as `Team::load`: none of another type is meant.
fn calls_by_type(table: &Table<'_>, references: &[SymbolReference]) -> FxHashSet<Place> {
    let files = table.files.iter().zip(&table.families).zip(0..);
    let mut members: FxHashMap<Place, Place> = FxHashMap::default();
    for ((names, _), file) in files.filter(|((_, family), _)| **family == Family::Rust) {
        for named in &names.occurrences {
            if let Site::Member(Value::Itself(Source::Occurrence(of))) = named.site
                && let Some(of) = names.occurrences.get(of as usize).filter(|of| of.role == Role::Type)
            {
                members.insert((file, of.line, of.column), (file, named.line, named.column));
            }
        }
    }
    let is_type = |at: SymbolIx| matches!(table.entry(at).kind, DefinitionKind::Class | DefinitionKind::Enum);
    let types = references.iter().filter(|reference| is_type(reference.symbol));
    types.filter_map(|of| members.get(&(of.file, of.line, of.column)).copied()).collect()
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

/// The definition of `member`, or of a type that satisfies an interface, as a mention of `base`.
fn at_definition(table: &Table<'_>, member: SymbolIx, base: SymbolIx) -> SymbolReference {
    let definition = table.definition(member);
    SymbolReference {
        symbol: base,
        file: table.entry(member).file,
        line: definition.line,
        column: definition.column,
        role: if table.entry(member).kind.is_type() { Role::Implement } else { Role::Override },
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
