//! Names in Rust.

use tree_sitter::Node;

use crate::grammar::{all_children, child, field, named_children};
use crate::names::walk::NameRule::{Block, Literal, Name, Read, Skip, Transparent, TypeName};
use crate::names::walk::{NameTable, ScopeKind, Walk};
use crate::names::{
    DefinitionIx, DefinitionKind, Imported, NameId, Parameter, Part, Role, Site, Source, Traits, Value,
};

pub(crate) static TABLE: NameTable = NameTable {
    rules: &[
        ("line_comment", Skip),
        ("block_comment", Skip),
        ("string_literal", Literal),
        ("raw_string_literal", Literal),
        ("char_literal", Literal),
        ("integer_literal", Literal),
        ("float_literal", Literal),
        ("boolean_literal", Literal),
        ("primitive_type", Literal),
        ("unit_type", Literal),
        ("lifetime", Skip),
        ("label", Skip),
        ("visibility_modifier", Skip),
        ("inner_attribute_item", Skip),
        ("attribute_item", Read(attribute)),
        ("identifier", Name),
        ("self", Name),
        ("type_identifier", TypeName),
        ("scoped_identifier", Read(path)),
        ("scoped_type_identifier", Read(path)),
        ("generic_type", Read(generic)),
        ("generic_type_with_turbofish", Read(generic)),
        ("generic_function", Read(generic_function)),
        ("reference_type", Read(type_of)),
        ("pointer_type", Read(type_of)),
        ("abstract_type", Read(type_of)),
        ("dynamic_type", Read(type_of)),
        ("bounded_type", Read(bounded_type)),
        ("bracketed_type", Read(type_of)),
        ("qualified_type", Read(qualified_type)),
        ("array_type", Read(array_type)),
        ("tuple_type", Read(tuple_type)),
        ("tuple_expression", Read(tuple)),
        ("function_type", Read(function_type)),
        ("use_declaration", Read(import)),
        ("extern_crate_declaration", Skip),
        ("mod_item", Read(module)),
        ("struct_item", Read(structure)),
        ("union_item", Read(structure)),
        ("enum_item", Read(enumeration)),
        ("trait_item", Read(interface)),
        ("impl_item", Read(implementation)),
        ("function_item", Read(function)),
        ("function_signature_item", Read(function)),
        ("const_item", Read(constant)),
        ("static_item", Read(constant)),
        ("type_item", Read(type_item)),
        ("associated_type", Read(type_item)),
        ("macro_definition", Read(macro_definition)),
        ("macro_invocation", Read(macro_invocation)),
        ("token_tree", Read(tokens)),
        ("block", Read(block)),
        ("if_expression", Read(conditional)),
        ("while_expression", Block),
        ("let_declaration", Read(let_declaration)),
        ("let_condition", Read(let_condition)),
        ("match_expression", Read(match_expression)),
        ("for_expression", Read(for_expression)),
        ("closure_expression", Read(closure)),
        ("field_expression", Read(member_access)),
        ("call_expression", Read(call)),
        ("struct_expression", Read(structure_literal)),
        ("index_expression", Read(index)),
        ("assignment_expression", Read(assignment)),
        ("compound_assignment_expr", Read(assignment)),
        ("type_cast_expression", Read(cast)),
        ("parenthesized_expression", Transparent),
        ("reference_expression", Read(reference)),
        ("unary_expression", Transparent),
        ("try_expression", Transparent),
        ("await_expression", Transparent),
        ("return_expression", Read(returned)),
    ],
    hoists: false,
};

/// Nested parts of paths, patterns and imports are read so far.
const MAX_NESTED: usize = 64;

fn attribute<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let inner = child(node, "attribute");
    let name = inner.and_then(|inner| inner.named_child(0));
    let is_derive = name.is_some_and(|name| walk.text_of(name) == "derive");
    // Without a path or an import it is one of the language's own, or cannot be told from it.
    if let Some(name) = name.filter(|_| !is_derive) {
        let id = walk.id(walk.text_of(name));
        let is_imported = walk.found.imports.iter().any(|import| import.local == Some(id));
        if is_imported || name.kind() == "scoped_identifier" {
            walk.visit_as(name, Role::Call);
        }
    }
    if let Some(arguments) = inner.and_then(|inner| field(inner, "arguments")).filter(|_| is_derive) {
        walk.visit(arguments);
    }
    Value::Unknown
}

// Paths and imports.

/// `super` inside of a module written out in the file is the file's own module.
fn in_file(walk: &Walk<'_>, path: &str) -> String {
    let mut levels = walk.module_depth();
    let mut parts: Vec<&str> = path.split("::").map(str::trim).collect();
    while levels > 0 && parts.first() == Some(&"super") {
        parts.remove(0);
        levels -= 1;
        if levels == 0 && parts.first() != Some(&"super") {
            parts.insert(0, "self");
        }
    }
    parts.join("::")
}

fn is_root(text: &str) -> bool {
    matches!(text, "crate" | "self" | "super" | "$crate")
}

/// The names of a path, from the outermost.
fn segments(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut at = Some(node);
    while let Some(part) = at.filter(|_| found.len() < MAX_NESTED) {
        at = match part.kind() {
            "scoped_identifier" | "scoped_type_identifier" => {
                found.extend(field(part, "name"));
                field(part, "path")
            }
            _ => {
                found.push(part);
                None
            }
        };
    }
    found.reverse();
    found
}

/// `a::b`: a name of a module or of a type.
fn path<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = match walk.take_role() {
        Role::Read if node.kind() == "scoped_type_identifier" => Role::Type,
        role => role,
    };
    let parts = segments(node);
    let Some((&first, rest)) = parts.split_first() else { return Value::Unknown };
    let role_of = |at: usize| if at + 1 == rest.len() { role } else { Role::Type };
    let text = walk.text_of(first);
    let is_own_self = text == "self" && rest.is_empty();
    if is_root(text) && !is_own_self {
        let mut path = if text == "$crate" { "crate".to_owned() } else { text.to_owned() };
        let mut value = Value::Unknown;
        for (at, &name) in rest.iter().enumerate() {
            let text = walk.text_of(name);
            if !is_root(text) {
                value = imported_name(walk, name, &path, role_of(at));
            }
            path = format!("{path}::{text}");
        }
        return value;
    }
    let mut value = if first.kind() == "identifier" || first.kind() == "type_identifier" {
        walk.name(first, Role::Type)
    } else {
        walk.visit(first)
    };
    for (at, &name) in rest.iter().enumerate() {
        value = walk.member(name, value, role_of(at));
    }
    value
}

/// A name by its full path: an import of its own.
fn imported_name<'t>(walk: &mut Walk<'t>, name: Node<'t>, path: &str, role: Role) -> Value {
    let path = in_file(walk, path);
    let id = walk.id(walk.text_of(name));
    let at = walk.import_from(name, None, &path, Imported::Name(id), false);
    walk.at_site(name, role, Site::Import(at))
}

fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(tree) = field(node, "argument") {
        let is_public = child(node, "visibility_modifier").is_some();
        use_tree(walk, tree, String::new(), is_public, 0);
    }
    Value::Unknown
}

fn join(prefix: &str, path: &str) -> String {
    if prefix.is_empty() { path.to_owned() } else { format!("{prefix}::{path}") }
}

fn use_tree<'t>(walk: &mut Walk<'t>, tree: Node<'t>, prefix: String, is_public: bool, depth: usize) {
    if depth > MAX_NESTED {
        return;
    }
    match tree.kind() {
        "scoped_use_list" => {
            let path = match field(tree, "path") {
                Some(path) => {
                    qualifiers(walk, path, &prefix);
                    join(&prefix, walk.text_of(path))
                }
                None => prefix,
            };
            if let Some(list) = field(tree, "list") {
                use_tree(walk, list, path, is_public, depth + 1);
            }
        }
        "use_list" => {
            for part in named_children(tree) {
                use_tree(walk, part, prefix.clone(), is_public, depth + 1);
            }
        }
        "use_as_clause" => {
            if let (Some(path), Some(alias)) = (field(tree, "path"), field(tree, "alias")) {
                brought_in(walk, path, &prefix, Some(walk.text_of(alias)), is_public);
            }
        }
        "use_wildcard" => {
            let path = match tree.named_child(0) {
                Some(path) => {
                    qualifiers(walk, path, &prefix);
                    join(&prefix, walk.text_of(path))
                }
                None => prefix,
            };
            let path = in_file(walk, &path);
            walk.import_from(tree, None, &path, Imported::All, is_public);
        }
        "identifier" | "scoped_identifier" | "self" => brought_in(walk, tree, &prefix, None, is_public),
        _ => {}
    }
}

/// Types on the way of an import: `use self::Kind::*`.
fn qualifiers<'t>(walk: &mut Walk<'t>, path: Node<'t>, prefix: &str) {
    let mut before = prefix.to_owned();
    for name in segments(path) {
        let text = walk.text_of(name);
        if text.starts_with(char::is_uppercase) {
            if before.is_empty() {
                walk.name(name, Role::Import);
            } else {
                imported_name(walk, name, &before, Role::Import);
            }
        }
        before = join(&before, text);
    }
}

fn brought_in<'t>(
    walk: &mut Walk<'t>,
    path: Node<'t>,
    prefix: &str,
    alias: Option<&'t str>,
    is_public: bool,
) {
    let parts = segments(path);
    let Some((&last, before)) = parts.split_last() else { return };
    let mut module = prefix.to_owned();
    for &part in before {
        let text = walk.text_of(part);
        if text.starts_with(char::is_uppercase) && !module.is_empty() {
            imported_name(walk, part, &module, Role::Import);
        }
        module = join(&module, text);
    }
    let name = walk.text_of(last);
    // `use a::b::{self}` is `use a::b`.
    if name == "self" {
        let (outer, own) = match module.rsplit_once("::") {
            Some((outer, own)) => (outer.to_owned(), own.to_owned()),
            None => (String::new(), module),
        };
        let own = walk.id_of(&own);
        let local = alias.map_or(own, |alias| walk.id(alias));
        let outer = in_file(walk, &outer);
        let what = if outer.is_empty() { Imported::Module } else { Imported::Name(own) };
        let outer = if outer.is_empty() { walk.found.text(own).to_owned() } else { outer };
        walk.import_from(last, Some(local), &outer, what, is_public);
        return;
    }
    let id = walk.id(name);
    let local = alias.map_or(id, |alias| walk.id(alias));
    let local = Some(local).filter(|_| alias != Some("_"));
    let at = if module.is_empty() {
        walk.import_from(last, local, name, Imported::Module, is_public)
    } else {
        let module = in_file(walk, &module);
        walk.import_from(last, local, &module, Imported::Name(id), is_public)
    };
    walk.at_site(last, Role::Import, Site::Import(at));
}

fn module<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let Some(body) = field(node, "body") else {
        let path = in_file(walk, &format!("self::{}", walk.text_of(name)));
        let local = walk.id(walk.text_of(name));
        walk.import_from(name, Some(local), &path, Imported::Module, true);
        return Value::Unknown;
    };
    let definition = walk.define(name, node, DefinitionKind::Module, visibility(node));
    walk.inside(definition, |walk| walk.children(body));
    Value::Unknown
}

fn visibility(node: Node<'_>) -> Traits {
    if child(node, "visibility_modifier").is_some() { Traits::EXPORTED } else { Traits::default() }
}

// Types.

/// Types that stand for what is in them.
const WRAPPERS: &[&str] = &[
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
const COLLECTIONS: &[&str] = &[
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

fn generic<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
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
        return of.copied().unwrap_or_default().collection().or(Value::Builtin);
    }
    whole
}

fn generic_function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let value = walk.field_as(node, "function", role);
    walk.children_except(node, &["function"]);
    value
}

/// `&T`, `impl T`, `dyn T`, `<T as Trait>`
fn type_of<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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
fn qualified_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field_as(node, "type", Role::Type);
    walk.field_as(node, "alias", Role::Type)
}

/// `(Order, Invoice)`
fn tuple_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let parts: Vec<Value> = named_children(node).map(|part| walk.visit(part).instance()).collect();
    walk.tuple(node, &parts)
}

fn tuple<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let parts: Vec<Value> = named_children(node).map(|part| walk.visit(part)).collect();
    walk.tuple(node, &parts)
}

fn array_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field(node, "length");
    walk.field(node, "element").collection().or(Value::Builtin)
}

/// `Fn(&Shape) -> u32`, `fn(&Shape)`: notes what it takes.
fn function_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
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
fn taken<'t, T>(walk: &mut Walk<'t>, read: impl FnOnce(&mut Walk<'t>) -> T) -> (T, Vec<Value>) {
    walk.parameters.clear();
    let found = read(walk);
    let taken = std::mem::take(&mut walk.parameters);
    (found, taken.into_iter().map(|parameter| parameter.value).collect())
}

/// Declares type parameters, each with its first bound.
fn type_parameters<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(list) = field(node, "type_parameters") else { return };
    let parts: Vec<Node<'t>> = named_children(list).collect();
    for part in &parts {
        let name = match part.kind() {
            "type_parameter"
            | "const_parameter"
            | "optional_type_parameter"
            | "constrained_type_parameter" => field(*part, "name").or_else(|| field(*part, "left")),
            "type_identifier" => Some(*part),
            _ => None,
        };
        if let Some(name) = name {
            walk.declare_local(name, Value::Unknown);
        }
    }
    for part in parts {
        let (bound, takes) =
            taken(walk, |walk| field(part, "bounds").map(|bounds| bound_value(walk, bounds)));
        walk.field(part, "default_type");
        note_callable(walk, field(part, "name").or_else(|| field(part, "left")), takes);
        if let (Some(name), Some(bound)) = (field(part, "name").or_else(|| field(part, "left")), bound) {
            walk.declare_local(name, bound);
        }
    }
}

/// Traits of the standard library that most types implement.
const COMMON_TRAITS: &[&str] = &[
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
fn bound_value<'t>(walk: &mut Walk<'t>, bounds: Node<'t>) -> Value {
    let (mut value, mut common) = (Value::Unknown, Value::Unknown);
    for bound in named_children(bounds).filter(|bound| bound.kind() != "lifetime") {
        let found = walk.visit_as(bound, Role::Type);
        let name = walk.text_of(bound).rsplit([':', ' ']).next().unwrap_or_default();
        if COMMON_TRAITS.contains(&name) || bound.kind() == "removed_trait_bound" {
            common = common.or(found);
        } else {
            value = value.or(found);
        }
    }
    value.or(common)
}

/// `impl A + B`
fn bounded_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    bound_value(walk, node)
}

fn where_clause<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(clause) = child(node, "where_clause") else { return };
    for predicate in named_children(clause) {
        walk.field(predicate, "left");
        let (bound, takes) =
            taken(walk, |walk| field(predicate, "bounds").map(|bounds| bound_value(walk, bounds)));
        note_callable(walk, field(predicate, "left"), takes);
        if let (Some(left), Some(bound)) = (field(predicate, "left"), bound)
            && left.kind() == "type_identifier"
            && walk.is_bound(left)
        {
            walk.declare_local(left, bound);
        }
    }
}

/// Notes what a type parameter takes whose bound is the type of a function.
fn note_callable<'t>(walk: &mut Walk<'t>, name: Option<Node<'t>>, takes: Vec<Value>) {
    if let Some(name) = name.filter(|_| !takes.is_empty()) {
        walk.callables.push((walk.text_of(name), takes));
    }
}

fn define_item<'t>(walk: &mut Walk<'t>, node: Node<'t>, kind: DefinitionKind) -> Option<DefinitionIx> {
    let name = field(node, "name")?;
    let definition = walk.define(name, node, kind, visibility(node));
    if let Some(definition) = definition.filter(|_| walk.is_in_function()) {
        walk.bind(definition);
    }
    definition
}

fn structure<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(definition) = define_item(walk, node, DefinitionKind::Class) else { return Value::Unknown };
    walk.scope(ScopeKind::Block, |walk| {
        walk.inside_type(definition, |walk| {
            walk.declare_local_named("Self", Value::Itself(Source::Definition(definition)));
            type_parameters(walk, node);
            where_clause(walk, node);
            if let Some(body) = field(node, "body") {
                fields(walk, body, definition);
                note_fields(walk, node, body);
            }
        });
    });
    Value::Unknown
}

/// Notes which type parameter is the type of which field: what it is, an `impl` says.
fn note_fields<'t>(walk: &mut Walk<'t>, node: Node<'t>, body: Node<'t>) {
    let (Some(name), Some(list)) = (field(node, "name"), field(node, "type_parameters")) else { return };
    let name_of = |part: Node<'t>| field(part, "name").or_else(|| field(part, "left")).unwrap_or(part);
    let is_parameter = |part: &Node<'_>| !matches!(part.kind(), "lifetime" | "lifetime_parameter");
    let parameters = named_children(list).filter(is_parameter);
    let parameters: Vec<&str> = parameters.map(|part| walk.text_of(name_of(part))).collect();
    let owner = walk.id(walk.text_of(name));
    let note = |walk: &mut Walk<'t>, field: &'t str, of: Node<'t>| {
        if let Some(at) = parameters.iter().position(|name| *name == walk.text_of(of)) {
            let field = walk.id(field);
            walk.parameter_fields.push((owner, field, at));
        }
    };
    let mut n_unnamed = 0;
    for part in named_children(body) {
        match part.kind() {
            "field_declaration" => {
                if let (Some(name), Some(of)) = (field(part, "name"), field(part, "type")) {
                    note(walk, walk.text_of(name), of);
                }
            }
            "attribute_item" | "visibility_modifier" | "line_comment" | "block_comment" => {}
            _ => {
                if let Some(name) = UNNAMED.get(n_unnamed) {
                    note(walk, name, part);
                }
                n_unnamed += 1;
            }
        }
    }
}

/// Names of fields of a structure without names.
const UNNAMED: &[&str] = &["0", "1", "2", "3", "4", "5", "6", "7"];

/// What the fields of a type hold in an `impl` for it, where they are of its parameters.
fn fields_in_impl<'t>(walk: &mut Walk<'t>, of: Node<'t>) -> Vec<(NameId, Value)> {
    let (Some(name), Some(arguments)) = (type_name(of), field(of, "type_arguments")) else {
        return Vec::new();
    };
    let owner = walk.id(walk.text_of(name));
    let arguments = named_children(arguments).filter(|part| part.kind() != "lifetime");
    let values: Vec<Value> = arguments.map(|part| walk.local_value(walk.text_of(part)).instance()).collect();
    let noted = walk.parameter_fields.iter().filter(|(of, ..)| *of == owner);
    let held = noted.filter_map(|&(_, field, at)| Some((field, values.get(at).copied()?)));
    held.filter(|(_, value)| *value != Value::Unknown).collect()
}

/// Reads the fields of a structure or variant; of one without a name, its type.
fn fields<'t>(walk: &mut Walk<'t>, body: Node<'t>, owner: DefinitionIx) -> Value {
    let (mut held, mut n_unnamed) = (Value::Unknown, 0);
    for part in named_children(body) {
        let Some(name) = field(part, "name").filter(|_| part.kind() == "field_declaration") else {
            let found = walk.visit(part);
            if !matches!(
                part.kind(),
                "attribute_item" | "visibility_modifier" | "line_comment" | "block_comment"
            ) {
                (held, n_unnamed) = (found, n_unnamed + 1);
            }
            continue;
        };
        let definition = walk.define_in(Some(owner), name, part, DefinitionKind::Field, visibility(part));
        let value = walk.inside(definition, |walk| walk.field(part, "type")).instance();
        if let Some(definition) = definition {
            walk.set_value(definition, value);
        }
    }
    if n_unnamed == 1 { held } else { Value::Unknown }
}

fn enumeration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(definition) = define_item(walk, node, DefinitionKind::Enum) else { return Value::Unknown };
    let Some(body) = field(node, "body") else { return Value::Unknown };
    walk.scope(ScopeKind::Block, |walk| {
        walk.inside_type(definition, |walk| {
            type_parameters(walk, node);
            where_clause(walk, node);
            for part in named_children(body) {
                let Some(name) = field(part, "name").filter(|_| part.kind() == "enum_variant") else {
                    walk.visit(part);
                    continue;
                };
                let kind = DefinitionKind::EnumMember;
                let variant = walk.define_in(Some(definition), name, part, kind, Traits::default());
                walk.inside(variant, |walk| {
                    if let (Some(body), Some(variant)) = (field(part, "body"), variant) {
                        let held = fields(walk, body, variant);
                        walk.set_value(variant, held.instance());
                    }
                    walk.field(part, "value");
                });
            }
        });
    });
    Value::Unknown
}

fn interface<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(definition) = define_item(walk, node, DefinitionKind::Interface) else { return Value::Unknown };
    walk.scope(ScopeKind::Block, |walk| {
        walk.inside_type(definition, |walk| {
            walk.declare_local_named("Self", Value::Itself(Source::Definition(definition)));
            type_parameters(walk, node);
            let mut supers = Vec::new();
            if let Some(bounds) = field(node, "bounds") {
                supers.extend(
                    named_children(bounds)
                        .filter(|bound| bound.kind() != "lifetime")
                        .map(|bound| walk.visit_as(bound, Role::Inherit)),
                );
            }
            where_clause(walk, node);
            if let Some(known) = walk.definition(definition) {
                known.supers = supers;
            }
            walk.field(node, "body");
        });
    });
    Value::Unknown
}

/// The name of the type that an `impl` is for.
fn type_name(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    for _ in 0..MAX_NESTED {
        at = match at.kind() {
            "type_identifier" => return Some(at),
            "scoped_type_identifier" => field(at, "name")?,
            "generic_type" | "reference_type" => field(at, "type")?,
            _ => return None,
        };
    }
    None
}

fn implementation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(of) = field(node, "type") else { return Value::Unknown };
    walk.scope(ScopeKind::Block, |walk| {
        type_parameters(walk, node);
        let of_trait = walk.field_as(node, "trait", Role::Implement);
        let value = walk.visit_as(of, Role::Type);
        where_clause(walk, node);
        let owner = type_name(of).filter(|name| !walk.is_bound(*name));
        let owner = owner.map(|name| walk.id(walk.text_of(name)));
        walk.declare_local_named("Self", value);
        if let (Some(owner), Value::Itself(_)) = (owner, of_trait) {
            walk.later_super(owner, of_trait);
        }
        let before = std::mem::replace(&mut walk.owner, owner);
        let held = fields_in_impl(walk, of);
        let held = std::mem::replace(&mut walk.held, held);
        let this = walk.this.take();
        let first = walk.found.definitions.len();
        walk.field(node, "body");
        walk.this = this;
        walk.held = held;
        walk.owner = before;
        // A trait may be implemented for what is no type of any project: for a parameter, a tuple.
        if let Value::Itself(_) = of_trait {
            for member in walk.found.definitions.iter_mut().skip(first) {
                let is_item = matches!(member.kind, DefinitionKind::Method | DefinitionKind::Constant);
                if is_item && !member.traits.has(Traits::LOCAL) {
                    member.supers = vec![of_trait];
                }
            }
        }
    });
    Value::Unknown
}

/// Notes the type that an `impl` is for as the owner of its member.
fn owned(walk: &mut Walk<'_>, definition: Option<DefinitionIx>) {
    let owner = walk.owner;
    if let Some(known) = definition.and_then(|definition| walk.definition(definition)) {
        known.owner = owner;
    }
}

fn is_member(node: Node<'_>) -> bool {
    let outer = node.parent().and_then(|list| list.parent());
    outer.is_some_and(|outer| matches!(outer.kind(), "impl_item" | "trait_item"))
}

fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let is_member = is_member(node);
    let kind = if is_member { DefinitionKind::Method } else { DefinitionKind::Function };
    let definition = walk.define(name, node, kind, visibility(node));
    if is_member {
        owned(walk, definition);
    } else if let Some(definition) = definition.filter(|_| walk.is_in_function()) {
        walk.bind(definition);
    }
    let owner = walk.owner.take();
    let n_callables = walk.callables.len();
    walk.function(definition, |walk| {
        type_parameters(walk, node);
        where_clause(walk, node);
        let taken = field(node, "parameters").map(|list| parameters(walk, list, &|_| Value::Unknown));
        let declared = walk.field(node, "return_type").instance();
        if let Some(definition) = definition {
            walk.parameters = taken.unwrap_or_default();
            walk.set_parameters(definition);
        }
        let value = field(node, "body").map_or(Value::Unknown, |body| walk.visit(body));
        declared.or(value)
    });
    walk.callables.truncate(n_callables);
    walk.owner = owner;
    Value::Unknown
}

/// Declares parameters, those without a type with what is given for them; what those that are functions take.
fn parameters<'t>(walk: &mut Walk<'t>, list: Node<'t>, given: &dyn Fn(usize) -> Value) -> Vec<Parameter> {
    let mut found = Vec::new();
    for part in named_children(list) {
        match part.kind() {
            "self_parameter" => {
                let this = walk.local_value("Self").instance();
                walk.declare_local_named("self", this);
            }
            "parameter" => {
                let (declared, mut takes) = taken(walk, |walk| walk.field(part, "type").instance());
                let of = field(part, "type").map_or("", |of| walk.text_of(of));
                if let Some((_, known)) = walk.callables.iter().rev().find(|(name, _)| *name == of) {
                    takes.clone_from(known);
                }
                found.push(Parameter { value: Value::Unknown, takes });
                if let Some(written) = field(part, "pattern") {
                    if written.kind() == "self" {
                        walk.declare_local_named("self", declared);
                    } else {
                        pattern(walk, written, declared, 0);
                    }
                }
            }
            "attribute_item" | "line_comment" | "block_comment" => {}
            _ => {
                pattern(walk, part, given(found.len()), 0);
                found.push(Parameter::default());
            }
        }
    }
    found
}

fn closure<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    closure_given(walk, node, &|_| Value::Unknown)
}

/// Reads a closure whose parameters are known from where it is passed.
fn closure_given<'t>(walk: &mut Walk<'t>, node: Node<'t>, given: &dyn Fn(usize) -> Value) -> Value {
    walk.function(None, |walk| {
        if let Some(list) = field(node, "parameters") {
            parameters(walk, list, given);
        }
        walk.field(node, "return_type");
        walk.field(node, "body")
    });
    Value::Unknown
}

/// Methods of options and iterators that call a closure with what is in them, or with each element.
const VISITING: &[&str] = &[
    "all",
    "and_then",
    "any",
    "filter",
    "filter_map",
    "find",
    "find_map",
    "flat_map",
    "for_each",
    "inspect",
    "is_none_or",
    "is_ok_and",
    "is_some_and",
    "map",
    "map_or",
    "map_or_else",
    "map_while",
    "max_by_key",
    "min_by_key",
    "partition",
    "position",
    "retain",
    "skip_while",
    "sort_by_key",
    "take_while",
    "try_for_each",
];

/// Methods that call a closure with two elements.
const COMPARING: &[&str] = &["dedup_by", "is_sorted_by", "max_by", "min_by", "sort_by", "sort_unstable_by"];

/// Whether a closure that is passed to a method takes what is in the option, or an element, as its parameter of this number.
fn is_visited(method: &str, at: usize) -> bool {
    match at {
        0 => VISITING.contains(&method) || COMPARING.contains(&method),
        1 => COMPARING.contains(&method) || matches!(method, "fold" | "try_fold"),
        _ => false,
    }
}

/// What is in an option, or an element of a collection or iterator.
fn content(walk: &mut Walk<'_>, of: Value) -> Value {
    match of {
        Value::Collection(_) => of.element(),
        _ => {
            let element = walk.element(of);
            walk.guarded(element, of)
        }
    }
}

/// The closure that an argument is, also by reference or in a box.
fn closure_of<'t>(walk: &Walk<'t>, argument: Node<'t>) -> Option<Node<'t>> {
    match argument.kind() {
        "closure_expression" => Some(argument),
        "reference_expression" => {
            field(argument, "value").filter(|inner| inner.kind() == "closure_expression")
        }
        "call_expression" => {
            let maker = field(argument, "function").map_or("", |maker| walk.text_of(maker));
            let list = field(argument, "arguments")
                .filter(|_| matches!(maker, "Box::new" | "Rc::new" | "Arc::new"))?;
            list.named_child(0).filter(|inner| inner.kind() == "closure_expression")
        }
        _ => None,
    }
}

/// Reads the arguments of a function, or of a method of a value. Closures among them take what the function declares, or else
/// what is in the option or iterator that the method is called on.
fn arguments<'t>(walk: &mut Walk<'t>, list: Node<'t>, function: Value, method: Option<(Value, &str)>) {
    let parts = named_children(list).filter(|part| !part.kind().ends_with("comment"));
    for (at, part) in parts.enumerate() {
        let Some(closure) = closure_of(walk, part) else {
            walk.visit(part);
            continue;
        };
        let given = [0, 1].map(|inner| {
            let visited = match method {
                Some((of, name)) if is_visited(name, inner) => content(walk, of),
                _ => Value::Unknown,
            };
            walk.guarded(passed(function, at, inner), visited)
        });
        closure_given(walk, closure, &|inner| match given.get(inner) {
            Some(&given) => given,
            None => passed(function, at, inner),
        });
    }
}

/// What a function passes to the closure that is its argument `at`, as the parameter `inner` of that.
fn passed(function: Value, at: usize, inner: usize) -> Value {
    match (function, u8::try_from(at), u8::try_from(inner)) {
        (Value::Itself(source), Ok(at), Ok(inner)) => Value::Parameter(source, at, Part::Parameter(inner)),
        _ => Value::Unknown,
    }
}

fn constant<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let kind = match node.kind() {
        "static_item" => DefinitionKind::Variable,
        _ => DefinitionKind::Constant,
    };
    let definition = define_item(walk, node, kind);
    if is_member(node) {
        owned(walk, definition);
    }
    walk.inside(definition, |walk| {
        let declared = walk.field(node, "type").instance();
        let value = walk.field(node, "value");
        if let Some(definition) = definition {
            walk.set_value(definition, declared.or(value));
        }
    });
    Value::Unknown
}

fn type_item<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let is_member = is_member(node);
    let definition = define_item(walk, node, DefinitionKind::Type);
    if is_member {
        owned(walk, definition);
    }
    walk.scope(ScopeKind::Block, |walk| {
        type_parameters(walk, node);
        walk.inside(definition, |walk| {
            let bound = field(node, "bounds").map_or(Value::Unknown, |bounds| bound_value(walk, bounds));
            let value = walk.field(node, "type").or(bound).instance();
            if let Some(definition) = definition {
                walk.set_value(definition, value);
            }
        });
    });
    Value::Unknown
}

// Macros.

fn macro_definition<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let definition = define_item(walk, node, DefinitionKind::Macro);
    walk.inside(definition, |walk| {
        for rule in named_children(node).filter(|part| part.kind() == "macro_rule") {
            walk.scope(ScopeKind::Function, |walk| walk.field(rule, "right"));
        }
    });
    Value::Unknown
}

fn macro_invocation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field_as(node, "macro", Role::Call);
    let mut value = Value::Unknown;
    if let Some(tree) = child(node, "token_tree") {
        value = walk.visit(tree);
    }
    let is_vec = field(node, "macro").is_some_and(|name| walk.text_of(name) == "vec");
    match value {
        Value::Called(of) | Value::Instance(of) if is_vec => Value::Collection(of),
        _ => Value::Unknown,
    }
}

/// What a macro gets: names with what stands between them. The value of what stands last.
fn tokens<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let is_code = |part: &Node<'t>| !part.kind().ends_with("comment");
    let parts: Vec<Node<'t>> = all_children(node).filter(is_code).collect();
    let mut last = Value::Unknown;
    let mut path: Option<String> = None;
    let mut before = "";
    let mut next_at = 0;
    // The last name, and if it is that of a method, what that is called on.
    let (mut name, mut receiver) = ("", None);
    // The variable of a `let` whose value is read.
    let mut bound: Option<Node<'t>> = None;
    let mut visited = std::mem::take(&mut walk.callback);
    for (at, &part) in parts.iter().enumerate() {
        if at < next_at {
            if part.kind() == "identifier" {
                walk.name(part, Role::Type);
            }
            continue;
        }
        next_at = end_of_turbofish(&parts, at + 1).unwrap_or(0);
        let next = parts.get(next_at.max(at + 1));
        let text = walk.text_of(part);
        match part.kind() {
            "identifier" | "self" | "crate" | "super" | "metavariable" => {
                let is_before_path = next.is_some_and(|next| next.kind() == "::");
                let is_called = next
                    .is_some_and(|next| next.kind() == "token_tree" && walk.text_of(*next).starts_with('('));
                let role = match () {
                    () if is_called => Role::Call,
                    () if is_before_path => Role::Type,
                    () => Role::Read,
                };
                (name, receiver) = (text, Some(last).filter(|_| before == "."));
                if is_root(text) && is_before_path {
                    let root = if text == "$crate" { "crate" } else { text };
                    path = Some(path.map_or_else(|| root.to_owned(), |path| format!("{path}::{root}")));
                } else if before == "let" && !is_called {
                    walk.declare_local(part, Value::Unknown);
                    bound = Some(part).filter(|_| next.is_some_and(|next| next.kind() == "="));
                    last = Value::Unknown;
                } else if let Some(module) = path.take().filter(|_| before == "::") {
                    last = imported_name(walk, part, &module, role);
                } else if part.kind() == "metavariable" || part.kind() == "crate" || part.kind() == "super" {
                    last = Value::Unknown;
                } else if before == "." || before == "::" {
                    last = walk.member(part, last, role);
                } else if next.is_some_and(|next| matches!(next.kind(), ":" | "="))
                    && matches!(before, "" | "{" | "(" | ",")
                {
                    // The name of an argument, or the key of a literal.
                    last = Value::Unknown;
                } else {
                    last = walk.name(part, role);
                }
            }
            // `let mut name`
            "mutable_specifier" => continue,
            "token_tree" => {
                walk.callback = match receiver {
                    Some(of) if is_visited(name, 0) => content(walk, of),
                    _ => Value::Unknown,
                };
                let inner = walk.scope(ScopeKind::Block, |walk| walk.visit(part));
                walk.callback = Value::Unknown;
                last = match (text.as_bytes().first(), receiver.take()) {
                    (Some(b'('), Some(of)) => called_method(of, name, last),
                    (Some(b'('), None) if matches!(name, "Some" | "Ok") => inner,
                    (Some(b'('), None) => last.called(),
                    (Some(b'['), _) => last.element(),
                    (Some(b'{'), None) if name.starts_with(char::is_uppercase) => last.instance(),
                    _ => Value::Unknown,
                };
                name = "";
            }
            "|" if matches!(before, "" | "(" | "," | "=" | "{" | "move") => {
                next_at = closure_in_tokens(walk, &parts, at, std::mem::take(&mut visited));
                last = Value::Unknown;
            }
            ";" => {
                if let Some(name) = bound.take() {
                    walk.declare_local(name, last);
                }
                last = Value::Unknown;
            }
            "." | "::" | "?" | ")" | "]" | "}" | "&" | "await" => {}
            "," if next.is_some_and(|next| next.kind() == "]") => {}
            _ if part.is_named() => {
                walk.visit(part);
                last = Value::Builtin;
            }
            _ => last = Value::Unknown,
        }
        before = match part.kind() {
            "identifier" if text == "move" => "move",
            _ if part.is_named() => "name",
            kind => kind,
        };
    }
    last
}

/// Declares the parameters of a closure in the tokens of a macro, the first with a value; where its body begins.
fn closure_in_tokens<'t>(walk: &mut Walk<'t>, parts: &[Node<'t>], at: usize, mut first: Value) -> usize {
    let rest = parts.iter().enumerate().skip(at + 1);
    let Some(end) = rest.clone().find(|(_, part)| part.kind() == "|").map(|(end, _)| end) else {
        return at + 1;
    };
    let mut before = "|";
    for (_, part) in rest.take_while(|(at, _)| *at < end) {
        match part.kind() {
            "identifier" if matches!(before, "|" | "," | "&" | "mut") => {
                walk.declare_local(*part, std::mem::take(&mut first));
            }
            "identifier" => {
                walk.name(*part, Role::Type);
            }
            "token_tree" => {
                walk.visit(*part);
            }
            _ => {}
        }
        before = if part.kind() == "mutable_specifier" { "mut" } else { part.kind() };
    }
    end + 1
}

/// The end of `::<…>` that begins at a token.
fn end_of_turbofish(parts: &[Node<'_>], at: usize) -> Option<usize> {
    if parts.get(at)?.kind() != "::" || parts.get(at + 1)?.kind() != "<" {
        return None;
    }
    let mut depth = 0_i32;
    for (end, part) in parts.iter().enumerate().skip(at + 1) {
        match part.kind() {
            "<" => depth += 1,
            ">" => depth -= 1,
            ">>" => depth -= 2,
            ";" => return None,
            _ => {}
        }
        if depth <= 0 {
            return Some(end + 1);
        }
    }
    None
}

// Statements, patterns and expressions.

/// The value of a block is that of its last expression.
fn block<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.scope(ScopeKind::Block, |walk| walk.children(node));
    let last = node.named_child(node.named_child_count().saturating_sub(1) as u32);
    let is_value =
        last.is_some_and(|last| !last.kind().ends_with("statement") && !last.kind().ends_with("declaration"));
    if is_value { value } else { Value::Unknown }
}

fn conditional<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        walk.field(node, "condition");
        let value = walk.field(node, "consequence");
        let other = field(node, "alternative").map_or(Value::Unknown, |other| walk.children(other));
        value.or(other)
    })
}

fn let_declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let declared = walk.field(node, "type").instance();
    let value = walk.field(node, "value");
    walk.field(node, "alternative");
    if let Some(written) = field(node, "pattern") {
        pattern(walk, written, declared.or(value), 0);
    }
    Value::Unknown
}

fn let_condition<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.field(node, "value");
    if let Some(written) = field(node, "pattern") {
        pattern(walk, written, value, 0);
    }
    Value::Unknown
}

fn match_expression<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let matched = walk.field(node, "value");
    let Some(body) = field(node, "body") else { return Value::Unknown };
    let mut value = Value::Unknown;
    for arm in named_children(body).filter(|arm| arm.kind() == "match_arm") {
        let found = walk.scope(ScopeKind::Block, |walk| {
            if let Some(written) = field(arm, "pattern") {
                if let Some(inner) = written.named_child(0) {
                    pattern(walk, inner, matched, 0);
                }
                walk.field(written, "condition");
            }
            walk.field(arm, "value")
        });
        value = value.or(found);
    }
    value
}

/// Declares the variables of a pattern for a value.
fn pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>, value: Value, depth: usize) {
    if depth > MAX_NESTED {
        return;
    }
    match node.kind() {
        "identifier" if walk.text_of(node).starts_with(char::is_uppercase) => {
            walk.name(node, Role::Read);
        }
        "identifier" | "shorthand_field_identifier" => {
            walk.declare_local(node, value);
        }
        "ref_pattern" | "mut_pattern" | "reference_pattern" | "or_pattern" | "captured_pattern" => {
            for part in named_children(node).filter(|part| part.kind() != "mutable_specifier") {
                pattern(walk, part, value, depth + 1);
            }
        }
        "tuple_pattern" | "slice_pattern" => {
            for (at, part) in named_children(node).enumerate() {
                let held = walk.part_or_element(value, at);
                pattern(walk, part, held, depth + 1);
            }
        }
        "tuple_struct_pattern" => {
            let name = field(node, "type");
            let is_wrapper = name.is_some_and(|name| matches!(walk.text_of(name), "Some" | "Ok"));
            let of = walk.field(node, "type");
            let inner = match of {
                _ if is_wrapper => value,
                Value::Itself(of) if node.named_child_count() == 2 => Value::Element(of),
                _ => Value::Unknown,
            };
            let parts = named_children(node).filter(|part| Some(*part) != name);
            for part in parts {
                pattern(walk, part, inner, depth + 1);
            }
        }
        "struct_pattern" => {
            let of = walk.field(node, "type");
            for part in named_children(node).filter(|part| part.kind() == "field_pattern") {
                let Some(name) = field(part, "name") else { continue };
                let found = walk.at_site(name, Role::Read, Site::Key(of.instance()));
                match field(part, "pattern") {
                    Some(inner) => pattern(walk, inner, found, depth + 1),
                    None => pattern(walk, name, found, depth + 1),
                }
            }
        }
        _ => {
            walk.visit(node);
        }
    }
}

fn for_expression<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        let element = walk.field(node, "value").element();
        if let Some(written) = field(node, "pattern") {
            pattern(walk, written, element, 0);
        }
        walk.field(node, "body");
    });
    Value::Unknown
}

fn reference<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field(node, "value")
}

fn member_access<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let of = walk.field(node, "value");
    let Some(name) = field(node, "field") else { return Value::Unknown };
    let found = match name.kind() {
        "field_identifier" => walk.member(name, of, role),
        _ => Value::Unknown,
    };
    let is_own = of != Value::Unknown && of == walk.local_value("Self").instance();
    let id = walk.id(walk.text_of(name));
    let held = walk.held.iter().find(|(field, _)| is_own && *field == id);
    held.map_or(found, |(_, value)| *value)
}

/// Methods of the wrappers above that give what is in them.
const UNWRAPPING: &[&str] = &[
    "unwrap",
    "expect",
    "unwrap_or_default",
    "unwrap_or",
    "unwrap_or_else",
    "clone",
    "cloned",
    "copied",
    "as_ref",
    "as_mut",
    "as_deref",
    "as_deref_mut",
    "borrow",
    "borrow_mut",
    "lock",
    "to_owned",
    "ok",
    "ok_or",
    "ok_or_else",
    "map_err",
    "context",
    "with_context",
    "iter",
    "iter_mut",
    "into_iter",
    "by_ref",
    "project",
    "rev",
    "to_vec",
    "unwrap_unchecked",
];

/// Methods of collections that give an element.
const ELEMENTS: &[&str] =
    &["get", "get_mut", "first", "last", "pop", "next", "first_mut", "last_mut", "remove"];

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(function) = field(node, "function") else { return Value::Unknown };
    let method = Some(function).filter(|function| function.kind() == "field_expression");
    match method.and_then(|method| Some((field(method, "value")?, field(method, "field")?))) {
        Some((receiver, name)) if name.kind() == "field_identifier" => {
            let of = walk.visit(receiver);
            let member = walk.member(name, of, Role::Call);
            let name = walk.text_of(name);
            if let Some(list) = field(node, "arguments") {
                arguments(walk, list, member, Some((of, name)));
            }
            called_method(of, name, member)
        }
        _ => {
            let value = walk.visit_as(function, Role::Call);
            let name = walk.text_of(function);
            if matches!(
                name,
                "Some" | "Ok" | "Box::new" | "Rc::new" | "Arc::new" | "RefCell::new" | "Mutex::new"
            ) {
                return field(node, "arguments").map_or(Value::Unknown, |arguments| walk.children(arguments));
            }
            if let Some(list) = field(node, "arguments") {
                arguments(walk, list, value, None);
            }
            match value {
                Value::Instance(_) | Value::Collection(_) => value,
                _ => value.called(),
            }
        }
    }
}

/// The value of a call of a method of `of`; `member` is the method.
fn called_method(of: Value, name: &str, member: Value) -> Value {
    match of {
        _ if UNWRAPPING.contains(&name) => of,
        Value::Collection(_) if ELEMENTS.contains(&name) => of.element(),
        _ => member.called(),
    }
}

fn structure_literal<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = match field(node, "name") {
        Some(name) => walk.visit_as(name, Role::Type).instance(),
        None => Value::Unknown,
    };
    let Some(body) = field(node, "body") else { return of };
    for part in named_children(body) {
        match part.kind() {
            "field_initializer" => {
                if let Some(name) = field(part, "field").or_else(|| field(part, "name")) {
                    walk.at_site(name, Role::Write, Site::Key(of));
                }
                walk.field(part, "value");
            }
            "shorthand_field_initializer" => {
                if let Some(name) = child(part, "identifier") {
                    walk.at_site(name, Role::Write, Site::Key(of));
                    walk.visit(name);
                }
            }
            _ => {
                walk.visit(part);
            }
        }
    }
    of
}

fn index<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut first = None;
    for part in named_children(node) {
        let value = walk.visit(part);
        first.get_or_insert(value);
    }
    first.unwrap_or_default().element()
}

fn assignment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field_as(node, "left", Role::Write);
    walk.field(node, "right");
    Value::Unknown
}

fn cast<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.field(node, "value");
    walk.field(node, "type").instance()
}

fn returned<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = walk.children(node);
    walk.returns(value);
    Value::Unknown
}
