//! Names in C#.

use tree_sitter::Node;

use crate::grammar::{child, field, named_children};
use crate::names::rules::{assignment, plain, ternary, this};
use crate::names::walk::NameRule::{Block, Literal, Read, Skip, Transparent};
use crate::names::walk::{NameTable, ScopeKind, Walk};
use crate::names::{DefinitionIx, DefinitionKind, Imported, Parameter, Role, Site, Source, Traits, Value};

pub(crate) static TABLE: NameTable = NameTable {
    rules: &[
        ("comment", Skip),
        ("string_literal", Literal),
        ("verbatim_string_literal", Literal),
        ("raw_string_literal", Literal),
        ("character_literal", Literal),
        ("integer_literal", Literal),
        ("real_literal", Literal),
        ("boolean_literal", Literal),
        ("null_literal", Literal),
        ("predefined_type", Literal),
        ("interpolated_string_expression", Read(plain)),
        ("interpolation_format_clause", Skip),
        ("attribute_target_specifier", Skip),
        ("goto_statement", Skip),
        ("extern_alias_directive", Skip),
        ("preproc_define", Skip),
        ("preproc_undef", Skip),
        ("preproc_pragma", Skip),
        ("preproc_region", Skip),
        ("preproc_endregion", Skip),
        ("preproc_line", Skip),
        ("preproc_error", Skip),
        ("preproc_warning", Skip),
        ("preproc_if", Read(preprocessed)),
        ("preproc_elif", Read(preprocessed)),
        ("file_scoped_namespace_declaration", Read(namespace)),
        ("namespace_declaration", Read(namespace)),
        ("using_directive", Read(using)),
        ("identifier", Read(identifier)),
        ("generic_name", Read(generic)),
        ("qualified_name", Read(qualified)),
        ("alias_qualified_name", Read(qualified)),
        ("nullable_type", Read(type_node)),
        ("array_type", Read(type_node)),
        ("this", Read(this)),
        ("base", Read(base)),
        ("attribute", Read(attribute)),
        ("class_declaration", Read(type_declaration)),
        ("struct_declaration", Read(type_declaration)),
        ("record_declaration", Read(type_declaration)),
        ("interface_declaration", Read(type_declaration)),
        ("enum_declaration", Read(type_declaration)),
        ("delegate_declaration", Read(delegate)),
        ("enum_member_declaration", Read(enum_member)),
        ("method_declaration", Read(method)),
        ("constructor_declaration", Read(method)),
        ("local_function_statement", Read(method)),
        ("destructor_declaration", Read(unnamed)),
        ("operator_declaration", Read(unnamed)),
        ("conversion_operator_declaration", Read(unnamed)),
        ("indexer_declaration", Read(unnamed)),
        ("property_declaration", Read(property)),
        ("event_declaration", Read(property)),
        ("field_declaration", Read(fields)),
        ("event_field_declaration", Read(fields)),
        ("accessor_declaration", Read(accessor)),
        ("variable_declaration", Read(variables)),
        ("block", Block),
        ("for_statement", Block),
        ("using_statement", Block),
        ("fixed_statement", Block),
        ("switch_section", Block),
        ("switch_expression_arm", Block),
        ("foreach_statement", Read(for_each)),
        ("catch_clause", Read(catch)),
        ("labeled_statement", Read(labeled)),
        ("declaration_expression", Read(declaration)),
        ("declaration_pattern", Read(declaration)),
        ("var_pattern", Read(declaration)),
        ("recursive_pattern", Read(recursive_pattern)),
        ("is_pattern_expression", Read(is_pattern)),
        ("type_pattern", Read(cast)),
        ("is_expression", Read(cast)),
        ("as_expression", Read(cast)),
        ("cast_expression", Read(cast)),
        ("typeof_expression", Read(cast)),
        ("default_expression", Read(cast)),
        ("sizeof_expression", Read(cast)),
        ("parenthesized_expression", Transparent),
        ("await_expression", Transparent),
        ("checked_expression", Transparent),
        ("ref_expression", Transparent),
        ("binary_expression", Read(binary)),
        ("conditional_expression", Read(ternary)),
        ("assignment_expression", Read(assignment)),
        ("postfix_unary_expression", Read(update)),
        ("prefix_unary_expression", Read(update)),
        ("member_access_expression", Read(member)),
        ("conditional_access_expression", Read(conditional_access)),
        ("element_access_expression", Read(element)),
        ("invocation_expression", Read(call)),
        ("argument", Read(argument)),
        ("object_creation_expression", Read(creation)),
        ("implicit_object_creation_expression", Read(implicit_creation)),
        ("with_expression", Read(with)),
        ("array_creation_expression", Read(cast)),
        ("lambda_expression", Read(lambda)),
        ("anonymous_method_expression", Read(lambda)),
        ("from_clause", Read(from)),
        ("let_clause", Read(from)),
        ("query_expression", Block),
    ],
    hoists: false,
};

fn preprocessed<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.children_except(node, &["condition"]);
    Value::Unknown
}

fn namespace<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = field(node, "name") {
        let id = walk.id(walk.text_of(name));
        walk.found.packages.push(id);
    }
    walk.children_except(node, &["name"]);
    Value::Unknown
}

/// `using A.B;`, `using static A.B;`, `using C = A.B;`
fn using<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let alias = field(node, "name");
    let Some(path) = named_children(node).filter(|part| Some(*part) != alias).last() else {
        return Value::Unknown;
    };
    let scope = field(path, "qualifier");
    let name = field(path, "name").filter(|name| name.kind() == "identifier");
    let imported = scope.zip(name).map(|(scope, name)| {
        let id = walk.id(walk.text_of(name));
        (walk.text_of(scope).trim_start_matches("global::"), Imported::Name(id), name)
    });
    match (alias, imported) {
        (Some(alias), Some((module, what, name))) => {
            let at = walk.import(node, Some(walk.text_of(alias)), module, what, false);
            walk.at_site(name, Role::Import, Site::Import(at));
        }
        (Some(_), None) => {
            type_value(walk, path, Role::Type);
        }
        (None, imported) => {
            walk.import(node, None, walk.text_of(path).trim_start_matches("global::"), Imported::All, false);
            if let (Some(_), Some((module, what, name))) = (child(node, "static"), imported) {
                let at = walk.import(node, None, module, what, false);
                walk.at_site(name, Role::Import, Site::Import(at));
            }
        }
    }
    Value::Unknown
}

/// A name in an expression.
fn identifier<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    if matches!(walk.text_of(node), "_" | "var" | "dynamic" | "nameof" | "value") && !walk.is_bound(node) {
        return Value::Unknown;
    }
    walk.name(node, role)
}

fn base<'t>(walk: &mut Walk<'t>, _: Node<'t>) -> Value {
    walk.this.map_or(Value::Unknown, Value::Super)
}

/// `Name<T>` in an expression or as a type: the thing itself.
fn generic<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let value = child(node, "identifier").map_or(Value::Unknown, |name| walk.name(name, role));
    // Type arguments of a method tell nothing.
    if role != Role::Call {
        walk.set_type_arguments(value, n_types(node, "type_argument_list"));
    }
    let held = arguments_of_type(walk, node);
    walk.named = held.first().copied().unwrap_or_default();
    if matches!(role, Role::Inherit | Role::Implement) { walk.applied(value, held) } else { value }
}

/// How many types a generic name or declaration lists: `<T, U>` and `<,>` are two.
fn n_types(node: Node<'_>, list: &str) -> u8 {
    let Some(list) = child(node, list) else { return 0 };
    let commas = list.children(&mut list.walk()).filter(|part| part.kind() == ",").count();
    u8::try_from(commas + 1).unwrap_or(u8::MAX)
}

fn arguments_of_type<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Vec<Value> {
    let Some(list) = child(node, "type_argument_list") else { return Vec::new() };
    named_children(list).map(|part| type_value(walk, part, Role::Type)).collect()
}

fn qualified<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let scope = field(node, "qualifier");
    let of = scope.map_or(Value::Unknown, |scope| walk.visit_as(scope, Role::Read));
    let text = if name.kind() == "generic_name" { child(name, "identifier") } else { Some(name) };
    let value = match (text, scope) {
        (Some(text), Some(_)) => walk.member(text, of, role),
        // `global::Name`
        (Some(text), None) => walk.at_site(text, role, Site::Bare),
        _ => Value::Unknown,
    };
    walk.set_type_arguments(value, n_types(name, "type_argument_list"));
    arguments_of_type(walk, name);
    value
}

fn type_node<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    type_value(walk, node, role)
}

const COLLECTIONS: &[&str] = &[
    "List",
    "IList",
    "IEnumerable",
    "IEnumerator",
    "ICollection",
    "IReadOnlyList",
    "IReadOnlyCollection",
    "HashSet",
    "ISet",
    "SortedSet",
    "Queue",
    "Stack",
    "LinkedList",
    "ConcurrentQueue",
    "ConcurrentStack",
    "ConcurrentBag",
    "Collection",
    "ReadOnlyCollection",
    "ObservableCollection",
    "ImmutableList",
    "ImmutableArray",
    "IAsyncEnumerable",
    "IQueryable",
    "Span",
    "ReadOnlySpan",
    "Memory",
    "ReadOnlyMemory",
];
const MAPS: &[&str] = &[
    "Dictionary",
    "IDictionary",
    "IReadOnlyDictionary",
    "ConcurrentDictionary",
    "SortedDictionary",
    "SortedList",
    "ImmutableDictionary",
];
/// Types that stand for what they hold: `await` and `?` take it out.
const WRAPPERS: &[&str] = &["Task", "ValueTask", "Nullable"];

/// A type: its value is an instance of it.
fn type_value<'t>(walk: &mut Walk<'t>, node: Node<'t>, role: Role) -> Value {
    let role = if role == Role::Read { Role::Type } else { role };
    match node.kind() {
        "implicit_type" => Value::Unknown,
        "identifier" if matches!(walk.text_of(node), "var" | "dynamic" | "notnull" | "unmanaged") => {
            Value::Unknown
        }
        "identifier" => walk.name(node, role).instance(),
        "qualified_name" | "alias_qualified_name" => walk.visit_as(node, role).instance(),
        "generic_name" => {
            let Some(name) = child(node, "identifier") else { return Value::Unknown };
            let whole = walk.name(name, role).instance();
            walk.set_type_arguments(whole, n_types(node, "type_argument_list"));
            let held = arguments_of_type(walk, node);
            match walk.text_of(name) {
                text if COLLECTIONS.contains(&text) => {
                    walk.several(held.first().copied().unwrap_or_default())
                }
                text if MAPS.contains(&text) => walk.several(held.last().copied().unwrap_or_default()),
                text if WRAPPERS.contains(&text) => held.first().copied().unwrap_or_default(),
                _ => walk.applied(whole, held),
            }
        }
        "array_type" => {
            let held = field(node, "type").map_or(Value::Unknown, |of| type_value(walk, of, Role::Type));
            walk.field(node, "rank");
            walk.several(held).or(Value::Builtin)
        }
        "nullable_type" | "ref_type" | "scoped_type" | "pointer_type" => {
            field(node, "type").map_or(Value::Unknown, |of| type_value(walk, of, role))
        }
        "predefined_type" => Value::Builtin,
        "tuple_type" => {
            let parts: Vec<Value> = named_children(node).map(|part| type_field(walk, part, "type")).collect();
            let tuple = walk.tuple(node, &parts);
            if let Value::Instance(Source::Definition(of)) = tuple {
                let traits = Traits::LOCAL.and(Traits::EXPORTED);
                for (part, value) in named_children(node).zip(parts) {
                    let Some(name) = field(part, "name") else { continue };
                    if let Some(at) = walk.define_in(Some(of), name, part, DefinitionKind::Field, traits) {
                        walk.set_value(at, value);
                    }
                }
            }
            tuple
        }
        _ => walk.visit(node),
    }
}

fn type_field<'t>(walk: &mut Walk<'t>, node: Node<'t>, name: &'static str) -> Value {
    field(node, name).map_or(Value::Unknown, |of| type_value(walk, of, Role::Type))
}

fn attribute<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = field(node, "name").map_or(Value::Unknown, |name| attribute_type(walk, name));
    if let Some(list) = child(node, "attribute_argument_list") {
        for part in named_children(list) {
            if let Some(name) = field(part, "name") {
                walk.at_site(name, Role::Write, Site::Key(of));
            }
            walk.children_except(part, &["name"]);
        }
    }
    Value::Unknown
}

/// The type of an attribute, whose name may leave out its end: `[Logged]` of `LoggedAttribute`.
fn attribute_type<'t>(walk: &mut Walk<'t>, name: Node<'t>) -> Value {
    let written = type_value(walk, name, Role::Type);
    let text = walk.text_of(field(name, "name").unwrap_or(name));
    let Value::Instance(Source::Occurrence(at)) = written else { return written };
    let Some(site) = walk.found.occurrences.get(at as usize).map(|occurrence| occurrence.site) else {
        return written;
    };
    if text.ends_with("Attribute") {
        return written;
    }
    let whole = walk.name_where(at, &format!("{text}Attribute"), Role::Type, site).instance();
    walk.guarded(whole, written)
}

fn traits(node: Node<'_>, text: &str) -> Traits {
    let mut traits = Traits::default();
    for part in named_children(node).filter(|part| part.kind() == "modifier") {
        match text.get(part.byte_range()) {
            Some("static" | "const") => traits = traits.and(Traits::STATIC),
            Some("public") => traits = traits.and(Traits::EXPORTED),
            _ => {}
        }
    }
    traits
}

fn has_modifier(node: Node<'_>, text: &str, modifier: &str) -> bool {
    named_children(node)
        .any(|part| part.kind() == "modifier" && text.get(part.byte_range()) == Some(modifier))
}

fn type_declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let kind = match node.kind() {
        "interface_declaration" => DefinitionKind::Interface,
        "enum_declaration" => DefinitionKind::Enum,
        _ => DefinitionKind::Class,
    };
    let Some(definition) = walk.define(name, node, kind, traits(node, walk.text)) else {
        return Value::Unknown;
    };
    walk.set_arity(definition, Some(n_types(node, "type_parameter_list")).filter(|n| *n > 0));
    walk.scope(ScopeKind::Block, |walk| {
        walk.inside_type(definition, |walk| {
            type_parameters(walk, node);
            for part in named_children(node) {
                match part.kind() {
                    "base_list" if kind == DefinitionKind::Enum => {}
                    "base_list" => bases(walk, part, definition),
                    "parameter_list" => primary_parameters(walk, node, part, definition),
                    "type_parameter_list" | "type_parameter_constraints_clause" | "modifier" => {}
                    _ if Some(part) == field(node, "name") => {}
                    _ => {
                        walk.visit(part);
                    }
                }
            }
        });
    });
    Value::Unknown
}

fn bases<'t>(walk: &mut Walk<'t>, list: Node<'t>, of: DefinitionIx) {
    for part in named_children(list) {
        if part.kind() == "argument_list" {
            walk.visit(part);
            continue;
        }
        let base =
            if part.kind() == "primary_constructor_base_type" { field(part, "type") } else { Some(part) };
        let Some(base) = base else { continue };
        let mut letters = walk.text_of(base).rsplit('.').next().unwrap_or_default().chars();
        let is_interface = letters.next() == Some('I') && letters.next().is_some_and(char::is_uppercase);
        let role = if is_interface { Role::Implement } else { Role::Inherit };
        let value = match walk.visit_as(base, role) {
            Value::Instance(source) => Value::Itself(source),
            other => other,
        };
        if let Some(known) = walk.definition(of) {
            known.supers.push(value);
        }
        if base != part
            && let Some(arguments) = child(part, "argument_list")
        {
            walk.visit(arguments);
        }
    }
}

/// Parameters of a type are seen in all of it; those of a record are its properties.
fn primary_parameters<'t>(walk: &mut Walk<'t>, node: Node<'t>, list: Node<'t>, of: DefinitionIx) {
    let mut parts = Vec::new();
    for parameter in named_children(list).filter(|part| part.kind() == "parameter") {
        let value = type_field(walk, parameter, "type");
        parts.push(value);
        let Some(name) = field(parameter, "name") else { continue };
        if node.kind() == "record_declaration" {
            let definition =
                walk.define_in(Some(of), name, parameter, DefinitionKind::Field, Traits::EXPORTED);
            if let Some(definition) = definition {
                walk.set_value(definition, value);
            }
        } else {
            walk.declare_local(name, value);
        }
    }
    if node.kind() == "record_declaration" {
        walk.positional(of, list, &parts);
    }
}

/// Declares type parameters, with the types that bound them.
fn type_parameters<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let list = field(node, "type_parameters").or_else(|| child(node, "type_parameter_list"));
    let Some(list) = list else { return };
    for (at, parameter) in named_children(list).enumerate() {
        if let Some(name) = field(parameter, "name") {
            walk.declare_type_parameter(name, at, Value::Unknown);
        }
    }
    for clause in named_children(node).filter(|part| part.kind() == "type_parameter_constraints_clause") {
        let mut value = Value::Unknown;
        for bound in named_children(clause) {
            value = value.or(type_field(walk, bound, "type"));
        }
        if let Some(name) = child(clause, "identifier") {
            let mut names = named_children(list).filter_map(|parameter| field(parameter, "name"));
            match names.position(|other| walk.text_of(other) == walk.text_of(name)) {
                Some(at) => walk.declare_type_parameter(name, at, value),
                None => walk.redeclare_local(walk.text_of(name), value),
            }
        }
    }
}

fn delegate<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let definition = walk.define(name, node, DefinitionKind::Type, traits(node, walk.text));
    if let Some(definition) = definition {
        walk.set_arity(definition, Some(n_types(node, "type_parameter_list")).filter(|n| *n > 0));
    }
    walk.function(None, |walk| {
        walk.inside(definition, |walk| {
            type_parameters(walk, node);
            type_field(walk, node, "type");
            parameters(walk, node);
        });
        Value::Unknown
    });
    if let Some(definition) = definition {
        walk.set_parameters(definition);
    }
    Value::Unknown
}

fn enum_member<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    if let Some(name) = field(node, "name") {
        walk.define(name, node, DefinitionKind::EnumMember, Traits::STATIC);
    }
    walk.children_except(node, &["name"]);
    Value::Unknown
}

fn method<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let kind = match node.kind() {
        "constructor_declaration" => DefinitionKind::Constructor,
        "method_declaration" if walk.this.is_some() => DefinitionKind::Method,
        _ => DefinitionKind::Function,
    };
    let mut traits = traits(node, walk.text);
    if field(node, "parameters")
        .and_then(|list| child(list, "parameter"))
        .is_some_and(|first| has_modifier(first, walk.text, "this"))
    {
        traits = traits.and(Traits::EXTENSION);
    }
    let Some(definition) = walk.define(name, node, kind, traits) else { return Value::Unknown };
    if traits.has(Traits::EXTENSION) {
        note_extended(walk, node, definition);
    }
    if kind == DefinitionKind::Function {
        walk.bind(definition);
    }
    walk.function(Some(definition), |walk| {
        type_parameters(walk, node);
        let declared = type_field(walk, node, "returns").or(type_field(walk, node, "type"));
        let arity = parameters(walk, node);
        if traits.has(Traits::EXTENSION) {
            // What it is called on.
            walk.parameters.drain(..1.min(walk.parameters.len()));
        } else {
            walk.set_arity(definition, arity);
        }
        walk.set_parameters(definition);
        rest(walk, node);
        declared
    });
    Value::Unknown
}

/// Notes the type that an extension extends, by its name.
fn note_extended(walk: &mut Walk<'_>, node: Node<'_>, definition: DefinitionIx) {
    let first = field(node, "parameters").and_then(|list| child(list, "parameter"));
    let Some(of) = first.and_then(|first| field(first, "type")) else { return };
    let of = if of.kind() == "nullable_type" { field(of, "type").unwrap_or(of) } else { of };
    let name = if of.kind() == "generic_name" { child(of, "identifier") } else { Some(of) };
    if let Some(name) =
        name.map(|name| field(name, "name").unwrap_or(name)).filter(|name| name.kind() == "identifier")
    {
        let owner = walk.id_of(walk.text_of(name));
        if let Some(known) = walk.definition(definition) {
            known.owner = Some(owner);
        }
    }
}

/// The parts of a member that are neither its name nor its signature.
fn rest<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let fields = ["name", "returns", "type", "parameters", "type_parameters", "operator"];
    let known: Vec<Node<'t>> = fields.iter().filter_map(|name| field(node, name)).collect();
    for part in named_children(node) {
        let is_read = !known.contains(&part)
            && !matches!(
                part.kind(),
                "modifier" | "type_parameter_constraints_clause" | "type_parameter_list"
            );
        match part.kind() {
            "explicit_interface_specifier" => {
                if let Some(of) = part.named_child(0) {
                    type_value(walk, of, Role::Type);
                }
            }
            _ if is_read => {
                walk.visit(part);
            }
            _ => {}
        }
    }
}

/// Declares parameters; how many there are, if that is fixed.
fn parameters<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Option<u8> {
    let list = field(node, "parameters").or_else(|| child(node, "parameter_list"))?;
    let mut n = 0usize;
    let mut is_fixed = true;
    let mut found = Vec::new();
    for parameter in named_children(list) {
        if parameter.kind() == "parameter" {
            n += 1;
            let value = type_field(walk, parameter, "type");
            found.push(Parameter { value, takes: Vec::new() });
            let Some(name) = field(parameter, "name") else { continue };
            let of = field(parameter, "type");
            for part in named_children(parameter) {
                if part != name && Some(part) != of && part.kind() != "modifier" {
                    is_fixed &= part.kind() == "attribute_list";
                    walk.visit(part);
                }
            }
            walk.declare_local(name, value);
        } else if parameter.kind() != "attribute_list" {
            // `params T[] all` stands in the list itself.
            is_fixed = false;
        }
    }
    if let (Some(of), Some(name)) = (field(list, "type"), field(list, "name")) {
        is_fixed = false;
        let value = type_value(walk, of, Role::Type);
        walk.declare_local(name, value);
    }
    walk.parameters = found;
    u8::try_from(n).ok().filter(|_| is_fixed)
}

/// An operator, indexer or destructor.
fn unnamed<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.function(None, |walk| {
        type_field(walk, node, "type");
        parameters(walk, node);
        rest(walk, node);
        Value::Unknown
    });
    Value::Unknown
}

fn property<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let traits = traits(node, walk.text).and(Traits::PROPERTY);
    let Some(definition) = walk.define(name, node, DefinitionKind::Field, traits) else {
        return Value::Unknown;
    };
    let value = type_field(walk, node, "type");
    walk.set_value(definition, value);
    walk.expected = value;
    walk.function(None, |walk| {
        walk.inside(Some(definition), |walk| rest(walk, node));
        Value::Unknown
    });
    Value::Unknown
}

fn accessor<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.children_except(node, &["name"]);
    Value::Unknown
}

fn fields<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(list) = child(node, "variable_declaration") else { return Value::Unknown };
    let traits = traits(node, walk.text);
    let is_constant = has_modifier(node, walk.text, "const");
    let kind = if is_constant { DefinitionKind::Constant } else { DefinitionKind::Field };
    if let Some(attributes) = child(node, "attribute_list") {
        walk.visit(attributes);
    }
    let declared = type_field(walk, list, "type");
    for declarator in named_children(list).filter(|part| part.kind() == "variable_declarator") {
        let Some(name) = field(declarator, "name") else { continue };
        let definition = walk.define(name, node, kind, traits);
        walk.expected = declared;
        walk.children_except(declarator, &["name"]);
        if let Some(definition) = definition {
            walk.set_value(definition, declared);
        }
    }
    Value::Unknown
}

fn variables<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let declared = type_field(walk, node, "type");
    for declarator in named_children(node).filter(|part| part.kind() == "variable_declarator") {
        let name = field(declarator, "name");
        walk.expected = declared;
        let mut value = Value::Unknown;
        let pattern = child(declarator, "tuple_pattern");
        for part in named_children(declarator).filter(|part| Some(*part) != name && Some(*part) != pattern) {
            value = walk.visit(part);
        }
        walk.expected = Value::Unknown;
        if let Some(pattern) = pattern {
            declare_all(walk, pattern, value);
        } else if let Some(name) = name {
            walk.declare_local(name, declared.or(value));
        }
    }
    Value::Unknown
}

/// Declares the names of a pattern as the parts of a value.
fn declare_all<'t>(walk: &mut Walk<'t>, node: Node<'t>, value: Value) {
    for (at, part) in named_children(node).enumerate() {
        if part.kind() == "identifier" {
            let held = walk.part(value, at);
            walk.declare_local(part, held);
        }
    }
}

fn for_each<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        let declared = type_field(walk, node, "type");
        let element = walk.field(node, "right").element();
        match field(node, "left") {
            Some(left) if left.kind() == "identifier" => {
                walk.declare_local(left, declared.or(element));
            }
            Some(left) => declare_all(walk, left, element),
            None => {}
        }
        walk.field(node, "body");
    });
    Value::Unknown
}

fn catch<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.scope(ScopeKind::Block, |walk| {
        if let Some(declaration) = child(node, "catch_declaration") {
            self::declaration(walk, declaration);
        }
        for part in named_children(node).filter(|part| part.kind() != "catch_declaration") {
            walk.visit(part);
        }
    });
    Value::Unknown
}

fn labeled<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    for part in named_children(node).skip(1) {
        walk.visit(part);
    }
    Value::Unknown
}

/// A type with a name that it declares.
fn declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let expected = std::mem::take(&mut walk.expected);
    let value = type_field(walk, node, "type").or(expected);
    if let Some(name) = field(node, "name") {
        walk.declare_local(name, value);
    }
    value
}

/// `value is { Size: 2 } shape`
fn is_pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    walk.expected = walk.field(node, "expression");
    walk.field(node, "pattern");
    walk.expected = Value::Unknown;
    Value::Builtin
}

/// `Shape { Size: 2 } shape`
fn recursive_pattern<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = declaration(walk, node);
    for clause in named_children(node) {
        if clause.kind() == "property_pattern_clause" {
            for part in named_children(clause).filter(|part| part.kind() == "subpattern") {
                let name = part.named_child(0).filter(|name| name.kind() == "identifier");
                if let Some(name) = name {
                    walk.at_site(name, Role::Read, Site::Key(value));
                }
                for inner in named_children(part).filter(|inner| Some(*inner) != name) {
                    walk.visit(inner);
                }
            }
        } else if clause.kind() == "positional_pattern_clause" {
            walk.visit(clause);
        }
    }
    value
}

/// An expression with a type that its value has.
fn cast<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = field(node, "type").or_else(|| field(node, "right"));
    let value = of.map_or(Value::Unknown, |of| type_value(walk, of, Role::Type));
    walk.children_except(node, &["type", "right"]);
    if matches!(node.kind(), "is_expression" | "typeof_expression" | "sizeof_expression") {
        Value::Builtin
    } else {
        value
    }
}

fn binary<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let operator = field(node, "operator").map_or("", |operator| walk.text_of(operator));
    let left = walk.field(node, "left");
    let right = walk.field(node, "right");
    if operator == "??" { walk.either(left, right) } else { Value::Builtin }
}

fn update<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let text = walk.text_of(node);
    let is_write = ["++", "--"].iter().any(|sign| text.starts_with(sign) || text.ends_with(sign));
    let role = if is_write { Role::Write } else { Role::Read };
    // `x!` is `x`.
    node.named_child(0).map_or(Value::Unknown, |inner| walk.visit_as(inner, role))
}

fn member_name<'t>(walk: &mut Walk<'t>, node: Node<'t>, of: Value, role: Role) -> Value {
    let Some(name) = field(node, "name") else { return Value::Unknown };
    let text = if name.kind() == "generic_name" { child(name, "identifier") } else { Some(name) };
    let value = text.map_or(Value::Unknown, |text| walk.member(text, of, role));
    let held = arguments_of_type(walk, name);
    walk.named = held.first().copied().unwrap_or_default();
    value
}

fn member<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let of = walk.field(node, "expression");
    if role == Role::Read && field(node, "name").is_some_and(|name| walk.text_of(name) == "Result") {
        // What a task holds.
        member_name(walk, node, of, role);
        return of;
    }
    member_name(walk, node, of, role)
}

/// `shape?.Size`
fn conditional_access<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let role = walk.take_role();
    let of = walk.field(node, "condition");
    let condition = field(node, "condition");
    let mut value = Value::Unknown;
    for part in named_children(node).filter(|part| Some(*part) != condition) {
        value = bound_member(walk, part, of, role, 0);
    }
    value
}

/// What follows `?.`: members and calls, the innermost of which is of the value.
fn bound_member<'t>(walk: &mut Walk<'t>, node: Node<'t>, of: Value, role: Role, depth: usize) -> Value {
    const MAX_CHAIN: usize = 64;
    if depth > MAX_CHAIN {
        return Value::Unknown;
    }
    match node.kind() {
        "member_binding_expression" => member_name(walk, node, of, role),
        "member_access_expression" => {
            let Some(inner) = field(node, "expression") else { return Value::Unknown };
            let of = bound_member(walk, inner, of, Role::Read, depth + 1);
            member_name(walk, node, of, role)
        }
        "invocation_expression" => {
            let Some(function) = field(node, "function") else { return Value::Unknown };
            let called = bound_member(walk, function, of, Role::Call, depth + 1);
            walk.field(node, "arguments");
            called.called()
        }
        "element_binding_expression" => {
            walk.children(node);
            of.element()
        }
        _ => walk.visit_as(node, role),
    }
}

fn element<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let of = walk.field(node, "expression");
    walk.field(node, "subscript");
    of.element()
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let Some(function) = field(node, "function") else { return Value::Unknown };
    let name = field(function, "name").map_or("", |name| walk.text_of(name));
    // They hand on what the task gives.
    if matches!(name, "ConfigureAwait" | "GetAwaiter" | "GetResult" | "AsTask" | "AsValueTask")
        && let Some(of) = field(function, "expression")
    {
        let of = walk.visit(of);
        walk.field(node, "arguments");
        return of;
    }
    walk.named = Value::Unknown;
    let called = walk.visit_as(function, Role::Call);
    let named = std::mem::take(&mut walk.named);
    if let Some(list) = field(node, "arguments") {
        let of = walk.receiver(called);
        let element = walk.element(of);
        arguments(walk, list, called, element);
    }
    walk.inferred(called.called(), named)
}

/// Reads the arguments of a call, of what is `called`.
fn arguments<'t>(walk: &mut Walk<'t>, list: Node<'t>, called: Value, element: Value) {
    for (at, part) in named_children(list).enumerate() {
        let given = called.parameter(at);
        walk.callback = walk.lambda_parameter(given, element);
        // `all.TryGetValue(key, out var found)`
        let is_out = child(part, "declaration_expression").is_some();
        walk.expected = if is_out { walk.guarded(given, element) } else { given };
        walk.visit(part);
        (walk.callback, walk.expected) = (Value::Unknown, Value::Unknown);
    }
    walk.set_arguments(called, list.named_child_count());
}

fn argument<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let name = field(node, "name");
    let mut value = Value::Unknown;
    for part in named_children(node).filter(|part| Some(*part) != name) {
        value = walk.visit(part);
    }
    value
}

fn creation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = field(node, "type").map_or(Value::Unknown, |of| type_value(walk, of, Role::Call));
    if let Some(list) = field(node, "arguments") {
        arguments(walk, list, value, Value::Unknown);
    }
    if let Some(list) = field(node, "initializer") {
        initializer(walk, list, value);
    }
    value
}

/// `new() { … }`: of the type that is declared.
fn implicit_creation<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let value = std::mem::take(&mut walk.expected);
    for part in named_children(node) {
        if part.kind() == "initializer_expression" {
            initializer(walk, part, value);
        } else {
            walk.visit(part);
        }
    }
    value
}

/// The members that an initializer sets.
fn initializer<'t>(walk: &mut Walk<'t>, list: Node<'t>, of: Value) {
    for part in named_children(list) {
        let left = field(part, "left").filter(|left| left.kind() == "identifier");
        match left {
            Some(name) if part.kind() == "assignment_expression" => {
                walk.at_site(name, Role::Write, Site::Key(of));
                match field(part, "right") {
                    Some(right) if right.kind() == "initializer_expression" => {
                        initializer(walk, right, Value::Unknown);
                    }
                    Some(right) => {
                        walk.visit(right);
                    }
                    None => {}
                }
            }
            _ => {
                walk.visit(part);
            }
        }
    }
}

fn with<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let mut of = Value::Unknown;
    for part in named_children(node) {
        if part.kind() != "with_initializer" {
            of = walk.visit(part);
            continue;
        }
        for (at, inner) in named_children(part).enumerate() {
            if at == 0 && inner.kind() == "identifier" {
                walk.at_site(inner, Role::Write, Site::Key(of));
            } else {
                walk.visit(inner);
            }
        }
    }
    of
}

fn lambda<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let (expected, first) = (std::mem::take(&mut walk.expected), std::mem::take(&mut walk.callback));
    walk.function(None, |walk| {
        match field(node, "parameters") {
            Some(name) if name.kind() == "implicit_parameter" => {
                walk.declare_local(name, first);
            }
            _ => {
                parameters(walk, node);
                let list = field(node, "parameters").into_iter().flat_map(named_children);
                for (at, name) in list.filter_map(|part| field(part, "name")).enumerate() {
                    walk.declare_again(name, if at == 0 { first } else { expected.parameter(at) });
                }
            }
        }
        match field(node, "body").or_else(|| child(node, "block")) {
            Some(body) => walk.visit(body),
            None => Value::Unknown,
        };
        Value::Unknown
    });
    Value::Unknown
}

/// `from x in all`, `let x = …`
fn from<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Value {
    let declared = type_field(walk, node, "type");
    let name = field(node, "name").or_else(|| child(node, "identifier"));
    let of = field(node, "type");
    let mut value = Value::Unknown;
    for part in named_children(node).filter(|part| Some(*part) != name && Some(*part) != of) {
        value = walk.visit(part);
    }
    let value = if node.kind() == "from_clause" { value.element() } else { value };
    if let Some(name) = name {
        walk.declare_local(name, declared.or(value));
    }
    Value::Unknown
}
