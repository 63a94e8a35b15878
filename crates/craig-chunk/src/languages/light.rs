//! Markup, style sheets and data: only what helps to cut them well; their keys are no symbols.

use tree_sitter::Node;

use crate::grammar::find::{child, child_of, field, import, text, unquoted};
use crate::grammar::{Answer, Definition, Rule, Table};
use crate::kind::ChunkKind::Block;
use crate::outline::Import;

pub(super) static HTML: Table = Table::new(craig_grammars::HTML, " ", &[("comment", Rule::Attach)]);

pub(super) static CSS: Table = Table::new(
    craig_grammars::CSS,
    " ",
    &[
        ("comment", Rule::Attach),
        ("import_statement", Rule::Import(read_css_import)),
        ("rule_set", Rule::Ask(rule_set)),
        ("keyframes_statement", Rule::Ask(rule_set)),
    ],
);

pub(super) static JSON: Table = Table::new(
    craig_grammars::JSON,
    ".",
    &[("comment", Rule::Attach), ("object", Rule::Open), ("pair", Rule::Ask(keyed))],
);

pub(super) static YAML: Table = Table {
    max_indent: 100,
    ..Table::new(
        craig_grammars::YAML,
        ".",
        &[
            ("comment", Rule::Attach),
            ("document", Rule::Open),
            ("block_node", Rule::Open),
            ("block_mapping", Rule::Open),
            ("block_mapping_pair", Rule::Ask(keyed)),
        ],
    )
};

pub(super) static TOML: Table = Table::new(
    craig_grammars::TOML,
    ".",
    &[
        ("comment", Rule::Attach),
        ("pair", Rule::Ask(toml_key)),
        ("table", Rule::Ask(toml_key)),
        ("table_array_element", Rule::Ask(toml_key)),
    ],
);

fn rule_set<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    named(child_of(node, &["selectors", "keyframes_name"]))
}

fn keyed<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    named(field(node, "key"))
}

fn toml_key<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    named(child_of(node, &["bare_key", "dotted_key", "quoted_key"]))
}

fn named(name: Option<Node<'_>>) -> Answer<'_> {
    name.map_or(Answer::Plain, |name| Answer::Define(Definition::new(Block, name).unlisted()))
}

fn read_css_import(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let url = child(node, "call_expression").and_then(|call| child(call, "arguments"));
    let value = child(url.unwrap_or(node), "string_value");
    imports.extend(value.map(|value| import(unquoted(text(value, source)), node)));
}
