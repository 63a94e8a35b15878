//! Elements of JSX.

use tree_sitter::Node;

use crate::grammar::{field, named_children};
use crate::names::walk::Walk;
use crate::names::{Role, Site, Value};

/// `<Shape size={1} />`: a component is called with its properties.
pub(super) fn jsx_element<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let name = field(node, "name").filter(|name| is_component(walk, *name));
    let called = name.map_or(Value::Unknown, |name| walk.visit_as(name, Role::Call));
    let properties = called.parameter(0);
    walk.field(node, "type_arguments");
    let mut cursor = node.walk();
    for part in node.children_by_field_name("attribute", &mut cursor) {
        if part.kind() == "jsx_attribute" {
            jsx_attribute(walk, part, properties);
        } else {
            walk.visit(part);
        }
    }
    Value::Builtin
}

/// Whether the name of an element is no tag of HTML.
fn is_component(walk: &Walk<'_>, name: Node<'_>) -> bool {
    name.kind() != "identifier" || walk.text_of(name).starts_with(|c: char| !c.is_ascii_lowercase())
}

pub(super) fn jsx_end<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = field(node, "name").filter(|name| is_component(walk, *name)) {
        walk.visit(name);
    }
    Value::Unknown
}

fn jsx_attribute<'t>(walk: &mut Walk<'t>, node: Node<'t>, properties: Value) {
    let mut held = Value::Unknown;
    for (at, part) in named_children(node).enumerate() {
        if at > 0 {
            jsx_value(walk, part, held);
        } else if properties.is_typed() && part.kind() == "property_identifier" {
            held = walk.at_site(part, Role::Write, Site::Key(properties));
        }
    }
}

fn jsx_value<'t>(walk: &mut Walk<'t>, node: Node<'t>, held: Value) {
    if node.kind() != "jsx_expression" {
        walk.visit(node);
        return;
    }
    for part in named_children(node) {
        walk.expected = held;
        walk.visit(part);
        walk.expected = Value::Unknown;
    }
}
