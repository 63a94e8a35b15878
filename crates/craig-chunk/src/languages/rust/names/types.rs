//! Types of Rust as values: what a type holds, is applied to and is bounded by.

use tree_sitter::Node;

use super::items::{note_callable, type_name};
use super::paths::{is_root, segments};
use crate::grammar::{child, field, named_children};
use crate::names::walk::{ScopeKind, Walk};
use crate::names::{Choice, DefinitionIx, Imported, ImportedName, Parameter, Role, Value};

/// Types that stand for what is in them.
pub(super) const WRAPPERS: &[&str] = &[
    "Option",
    "Box",
    "Rc",
    "Arc",
    "Result",
    "RefCell",
    "Cell",
    "Mutex",
    "RwLock",
    "Cow",
    "Pin",
    "Ref",
    "RefMut",
    "MutexGuard",
    "Weak",
    "LazyLock",
    "OnceLock",
    "OnceCell",
    "Lazy",
    "Reverse",
    "ManuallyDrop",
    "PhantomData",
    "BoxFuture",
    "Future",
    "LocalBoxFuture",
];

/// Types whose elements are those in them.
pub(super) const COLLECTIONS: &[&str] = &[
    "Vec",
    "VecDeque",
    "HashSet",
    "BTreeSet",
    "BinaryHeap",
    "HashMap",
    "BTreeMap",
    "FxHashMap",
    "FxHashSet",
    "IndexMap",
    "Iterator",
    "IntoIterator",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "SmallVec",
];

pub(super) fn generic<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let is_annotation = role == Role::Read && node.kind() == "generic_type";
    let Some(of) = field(node, "type") else { return Value::Unknown };
    let whole = walk.visit_as(of, role);
    let name = walk.text_of(of).rsplit("::").next().unwrap_or_default();
    let mut values = Vec::new();
    if let Some(arguments) = field(node, "type_arguments") {
        for part in named_children(arguments) {
            match part.kind() {
                "type_binding" => values.push(walk.field(part, "type")),
                "lifetime" => {}
                _ => values.push(walk.visit(part)),
            }
        }
    }
    if WRAPPERS.contains(&name) {
        return values.first().copied().unwrap_or_default().instance();
    }
    if COLLECTIONS.contains(&name) {
        let of = if name.ends_with("Map") { values.get(1) } else { values.first() };
        return walk.several(of.copied().unwrap_or_default()).or(Value::Builtin);
    }
    match values[..] {
        _ if !is_annotation => whole,
        [only] if only.is_typed() && is_of_other_crate(walk, of) => {
            walk.choice(Choice::Applied(whole.instance(), only.instance()))
        }
        _ => walk.applied(whole, values),
    }
}

/// Whether the first name of a path may be one of another crate, by the imports of the file.
fn is_of_other_crate<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> bool {
    let first = segments(node).first().map_or("", |first| walk.text_of(*first));
    let id = walk.id(first);
    let is_other = |path: &str| !is_root(path.split("::").next().unwrap_or_default());
    let of_other = |import: &ImportedName| is_other(walk.found.text(import.module));
    let mut imports = walk.found.imports.iter();
    match imports.clone().find(|import| import.local == Some(id)) {
        Some(import) => of_other(import),
        None if node.kind() == "type_identifier" => {
            imports.any(|import| import.what == Imported::All && of_other(import))
        }
        None => is_other(first),
    }
}

pub(super) fn generic_function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let value = walk.field_as(node, "function", role);
    walk.children_except(node, &["function"]);
    value
}

/// `&T`, `impl T`, `dyn T`, `<T as Trait>`
pub(super) fn type_of<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let mut value = Value::Unknown;
    for part in named_children(node) {
        let found = walk.visit_as(part, role);
        if !matches!(part.kind(), "lifetime" | "mutable_specifier") {
            value = value.or(found);
        }
    }
    value
}

/// `<T as Trait>`: its members are those of the trait.
pub(super) fn qualified_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field_as(node, "type", Role::Type);
    walk.field_as(node, "alias", Role::Type)
}

/// `(Order, Invoice)`
pub(super) fn tuple_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let parts: Vec<Value> = named_children(node).map(|part| walk.visit(part).instance()).collect();
    walk.tuple(node, &parts)
}

pub(super) fn tuple<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let parts: Vec<Value> = named_children(node).map(|part| walk.visit(part)).collect();
    walk.tuple(node, &parts)
}

pub(super) fn array_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field(node, "length");
    let element = walk.field(node, "element");
    walk.several(element).or(Value::Builtin)
}

/// `Fn(&Shape) -> u32`, `fn(&Shape)`: notes what it takes.
pub(super) fn function_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let list = field(node, "parameters");
    walk.scope(ScopeKind::Block, |walk| {
        walk.children_except(node, &["parameters", "return_type"]);
        let taken = list.into_iter().flat_map(named_children).map(|part| {
            let of = if part.kind() == "parameter" { field(part, "type").unwrap_or(part) } else { part };
            Parameter { value: walk.visit_as(of, Role::Read).instance(), takes: Vec::new() }
        });
        let taken: Vec<Parameter> = taken.collect();
        walk.field(node, "return_type");
        walk.parameters = taken;
    });
    Value::Unknown
}

/// What the type of a function that `read` reads takes.
pub(super) fn taken<'t, T>(walk: &mut Walk<'t>, read: impl FnOnce(&mut Walk<'t>) -> T) -> (T, Vec<Value>) {
    walk.parameters.clear();
    let found = read(walk);
    let taken = std::mem::take(&mut walk.parameters);
    (found, taken.into_iter().map(|parameter| parameter.value).collect())
}

/// Declares type parameters, each with its first bound; `of` is the item whose parameters they are, if it has a name.
pub(super) fn type_parameters<'t>(walk: &mut Walk<'t>, node: Node<'t>, of: Option<DefinitionIx>) {
    let Some(list) = field(node, "type_parameters") else { return };
    let name_of = |part: Node<'t>| match part.kind() {
        "type_parameter" | "const_parameter" | "optional_type_parameter" | "constrained_type_parameter" => {
            field(part, "name").or_else(|| field(part, "left"))
        }
        "type_identifier" => Some(part),
        _ => None,
    };
    let parts: Vec<(Node<'t>, Node<'t>)> =
        named_children(list).filter_map(|part| Some((part, name_of(part)?))).collect();
    for (at, (_, name)) in parts.iter().enumerate() {
        let argument = of.map_or(Value::Unknown, |of| walk.type_parameter(of, at, Value::Unknown));
        walk.declare_local(*name, argument);
    }
    for (part, name) in parts {
        let (bound, takes) = taken(walk, |walk| own_bound(walk, part));
        walk.field(part, "default_type");
        note_callable(walk, Some(name), takes);
        bind_parameter(walk, name, bound);
    }
}

/// Binds a type parameter to its bound, if it has one that is not a common trait.
fn bind_parameter<'t>(walk: &mut Walk<'t>, name: Node<'t>, bound: Value) {
    if bound.is_typed() {
        walk.declare_local(name, bound);
    }
}

/// An instance of the type of an `impl`, with its type arguments. A parameter of the `impl` without a bound is the parameter of the
/// type at the same position.
pub(super) fn implemented<'t>(walk: &mut Walk<'t>, of: Node<'t>, value: Value) -> Value {
    let (Value::Itself(source), Some(name), Some(list)) = (value, type_name(of), field(of, "type_arguments"))
    else {
        return value.instance();
    };
    let name = walk.id(walk.text_of(name));
    let definition = walk.type_named(name);
    let parts = named_children(list).filter(|part| part.kind() != "lifetime").enumerate();
    let arguments: Vec<Value> = parts
        .map(|(at, part)| {
            let known = walk.local_value(walk.text_of(part)).instance();
            let is_parameter = part.kind() == "type_identifier" && walk.is_bound(part);
            let Some(definition) = definition.filter(|_| is_parameter && !known.is_typed()) else {
                return known;
            };
            let argument = walk.type_parameter(definition, at, Value::Unknown);
            walk.declare_local(part, argument);
            argument
        })
        .collect();
    walk.applied(Value::Itself(source), arguments)
}

/// Traits of the standard library that most types implement.
pub(super) const COMMON_TRAITS: &[&str] = &[
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Display",
    "Eq",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Send",
    "Sized",
    "Sync",
    "Unpin",
];

/// Reads the bounds of a type; the value of the first that is no common trait, else of the first.
pub(super) fn bound_value<'t>(walk: &mut Walk<'t>, bounds: Node<'t>) -> Value {
    let (own, common) = bounds_of(walk, bounds);
    own.or(common)
}

/// Reads the bounds of a type parameter; the value of the first that is not a common trait.
fn own_bound<'t>(walk: &mut Walk<'t>, parameter: Node<'t>) -> Value {
    field(parameter, "bounds").map_or(Value::Unknown, |bounds| bounds_of(walk, bounds).0)
}

/// Reads bounds; the values of the first that is not a common trait, and of the first that is.
fn bounds_of<'t>(walk: &mut Walk<'t>, bounds: Node<'t>) -> (Value, Value) {
    let (mut own, mut common) = (Value::Unknown, Value::Unknown);
    for bound in named_children(bounds).filter(|bound| bound.kind() != "lifetime") {
        let found = walk.visit_as(bound, Role::Type);
        let name = walk.text_of(bound).rsplit([':', ' ']).next().unwrap_or_default();
        if COMMON_TRAITS.contains(&name) || bound.kind() == "removed_trait_bound" {
            common = common.or(found);
        } else {
            own = own.or(found);
        }
    }
    (own, common)
}

/// `impl A + B`
pub(super) fn bounded_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    bound_value(walk, node)
}

pub(super) fn where_clause<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(clause) = child(node, "where_clause") else { return };
    for predicate in named_children(clause) {
        walk.field(predicate, "left");
        let (bound, takes) = taken(walk, |walk| own_bound(walk, predicate));
        note_callable(walk, field(predicate, "left"), takes);
        if let Some(left) = field(predicate, "left").filter(|left| left.kind() == "type_identifier")
            && walk.is_bound(left)
        {
            bind_parameter(walk, left, bound);
        }
    }
}
