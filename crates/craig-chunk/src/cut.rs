//! From units to chunks: whole where they fit, header and members where not, small neighbours together.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::kind::ChunkKind;
use crate::outline::Chunk;
use crate::split::{Boundary, Sizes, overlap, split};
use crate::walk::{Unit, Walked};

/// A type up to this size stays whole.
const MAX_TYPE_BYTES: usize = 1500;
/// Anything larger is split.
const MAX_UNIT_BYTES: usize = 2400;
/// Parts of a split unit have about this size.
const TARGET_PART_BYTES: usize = 1800;
/// A definition of this size stands alone; smaller ones join their neighbours.
const ALONE_BYTES: usize = 350;
/// Neighbours join up to this size.
const MAX_JOINED_BYTES: usize = 1200;
/// Statements, imports and headers smaller than this never stand alone if a neighbour takes them.
const TINY_BYTES: usize = 160;
/// Depth to which a syntax tree is searched for boundaries.
const MAX_BOUNDARY_DEPTH: u16 = 48;

const SIZES: Sizes = Sizes { max: MAX_UNIT_BYTES, target: TARGET_PART_BYTES };

/// What a piece is, for joining.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// The start of a container whose members follow as pieces.
    Header,
    /// A function or type, whole.
    Whole,
    /// A constant, field or type alias.
    Small,
    /// Statements, comments.
    Plain,
    /// Import lines.
    Import,
    /// Statements of a function that is cut around its inner functions.
    Rest,
    /// A part of a split unit: only joined with a tiny rest.
    Part,
}

/// A range that becomes a chunk, or a part of one.
#[derive(Clone, Copy, Debug)]
struct Piece {
    start: usize,
    end: usize,
    /// The unit that gives kind and name.
    unit: usize,
    role: Role,
    /// Bytes before `start` that the text overlaps.
    overlap: usize,
    /// Size of the member that gave the name.
    named_bytes: usize,
}

impl Piece {
    fn len(&self) -> usize {
        self.end - self.start
    }
}

/// Cuts the bytes of `range` by what a walk found in them.
pub(crate) fn cut(tree: Option<&Tree>, text: &str, walked: &Walked, range: Range<usize>) -> Vec<Chunk> {
    let mut cutter = Cutter { tree, text, units: &walked.units, pieces: Vec::new() };
    cutter.row(0..walked.units.len(), range.clone(), None);
    let pieces = joined(cutter.pieces, &walked.units);
    pieces.into_iter().map(|piece| chunk(piece, walked)).collect()
}

fn chunk(piece: Piece, walked: &Walked) -> Chunk {
    let unit = &walked.units[piece.unit];
    let parent = &walked.parents[unit.parent];
    Chunk {
        bytes: piece.start..piece.end,
        overlap_bytes: piece.overlap,
        line_start: 0,
        line_end: 0,
        kind: unit.kind,
        symbol_name: unit.name.clone(),
        parent: (!parent.is_empty()).then(|| parent.clone()),
    }
}

struct Cutter<'t> {
    /// Says where a large unit is best cut; lines do without.
    tree: Option<&'t Tree>,
    text: &'t str,
    units: &'t [Unit],
    pieces: Vec<Piece>,
}

impl Cutter<'_> {
    /// Units of one level that share `range`; `owner` is the function they are statements of.
    fn row(&mut self, indices: Range<usize>, range: Range<usize>, owner: Option<usize>) {
        let mut index = indices.start;
        let mut start = range.start;
        while index < indices.end {
            let next = self.units[index].inner_end;
            let end = if next < indices.end { self.units[next].start.min(range.end) } else { range.end };
            if end > start {
                self.unit(index, start..end, owner);
                start = end;
            }
            index = next;
        }
    }

    fn unit(&mut self, index: usize, range: Range<usize>, owner: Option<usize>) {
        let unit = &self.units[index];
        let named = if unit.name.is_none() { owner.unwrap_or(index) } else { index };
        let inner = index + 1..unit.inner_end;
        let has_members = self.units[inner.clone()].iter().any(|member| is_definition(member.kind));
        if range.len() <= whole_limit(unit.kind, has_members) {
            let role = if named == index { role(unit.kind) } else { Role::Rest };
            self.push(range, named, role);
        } else if has_members {
            self.header_and_members(index, inner, range);
        } else {
            self.split(range, named);
        }
    }

    fn header_and_members(&mut self, index: usize, inner: Range<usize>, range: Range<usize>) {
        let kind = self.units[index].kind;
        let owner = matches!(kind, ChunkKind::Function | ChunkKind::Method).then_some(index);
        let inner = self.after_docs(inner);
        let first =
            self.units.get(inner.start).filter(|_| !inner.is_empty()).map_or(range.end, |unit| unit.start);
        let first = first.clamp(range.start, range.end);
        let header = range.start..first;
        if header.len() > MAX_UNIT_BYTES {
            self.split(header, index);
        } else if !header.is_empty() {
            self.push(header, index, Role::Header);
        }
        self.row(inner, first..range.end, owner);
    }

    /// Statements before the first member, such as a docstring, belong to the header.
    fn after_docs(&self, inner: Range<usize>) -> Range<usize> {
        match self.units[inner.clone()].first() {
            Some(unit) if unit.name.is_none() && unit.kind == ChunkKind::Block => unit.inner_end..inner.end,
            _ => inner,
        }
    }

    fn push(&mut self, range: Range<usize>, unit: usize, role: Role) {
        let named_bytes = range.len();
        self.pieces.push(Piece { start: range.start, end: range.end, unit, role, overlap: 0, named_bytes });
    }

    fn split(&mut self, range: Range<usize>, unit: usize) {
        let boundaries = self.tree.map_or(Vec::new(), |tree| boundaries(tree, self.text, &range));
        let cuts = split(self.text, range.clone(), &boundaries, SIZES);
        let starts = std::iter::once(range.start).chain(cuts.iter().copied());
        let ends = cuts.iter().copied().chain([range.end]);
        for (start, end) in starts.zip(ends) {
            let overlap =
                if start == range.start { 0 } else { overlap(self.text, range.start, start, end - start) };
            self.pieces.push(Piece { start, end, unit, role: Role::Part, overlap, named_bytes: end - start });
        }
    }
}

fn is_definition(kind: ChunkKind) -> bool {
    use ChunkKind::{Class, Enum, Function, Interface, Method, Module};
    matches!(kind, Class | Enum | Function | Interface | Method | Module)
}

fn whole_limit(kind: ChunkKind, has_members: bool) -> usize {
    let is_function = matches!(kind, ChunkKind::Function | ChunkKind::Method);
    if has_members && !is_function { MAX_TYPE_BYTES } else { MAX_UNIT_BYTES }
}

fn role(kind: ChunkKind) -> Role {
    match kind {
        ChunkKind::Import => Role::Import,
        ChunkKind::Block | ChunkKind::Section => Role::Plain,
        ChunkKind::Constant | ChunkKind::Type => Role::Small,
        _ => Role::Whole,
    }
}

/// Starts of syntax nodes in `range`, by depth, each moved to the start of its line.
fn boundaries(tree: &Tree, text: &str, range: &Range<usize>) -> Vec<Boundary> {
    let end = range.start + text[range.clone()].trim_end().len();
    let mut found = Vec::new();
    if let Some(node) = tree.root_node().descendant_for_byte_range(range.start, end) {
        let mut row = vec![(node, 0)];
        while let Some((node, depth)) = row.pop() {
            node_boundaries(node, depth, text, range, &mut found, &mut row);
        }
    }
    found.sort_unstable_by_key(|boundary| (boundary.at, boundary.rank));
    found.dedup_by_key(|boundary| boundary.at);
    found
}

/// Boundaries between the children of `node`; children that are large themselves go to `row`.
fn node_boundaries<'t>(
    node: Node<'t>,
    depth: u16,
    text: &str,
    range: &Range<usize>,
    found: &mut Vec<Boundary>,
    row: &mut Vec<(Node<'t>, u16)>,
) {
    let mut cursor = node.walk();
    if cursor.goto_first_child_for_byte(range.start).is_none() {
        return;
    }
    loop {
        let child = cursor.node();
        if child.start_byte() >= range.end {
            break;
        }
        let at = own_line(text, child.start_byte()).filter(|at| *at > range.start && child.is_named());
        found.extend(at.map(|at| Boundary { at, rank: depth }));
        if child.end_byte() - child.start_byte() > TARGET_PART_BYTES / 2 && depth < MAX_BOUNDARY_DEPTH {
            row.push((child, depth + 1));
        }
        if !cursor.goto_next_sibling() {
            break;
        }
    }
}

/// The start of the line of `at` if nothing but blanks stands before it.
fn own_line(text: &str, at: usize) -> Option<usize> {
    let before = text.as_bytes().get(..at)?;
    let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let start = at - blanks;
    (start == 0 || before[start - 1] == b'\n').then_some(start)
}

/// Joins small neighbours, first to last.
fn joined(pieces: Vec<Piece>, units: &[Unit]) -> Vec<Piece> {
    let mut groups: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match groups.last_mut() {
            Some(group) if joins(group, &piece, units) => join(group, piece),
            _ => groups.push(piece),
        }
    }
    groups
}

fn joins(group: &Piece, piece: &Piece, units: &[Unit]) -> bool {
    use Role::{Header, Import, Part, Rest, Whole};
    let bytes = piece.end - group.start;
    let leads = is_tiny(group) && units[group.unit].level <= units[piece.unit].level;
    if piece.role == Part {
        return leads && piece.overlap == 0;
    }
    if bytes > MAX_UNIT_BYTES {
        return false;
    }
    let trails = is_tiny(piece) && matches!(piece.role, Role::Plain | Rest) && group.role != Header;
    let goes_on = piece.role == Rest && matches!(group.role, Header | Rest) && group.unit == piece.unit;
    if leads || trails || goes_on {
        return true;
    }
    let stands_alone = |piece: &Piece| piece.role == Whole && piece.named_bytes >= ALONE_BYTES;
    if bytes > MAX_JOINED_BYTES || stands_alone(group) || stands_alone(piece) || !related(group, piece, units)
    {
        return false;
    }
    match (group.role, piece.role) {
        (Part | Rest, _) | (_, Part | Rest | Header) => false,
        (Header, Whole) => group.named_bytes < TINY_BYTES,
        (Import, Whole) | (Whole, Import) => false,
        _ => true,
    }
}

/// Neither definitions nor worth a chunk of their own.
fn is_tiny(piece: &Piece) -> bool {
    matches!(piece.role, Role::Header | Role::Plain | Role::Import | Role::Rest) && piece.len() < TINY_BYTES
}

/// Siblings, or a header and its member.
fn related(group: &Piece, piece: &Piece, units: &[Unit]) -> bool {
    let (left, right) = (&units[group.unit], &units[piece.unit]);
    if group.role == Role::Header {
        return piece.unit > group.unit && piece.unit < left.inner_end && right.level == left.level + 1
            || piece.unit == group.unit;
    }
    left.level == right.level
}

/// Adds `piece` to `group`; the name is that of a header, else of the larger definition, else of the larger part.
fn join(group: &mut Piece, piece: Piece) {
    let is_inner_header = group.role == Role::Header && piece.role == Role::Header;
    group.end = piece.end;
    if weight(&piece) > weight(group) || is_inner_header {
        (group.unit, group.role, group.named_bytes) = (piece.unit, piece.role, piece.named_bytes);
    } else if group.role == piece.role && matches!(group.role, Role::Import | Role::Plain) {
        group.named_bytes += piece.named_bytes;
    }
}

/// What decides whose name a joined piece has.
fn weight(piece: &Piece) -> (u8, usize) {
    match piece.role {
        Role::Rest if piece.len() < TINY_BYTES => (0, 0),
        Role::Part | Role::Rest => (5, 0),
        Role::Header if piece.named_bytes >= TINY_BYTES => (4, 0),
        Role::Whole if piece.named_bytes >= ALONE_BYTES => (3, piece.named_bytes),
        Role::Header => (2, usize::MAX),
        Role::Whole => (2, piece.named_bytes),
        Role::Small | Role::Import => (1, piece.named_bytes),
        Role::Plain => (0, piece.named_bytes),
    }
}
