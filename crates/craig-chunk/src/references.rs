//! What a file refers to: import statements anywhere in it, the packages it belongs to, the names it uses.

mod kinds;
mod lines;
mod uses;
mod words;

use std::collections::BTreeMap;

use craig_source::Language;
use tree_sitter::{Node, Tree};

use crate::grammar::{Answer, Grammar, Imports, Rule, field, text};
use crate::languages;
use crate::names::{self, Names};
use crate::outline::Import;
use crate::parse::ParsedCode;
use crate::reference::{Reference, ReferenceKind, References, Use};
use crate::trees::{language_of_code, trees};

/// Reads what `text` refers to. Total: without a grammar for the language, the result has little or nothing.
pub fn references(language: Language, text: &str) -> References {
    let trees = trees(language, text).unwrap_or_default();
    read(language, text, &trees, &names::read::read(language, text, &trees))
}

/// Reads what `text` refers to by its trees and names.
pub(crate) fn read(language: Language, text: &str, trees: &[ParsedCode], names: &Names) -> References {
    let language = language_of_code(language, text);
    let grammar = languages::grammar(language);
    let words = grammar.and_then(|grammar| words::Words::new(grammar, text));
    let written = grammar.map_or(Imports::DEFAULT, |grammar| grammar.table.imports);
    let mut reading =
        Reading { language, written, text, words, found: References::default(), used: BTreeMap::new() };
    if !lines::are_enough(language) {
        trees.iter().for_each(|(grammar, tree)| reading.tree(grammar, tree));
    }
    if let Some(style) = written.uses {
        uses::of_names(style, names, &mut reading.used);
    }
    reading.found.imports.extend(lines::imports(language, text));
    reading.found.imports.sort_by_key(|import| import.line);
    let uses = reading.used.into_iter().map(|(name, line)| Use { name, line });
    References { uses: uses.collect(), ..reading.found }
}

struct Reading<'t> {
    language: Language,
    written: Imports,
    text: &'t str,
    /// Nodes without one of these are no imports and not visited.
    words: Option<words::Words>,
    found: References,
    used: BTreeMap<String, u32>,
}

/// Whether to visit the children of a node.
enum Descent {
    Inside,
    Beside,
}

/// Visits a node and those below it in their order, however deep they lie, each with its ancestors up to `top`, the nearest
/// last. A node does not know its parent: tree-sitter would go down from the root for it.
fn walk<'t>(top: Node<'t>, mut visit: impl FnMut(Node<'t>, &[Node<'t>]) -> Descent) {
    let mut cursor = top.walk();
    let mut ancestors = Vec::new();
    loop {
        let node = cursor.node();
        if matches!(visit(node, &ancestors), Descent::Inside) && cursor.goto_first_child() {
            ancestors.push(node);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            ancestors.pop();
        }
    }
}

/// Modules nested deeper than this count as parts of the enclosing one.
const MAX_MODULES_DEEP: usize = 64;

impl<'t> Reading<'t> {
    fn tree(&mut self, grammar: &Grammar, tree: &Tree) {
        let mut within: Vec<(usize, String)> = Vec::new();
        walk(tree.root_node(), |node, ancestors| {
            if self.words.as_ref().is_some_and(|words| !words.are_in(node.byte_range())) {
                return Descent::Beside;
            }
            while within.pop_if(|(end, _)| *end <= node.start_byte()).is_some() {}
            let descent = self.node(grammar, node, ancestors, &within);
            if self.language == Language::Rust
                && within.len() < MAX_MODULES_DEEP
                && let Some(name) = self.inline_module(node)
            {
                within.push((node.end_byte(), name));
            }
            descent
        });
    }

    fn node(
        &mut self,
        grammar: &Grammar,
        node: Node<'_>,
        ancestors: &[Node<'_>],
        within: &[(usize, String)],
    ) -> Descent {
        if !node.is_named() {
            return Descent::Inside;
        }
        // Asked for once: the grammar gives it as a C string.
        let kind = node.kind();
        if let Some(package) = self.package(node, kind) {
            self.found.packages.push(package);
            return if node.child_by_field_name("body").is_some() {
                Descent::Inside
            } else {
                Descent::Beside
            };
        }
        let mut imports = Vec::new();
        match grammar.rule(node) {
            Rule::Import(read) => read(node, self.text, &mut imports),
            Rule::Ask(ask) if self.written.asked.contains(&kind) => {
                if let Answer::Import(read) = ask(node, self.text) {
                    read(node, self.text, &mut imports);
                }
            }
            _ => {}
        }
        if !imports.is_empty() {
            self.take(imports, node, ancestors, within);
            return Descent::Beside;
        }
        imports.extend(kinds::loading(self.language, node, kind, self.text));
        self.take(imports, node, ancestors, within);
        uses::collect(self.language, (node, kind), self.text, &mut self.used)
    }

    fn take(
        &mut self,
        imports: Vec<Import>,
        node: Node<'_>,
        ancestors: &[Node<'_>],
        within: &[(usize, String)],
    ) {
        if imports.is_empty() {
            return;
        }
        let kind = match kinds::is_for_type_checkers(self.language, node, ancestors, self.text) {
            true => ReferenceKind::TypeImport,
            false => kinds::reference_kind(self.written.kind, node, self.text),
        };
        let lazy = self.written.is_executed && kinds::is_in_function(ancestors);
        let within: Vec<String> = within.iter().map(|(_, name)| name.clone()).collect();
        let path = kinds::path_attribute(node, self.text);
        for import in imports {
            let alias = kinds::alias(self.language, node, &import, self.text);
            let Import { target, names, line } = import;
            let (within, path) = (within.clone(), path.clone());
            self.found.imports.push(Reference { kind, target, names, alias, line, within, path, lazy });
        }
    }

    /// The name of a Rust module that is written out here.
    fn inline_module(&self, node: Node<'_>) -> Option<String> {
        let is_inline = node.kind() == "mod_item" && field(node, "body").is_some();
        is_inline.then(|| field(node, "name").map(|name| text(name, self.text).to_owned()))?
    }

    /// The package or namespace that a declaration names.
    fn package(&self, node: Node<'_>, kind: &str) -> Option<String> {
        let places = self.written.packages.iter().filter(|(declaration, _)| *declaration == kind);
        let name = places.map(|(_, name)| name.find_in(node)).find(Option::is_some).flatten();
        name.map(|name| text(name, self.text).split_whitespace().collect())
    }
}
