//! Rust.

mod item_macros;
mod names;

use tree_sitter::Node;

use crate::grammar::counting::Counting;
use crate::grammar::find::{field, import, text};
use crate::grammar::{Answer, At, Definition, Form, Imports, Rule, Style, Table, define};
use crate::kind::ChunkKind::{Class, Constant, Enum, Function, Interface, Module, Type};
use crate::names::Role;
use crate::outline::Import;

pub(super) static TABLE: Table = Table {
    prepare: Some(item_macros::hidden),
    names: Some(&names::TABLE),
    counting: Some(&COUNTING),
    imports: Imports {
        words: &["use", "mod", "extern"],
        asked: &["mod_item"],
        uses: Some(&USES),
        ..Imports::DEFAULT
    },
    ..Table::new(
        craig_grammars::RUST,
        "::",
        &[
            ("line_comment", Rule::Attach),
            ("block_comment", Rule::Attach),
            ("attribute_item", Rule::Attach),
            ("use_declaration", Rule::Import(read_use)),
            ("extern_crate_declaration", Rule::Import(read_extern_crate)),
            ("mod_item", Rule::Ask(module)),
            ("function_item", define(Function).rule()),
            ("function_signature_item", define(Function).rule()),
            ("struct_item", define(Class).rule()),
            ("union_item", define(Class).rule()),
            ("enum_item", define(Enum).rule()),
            ("enum_variant", define(Constant).inside(At::Nowhere).rule()),
            ("field_declaration", define(Constant).rule()),
            ("trait_item", define(Interface).rule()),
            ("impl_item", Rule::Ask(implementation)),
            ("type_item", define(Type).rule()),
            ("associated_type", define(Type).rule()),
            ("const_item", define(Constant).rule()),
            ("static_item", define(Constant).rule()),
            ("macro_definition", define(Function).rule()),
            ("foreign_mod_item", Rule::Open),
            ("declaration_list", Rule::Open),
        ],
    )
};

static USES: Style = Style { qualified_by: Some(Role::Type), ..Style::new(Form::Path("::"), is_lower_path) };

fn is_lower_path(path: &str) -> bool {
    path.contains("::") && path.starts_with(|c: char| c.is_lowercase() || c == '_')
}

static COUNTING: Counting = Counting {
    units: &["function_item"],
    decides: &[
        "if_expression",
        "for_expression",
        "while_expression",
        "match_arm",
        "try_expression",
        "let_declaration",
        "match_pattern",
        "let_chain",
    ],
    nests: &["if_expression", "for_expression", "while_expression", "loop_expression", "match_expression"],
    ifs: &["if_expression"],
    operations: &["binary_expression", "let_chain"],
    operators: &["&&", "||"],
    arms: &["match_arm"],
    is_decision,
    ..Counting::C_LIKE
};

/// `let … else` and the guard of an arm decide.
fn is_decision(node: Node<'_>, _: &str) -> bool {
    match node.kind() {
        "let_declaration" => node.child_by_field_name("alternative").is_some(),
        "match_pattern" => node.child_by_field_name("condition").is_some(),
        "let_chain" => false,
        _ => true,
    }
}

fn module<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    match (field(node, "name"), field(node, "body")) {
        (Some(name), Some(body)) => Answer::Define(Definition::new(Module, name).body(Some(body))),
        (Some(_), None) => Answer::Import(read_mod),
        _ => Answer::Plain,
    }
}

/// An `impl` names its members' parent; the type itself is defined elsewhere.
fn implementation<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    let Some(mut name) = field(node, "type") else { return Answer::Plain };
    while let Some(inner) = field(name, "type").or_else(|| field(name, "name")) {
        name = inner;
    }
    Answer::Define(Definition::new(Class, name).body(field(node, "body")).unlisted())
}

fn read_mod(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let name = field(node, "name").map(|name| text(name, source)).unwrap_or_default();
    imports.push(import(&format!("self::{name}"), node));
}

fn read_extern_crate(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    imports.extend(field(node, "name").map(|name| import(text(name, source), node)));
}

/// One import per path before a brace: `a::{b, c::{d}}` imports `b` from `a` and `d` from `a::c`.
fn read_use(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let Some(tree) = field(node, "argument") else { return };
    let first = imports.len();
    use_tree(tree, "", source, imports, 0);
    for import in &mut imports[first..] {
        import.line = crate::grammar::find::line(node);
    }
}

fn use_tree(tree: Node<'_>, prefix: &str, source: &str, imports: &mut Vec<Import>, depth: usize) {
    let path_of = |node: Option<Node<'_>>| match node {
        Some(path) => join(prefix, text(path, source)),
        None => prefix.to_owned(),
    };
    match tree.kind() {
        "scoped_use_list" => {
            let path = path_of(field(tree, "path"));
            if let Some(list) = field(tree, "list").filter(|_| depth < 16) {
                use_list(list, &path, source, imports, depth);
            }
        }
        "use_list" => use_list(tree, prefix, source, imports, depth),
        "use_as_clause" => {
            if let Some(path) = field(tree, "path") {
                use_tree(path, prefix, source, imports, depth);
            }
        }
        "use_wildcard" => bring(path_of(tree.named_child(0)), "*", tree, imports),
        "scoped_identifier" => {
            let name = field(tree, "name").map(|name| text(name, source)).unwrap_or_default();
            bring(path_of(field(tree, "path")), name, tree, imports);
        }
        _ if prefix.is_empty() => imports.push(import(text(tree, source), tree)),
        _ => bring(prefix.to_owned(), text(tree, source), tree, imports),
    }
}

fn use_list(list: Node<'_>, prefix: &str, source: &str, imports: &mut Vec<Import>, depth: usize) {
    let mut cursor = list.walk();
    for part in list.named_children(&mut cursor) {
        use_tree(part, prefix, source, imports, depth + 1);
    }
}

fn bring(path: String, name: &str, node: Node<'_>, imports: &mut Vec<Import>) {
    if let Some(same) = imports.last_mut().filter(|last| last.target == path && !last.names.is_empty()) {
        same.names.push(name.to_owned());
        return;
    }
    let mut found = import(&path, node);
    found.names.push(name.to_owned());
    imports.push(found);
}

fn join(prefix: &str, path: &str) -> String {
    if prefix.is_empty() { path.to_owned() } else { format!("{prefix}::{path}") }
}
