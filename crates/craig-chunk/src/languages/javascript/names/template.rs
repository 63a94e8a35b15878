//! Templates of components, read in the scope of their scripts.

use std::slice::Iter;

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use crate::embedded::template::{Part, Template};
use crate::grammar::{field, named_children};
use crate::names::walk::{ScopeKind, Walk};
use crate::names::{DefinitionIx, Role, Source, Value};

/// The statements of a template by where they begin.
type Statements<'t> = FxHashMap<usize, Node<'t>>;

/// Reads a template as a part of the component. The properties that the script declares are names by themselves.
pub(crate) fn template<'t>(walk: &mut Walk<'t>, template: &'t Template, component: DefinitionIx) {
    let (grammar, tree) = &template.code;
    walk.use_rules(grammar);
    let statements: Statements<'t> =
        named_children(tree.root_node()).map(|statement| (statement.start_byte(), statement)).collect();
    walk.inside(Some(component), |walk| {
        walk.scope(ScopeKind::Function, |walk| {
            walk.bind_members(walk.properties);
            options(walk, component);
            parts(walk, &mut template.parts.iter(), &statements);
        });
    });
}

/// Makes known what the options of a component give its template: `export default { props, data, computed, methods }`.
fn options(walk: &mut Walk<'_>, component: DefinitionIx) {
    let exported = walk.definition(component).and_then(|component| component.supers.first().copied());
    let Some(Value::Itself(Source::Definition(options))) = exported else { return };
    for option in ["props", "computed", "methods", "data", "setup"] {
        let Some(at) = walk.member_called(options, option) else { continue };
        let returned = walk.definition(at).map_or(Value::Unknown, |option| option.value);
        walk.bind_members(Value::Instance(Source::Definition(at)));
        walk.bind_members(returned);
    }
}

/// Reads the parts of an element, or of all.
fn parts<'t>(walk: &mut Walk<'t>, rest: &mut Iter<'t, Part>, statements: &Statements<'t>) {
    while let Some(part) = rest.next() {
        let expression = |at: &usize| statements.get(at).and_then(|statement| statement.named_child(0));
        match part {
            Part::Open => walk.scope(ScopeKind::Block, |walk| parts(walk, rest, statements)),
            Part::Close => return,
            Part::Component { name, line, column } => walk.component(name, *line, *column),
            Part::Value(at) => {
                if let Some(value) = expression(at) {
                    walk.visit(value);
                }
            }
            Part::Handler(at) => {
                if let Some(&statements) = statements.get(at) {
                    walk.visit(statements);
                }
            }
            Part::Names(at) => {
                if let Some(names) = expression(at) {
                    declare(walk, names, Value::Unknown);
                }
            }
            Part::Each(at) => {
                if let Some(each) = expression(at) {
                    let of = field(each, "arguments").and_then(|list| list.named_child(0));
                    let of = of.map_or(Value::Unknown, |of| walk.visit(of));
                    let element = walk.element(of);
                    if let Some(names) = field(each, "function") {
                        declare(walk, names, element);
                    }
                }
            }
        }
    }
}

/// Declares the names of a pattern that was parsed as an expression. Of several, the first is the value.
fn declare<'t>(walk: &mut Walk<'t>, node: Node<'t>, value: Value) {
    match node.kind() {
        "identifier" => {
            walk.declare_local(node, value);
        }
        "shorthand_property_identifier" | "shorthand_property_identifier_pattern" => {
            let held = member(walk, node, value);
            walk.declare_local(node, held);
        }
        "pair" => {
            let held = field(node, "key").map_or(Value::Unknown, |key| member(walk, key, value));
            if let Some(inner) = field(node, "value") {
                declare(walk, inner, held);
            }
        }
        "assignment_expression" | "object_assignment_pattern" => {
            walk.field(node, "right");
            if let Some(left) = field(node, "left") {
                declare(walk, left, value);
            }
        }
        "object" => named_children(node).for_each(|part| declare(walk, part, value)),
        "parenthesized_expression" => {
            if let Some(inner) = node.named_child(0) {
                declare(walk, inner, value);
            }
        }
        "sequence_expression" => {
            for (at, part) in named_children(node).enumerate() {
                declare(walk, part, if at == 0 { value } else { Value::Unknown });
            }
        }
        "array" | "spread_element" => {
            named_children(node).for_each(|part| declare(walk, part, Value::Unknown));
        }
        _ => {}
    }
}

/// A member of a value, if that is known: what a slot hands over is not.
fn member<'t>(walk: &mut Walk<'t>, name: Node<'t>, of: Value) -> Value {
    if of.is_typed() && name.kind() != "computed_property_name" {
        walk.member(name, of, Role::Read)
    } else {
        Value::Unknown
    }
}
