//! Names that a declaration of Go uses, without those that it binds itself.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use tree_sitter::Node;

use super::uses::note;
use super::{Descent, walk};
use crate::grammar::{field, line, text};

/// Declarations of a file, each read as a whole.
const DECLARATIONS: &[&str] = &[
    "function_declaration",
    "method_declaration",
    "var_declaration",
    "const_declaration",
    "type_declaration",
];

/// Nodes at whose end the names bound inside of them end.
const SCOPES: &[&str] = &[
    "function_declaration",
    "method_declaration",
    "func_literal",
    "function_type",
    "method_elem",
    "type_spec",
    "block",
    "if_statement",
    "for_statement",
    "expression_switch_statement",
    "type_switch_statement",
    "select_statement",
    "expression_case",
    "type_case",
    "default_case",
    "communication_case",
];

/// Whether a node is a declaration of the file; its names are noted then.
pub(super) fn declaration(
    node: Node<'_>,
    ancestors: &[Node<'_>],
    source: &str,
    used: &mut BTreeMap<String, u32>,
) -> bool {
    let is_top = ancestors.last().is_none_or(|parent| parent.kind() == "source_file");
    if !is_top || !DECLARATIONS.contains(&node.kind()) {
        return false;
    }
    let bound = Bound::new(node, source);
    walk(node, |inner, ancestors| {
        let operand = field(inner, "operand").filter(|operand| operand.kind() == "identifier");
        let first = match inner.kind() {
            "identifier" | "type_identifier" => inner,
            "selector_expression" if operand.is_some() => operand.unwrap_or(inner),
            "qualified_type" => field(inner, "package").unwrap_or(inner),
            _ => return Descent::Inside,
        };
        let is_key = first == inner && is_field_key(first, ancestors);
        if !is_key && !bound.has(first, text(first, source)) {
            note(text(inner, source), line(inner), used);
        }
        Descent::Beside
    });
    true
}

/// The names that a declaration binds.
struct Bound<'s> {
    /// Byte ranges in which each name is bound by this declaration.
    spans: HashMap<&'s str, Vec<Range<usize>>>,
    /// Positions of the bound names.
    places: HashSet<usize>,
}

impl<'s> Bound<'s> {
    fn new(declaration: Node<'_>, source: &'s str) -> Self {
        let mut bound = Self { spans: HashMap::new(), places: HashSet::new() };
        let mut scopes: Vec<Range<usize>> = Vec::new();
        walk(declaration, |node, _| {
            while scopes.pop_if(|scope| scope.end <= node.start_byte()).is_some() {}
            if SCOPES.contains(&node.kind()) {
                scopes.push(node.byte_range());
            }
            // A parameter is seen from the beginning of its function, a variable from the end of its declaration.
            let is_parameter = node.kind().contains("parameter");
            if let (Some(names), Some(scope)) = (names(node), scopes.last()) {
                let start = if is_parameter { scope.start } else { node.end_byte() };
                bound.add(names, start..scope.end, source);
            }
            Descent::Inside
        });
        bound.spans.values_mut().for_each(joined);
        bound
    }

    fn add(&mut self, names: Vec<Node<'_>>, span: Range<usize>, source: &'s str) {
        for name in names {
            self.places.insert(name.start_byte());
            self.spans.entry(text(name, source)).or_default().push(span.clone());
        }
    }

    fn has(&self, node: Node<'_>, name: &str) -> bool {
        let at = node.start_byte();
        self.places.contains(&at)
            || self.spans.get(name).is_some_and(|spans| {
                let after = spans.partition_point(|span| span.start <= at);
                after > 0 && spans[after - 1].contains(&at)
            })
    }
}

/// Sorts spans and joins those that overlap, so that one look finds the only one around a place.
fn joined(spans: &mut Vec<Range<usize>>) {
    spans.sort_unstable_by_key(|span| span.start);
    spans.dedup_by(|next, span| {
        let overlaps = next.start <= span.end;
        span.end = if overlaps { span.end.max(next.end) } else { span.end };
        overlaps
    });
}

/// The names that a node binds.
fn names(node: Node<'_>) -> Option<Vec<Node<'_>>> {
    let place = match node.kind() {
        "parameter_declaration"
        | "variadic_parameter_declaration"
        | "type_parameter_declaration"
        | "var_spec"
        | "const_spec" => {
            let mut cursor = node.walk();
            return Some(node.children_by_field_name("name", &mut cursor).collect());
        }
        "short_var_declaration" | "range_clause" | "receive_statement" => field(node, "left")?,
        "type_switch_statement" => field(node, "alias")?,
        _ => return None,
    };
    let mut cursor = place.walk();
    Some(place.named_children(&mut cursor).filter(|name| name.kind() == "identifier").collect())
}

/// `name` of `Person{name: x}`, but not of `map[string]int{name: x}`.
fn is_field_key(name: Node<'_>, ancestors: &[Node<'_>]) -> bool {
    let [.., literal, _, element, key] = ancestors else { return false };
    if key.kind() != "literal_element" || element.kind() != "keyed_element" {
        return false;
    }
    let is_first =
        element.named_child(0).is_some_and(|first| first == *key) && key.named_child(0) == Some(name);
    let of = field(*literal, "type").map_or("", |of| of.kind());
    is_first && !matches!(of, "map_type" | "slice_type" | "array_type" | "implicit_length_array_type")
}
