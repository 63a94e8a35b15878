//! Languages: a file for each, with what its grammar means, and a folder with how its names are read.

mod bash;
pub(crate) mod c;
mod csharp;
mod dart;
mod elixir;
mod go;
mod haskell;
pub(crate) mod java;
pub(crate) mod javascript;
mod kotlin;
mod light;
mod lua;
mod php;
mod powershell;
mod python;
mod ruby;
mod rust;
mod scala;
mod swift;
mod zig;

use std::sync::OnceLock;

use craig_source::Language;

use crate::grammar::{Grammar, Table};

/// The table of a language, and its grammar once it is loaded.
struct Entry(&'static Table, OnceLock<Grammar>);

/// The grammar for a language, if there is one.
pub(crate) fn grammar(language: Language) -> Option<&'static Grammar> {
    let Entry(table, loaded) = entry(language)?;
    Some(loaded.get_or_init(|| Grammar::new(table)))
}

/// The table of a language, if there is a grammar for it.
pub(crate) fn table(language: Language) -> Option<&'static Table> {
    entry(language).map(|Entry(table, _)| *table)
}

fn entry(language: Language) -> Option<&'static Entry> {
    macro_rules! once {
        ($table:expr) => {{
            static ENTRY: Entry = Entry(&$table, OnceLock::new());
            Some(&ENTRY)
        }};
    }
    match language {
        Language::TypeScript => once!(javascript::TYPESCRIPT),
        Language::Tsx => once!(javascript::TSX),
        Language::JavaScript => once!(javascript::JAVASCRIPT),
        Language::Python => once!(python::TABLE),
        Language::Java => once!(java::TABLE),
        Language::Go => once!(go::TABLE),
        Language::Rust => once!(rust::TABLE),
        Language::C => once!(c::C),
        Language::Cpp | Language::Cuda => once!(c::CPP),
        Language::CSharp => once!(csharp::TABLE),
        Language::Ruby => once!(ruby::TABLE),
        Language::Php => once!(php::TABLE),
        Language::Kotlin => once!(kotlin::TABLE),
        Language::Swift => once!(swift::TABLE),
        Language::Scala => once!(scala::TABLE),
        Language::Lua => once!(lua::TABLE),
        Language::Bash => once!(bash::TABLE),
        Language::Dart => once!(dart::TABLE),
        Language::PowerShell => once!(powershell::TABLE),
        Language::Elixir => once!(elixir::TABLE),
        Language::Haskell => once!(haskell::TABLE),
        Language::Zig => once!(zig::TABLE),
        Language::Html => once!(light::HTML),
        Language::Css | Language::Scss | Language::Less => once!(light::CSS),
        Language::Json => once!(light::JSON),
        Language::Yaml => once!(light::YAML),
        Language::Toml => once!(light::TOML),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The kinds of nodes that tables of languages name; of a table that several languages share, one must have it.
    #[test]
    fn every_kind_of_a_table_is_in_a_grammar() {
        let all: Vec<_> = Language::all().filter_map(grammar).collect();
        let mut missing = BTreeSet::new();
        for grammar in &all {
            let table = grammar.table;
            let sharing = all.iter().filter(|other| {
                std::ptr::eq(other.table.rules, table.rules)
                    || table.names.zip(other.table.names).is_some_and(|(a, b)| std::ptr::eq(a, b))
            });
            let sharing: Vec<_> = sharing.collect();
            let is_kind = |kind: &str, named| {
                sharing.iter().any(|other| other.language.id_for_node_kind(kind, named) != 0)
            };
            let rules = table.rules.iter().map(|(kind, _)| *kind);
            let imports = table.imports.asked.iter().copied();
            let packages = table.imports.packages.iter().map(|(kind, _)| *kind);
            let nodes = rules.chain(imports).chain(packages).filter(|kind| !is_kind(kind, true));
            // Names are also read of keywords that have no named node.
            let names = table.names.into_iter().flat_map(|names| names.rules).map(|(kind, _)| *kind);
            let names =
                names.filter(|kind| *kind != "ERROR" && !is_kind(kind, true) && !is_kind(kind, false));
            let kinds: BTreeSet<&str> = table.rules.iter().map(|(kind, _)| *kind).collect();
            assert_eq!(kinds.len(), table.rules.len(), "a kind has two rules: {:?}", table.rules[0].0);
            missing.extend(nodes.chain(names).map(|kind| (table.separator, kind)));
        }
        assert!(missing.is_empty(), "no grammar has {missing:?}");
    }
}
