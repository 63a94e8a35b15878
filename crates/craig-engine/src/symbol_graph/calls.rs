//! Callers and callees, as a tree.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use craig_chunk::names::{DefinitionKind, Role, Traits};
use craig_symbols::{SymbolDefinition, SymbolIx, SymbolReference};

use super::{Asked, CallDirection, CallHierarchy, CallRow, SymbolRequest};

/// Symbols whose callers or callees are looked up.
const MOST_EXPANDED: usize = 1_000;

/// Lines of calls that are listed in a row.
const MOST_LINES: usize = 10;

/// Depth of a tree.
const MOST_DEPTH: u32 = 16;

/// A caller or callee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Node {
    /// A definition: of a caller the one that has the calls.
    Definition(SymbolIx),
    /// Code outside of definitions.
    File(u32),
}

/// The calls of one symbol by another.
struct Calls {
    other: Node,
    /// The definition that represents the other symbol.
    symbol: Option<SymbolIx>,
    lines: Vec<u32>,
    confidence: u8,
}

/// The tree below a symbol: the calls of each symbol that was expanded.
struct Tree<'a> {
    asked: &'a Asked<'a>,
    calls: HashMap<SymbolIx, Vec<Calls>>,
    /// For each symbol, the parent below which its subtree is shown.
    above: HashMap<SymbolIx, SymbolIx>,
    /// Number of calls of expanded symbols below the requested confidence.
    possible: u64,
}

pub(super) fn hierarchy(
    asked: &Asked<'_>,
    direction: CallDirection,
    request: &SymbolRequest,
) -> CallHierarchy {
    let root = asked.first();
    let tree = Tree::new(asked, direction, request);
    let mut rows = Vec::new();
    tree.lay_out(root, 1, &mut rows);
    let total = rows.len() as u64;
    rows.truncate(request.limit);
    let (sure, _) = asked.references(request.min_confidence, &[]);
    let other = sure.iter().filter(|found| !asked.is_call(found)).count();
    CallHierarchy {
        direction,
        calls: rows,
        total,
        possible: tree.possible,
        other_references: if direction == CallDirection::In { other as u64 } else { 0 },
        unbound: None,
        subject: asked.subject(),
    }
}

impl Asked<'_> {
    /// Whether a reference runs a function: it calls one, or reads or writes what is a function behind a property.
    fn is_call(&self, found: &SymbolReference) -> bool {
        let is_property = || self.graph.definition(found.symbol).traits.has(Traits::PROPERTY);
        found.role == Role::Call || matches!(found.role, Role::Read | Role::Write) && is_property()
    }
}

/// Whether a member makes instances of its type.
fn is_constructor(definition: &SymbolDefinition) -> bool {
    definition.kind == DefinitionKind::Constructor
        || matches!(definition.name.as_str(), "__init__" | "constructor" | "initialize" | "init")
}

impl<'a> Tree<'a> {
    /// Breadth first, so that what is below a symbol is shown where it is nearest to the root.
    fn new(asked: &'a Asked<'a>, direction: CallDirection, request: &SymbolRequest) -> Self {
        let root = asked.first();
        let mut tree =
            Self { asked, calls: HashMap::new(), above: HashMap::from([(root, root)]), possible: 0 };
        let mut representatives: HashMap<SymbolIx, SymbolIx> =
            asked.parts.iter().map(|&part| (part, root)).collect();
        let mut open = VecDeque::from([(root, 1)]);
        while let Some((symbol, depth)) = open.pop_front() {
            if tree.calls.len() >= MOST_EXPANDED || request.cancellation.is_cancelled() {
                break;
            }
            let found = tree.found(symbol, direction);
            tree.possible += n_unsure(&found, request.min_confidence);
            let calls = tree.grouped(&found, direction, request.min_confidence, &mut representatives);
            for call in &calls {
                if let Some(other) = call.symbol
                    && depth < request.depth.min(MOST_DEPTH)
                    && !tree.above.contains_key(&other)
                {
                    tree.above.insert(other, symbol);
                    open.push_back((other, depth + 1));
                }
            }
            tree.calls.insert(symbol, calls);
        }
        tree
    }

    /// The calls of a symbol, or those in it.
    fn found(&self, symbol: SymbolIx, direction: CallDirection) -> Vec<&'a SymbolReference> {
        let graph = self.asked.graph;
        let mut parts = match symbol == self.asked.first() {
            true => self.asked.parts.clone(),
            false => graph.parts_of_overload(symbol),
        };
        let is_call = |found: &&SymbolReference| self.asked.is_call(found);
        if direction == CallDirection::In {
            return parts.iter().flat_map(|&part| graph.references_to(part)).filter(is_call).collect();
        }
        // A property that it reads counts as a function if it has a body to show.
        let is_call = |found: &&SymbolReference| {
            found.role == Role::Call || is_call(found) && graph.definition(found.symbol).kind.is_callable()
        };
        // Calling a type creates an instance, which runs only its constructor.
        if symbol != self.asked.first() && graph.definition(symbol).kind.is_type() {
            let members = parts.iter().flat_map(|&part| graph.definitions_in(graph.definition(part).file));
            let is_constructor = |&at: &SymbolIx| {
                let definition = graph.definition(at);
                definition.parent.is_some_and(|parent| parts.contains(&parent)) && is_constructor(definition)
            };
            parts = members.filter(is_constructor).collect();
        }
        let mut calls: Vec<&SymbolReference> =
            parts.iter().flat_map(|&part| graph.references_within(part)).filter(is_call).collect();
        // `Cart()` refers to the type and to its constructor: the call is that of the constructor.
        let constructed: HashSet<_> = calls
            .iter()
            .map(|found| (place_of(found), graph.definition(found.symbol)))
            .filter(|(_, called)| called.kind == DefinitionKind::Constructor)
            .filter_map(|(place, called)| Some((place, called.parent?)))
            .collect();
        calls.retain(|found| !constructed.contains(&(place_of(found), found.symbol)));
        calls
    }

    /// Calls by who is on their other end: callers by place, callees in the order of their calls.
    fn grouped(
        &self,
        found: &[&SymbolReference],
        direction: CallDirection,
        min_confidence: u8,
        representatives: &mut HashMap<SymbolIx, SymbolIx>,
    ) -> Vec<Calls> {
        let mut by_node: BTreeMap<Node, Calls> = BTreeMap::new();
        for call in found.iter().filter(|call| call.confidence >= min_confidence) {
            let caller = call.within.map(|within| self.asked.graph.run_by(within));
            let symbol = if direction == CallDirection::In { caller } else { Some(call.symbol) };
            let symbol = symbol.map(|symbol| self.representative(symbol, representatives));
            let shown = if direction == CallDirection::In { caller } else { symbol };
            let other = shown.map_or(Node::File(call.file), Node::Definition);
            let calls = by_node.entry(other).or_insert_with(|| Calls {
                other,
                symbol,
                lines: Vec::new(),
                confidence: 0,
            });
            calls.lines.push(call.line);
            calls.confidence = calls.confidence.max(call.confidence);
        }
        let mut calls: Vec<Calls> = by_node.into_values().collect();
        for call in &mut calls {
            call.lines.sort_unstable();
            call.lines.dedup();
        }
        match direction {
            CallDirection::In => calls.sort_by_key(|call| {
                let (file, line) = self.place(call);
                (self.is_of_test(call), file, line)
            }),
            CallDirection::Out => calls.sort_by_key(|call| (call.lines.first().copied(), call.other)),
        }
        calls
    }

    fn representative(&self, symbol: SymbolIx, known: &mut HashMap<SymbolIx, SymbolIx>) -> SymbolIx {
        *known.entry(symbol).or_insert_with(|| self.asked.representative(symbol))
    }

    fn is_of_test(&self, call: &Calls) -> bool {
        match call.other {
            Node::Definition(at) => self.asked.graph.is_test(at),
            Node::File(file) => self.asked.is_test(file),
        }
    }

    fn place(&self, call: &Calls) -> (u32, u32) {
        match call.other {
            Node::Definition(at) => {
                let definition = self.asked.graph.definition(at);
                (definition.file, definition.line)
            }
            Node::File(file) => (file, call.lines.first().copied().unwrap_or(1)),
        }
    }

    /// The rows below a symbol, each before those below it. No deeper than [`MOST_DEPTH`].
    fn lay_out(&self, symbol: SymbolIx, depth: u32, rows: &mut Vec<CallRow>) {
        // Overloads that call the same are rows of one symbol: the first has what is below it.
        let mut laid_out: HashSet<SymbolIx> = HashSet::new();
        for call in self.calls.get(&symbol).into_iter().flatten() {
            let mut row = self.row(call, depth);
            let below = call.symbol.filter(|&other| {
                self.above.get(&other) == Some(&symbol) && other != symbol && laid_out.insert(other)
            });
            row.repeated =
                below.is_none() && call.symbol.is_some_and(|other| self.above.contains_key(&other));
            rows.push(row);
            if let Some(other) = below {
                self.lay_out(other, depth + 1, rows);
            }
        }
    }

    fn row(&self, call: &Calls, depth: u32) -> CallRow {
        let graph = self.asked.graph;
        let (file, line) = self.place(call);
        let path = self.asked.path(file).to_owned();
        let (name, kind, line_end) = match call.other {
            Node::Definition(at) => {
                let definition = graph.definition(at);
                (graph.qualified_name(at), Some(definition.kind), definition.line_end)
            }
            Node::File(_) => (path.clone(), None, line),
        };
        CallRow {
            depth,
            name,
            kind,
            path,
            line,
            line_end,
            call_lines: call.lines.iter().take(MOST_LINES).copied().collect(),
            more_lines: call.lines.len().saturating_sub(MOST_LINES) as u64,
            confidence: call.confidence,
            test: self.is_of_test(call),
            repeated: false,
        }
    }
}

fn place_of(found: &SymbolReference) -> (u32, u32, u32) {
    (found.file, found.line, found.column)
}

/// Places of calls below the requested confidence.
fn n_unsure(found: &[&SymbolReference], min_confidence: u8) -> u64 {
    let mut surest: BTreeMap<(u32, u32, u32), u8> = BTreeMap::new();
    for call in found {
        let known = surest.entry(place_of(call)).or_default();
        *known = call.confidence.max(*known);
    }
    surest.values().filter(|&&confidence| confidence < min_confidence).count() as u64
}
