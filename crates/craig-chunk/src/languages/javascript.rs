//! JavaScript, TypeScript and their JSX dialects.

mod names;

pub(crate) use names::component_template;

use tree_sitter::{Node, Tree};

use crate::grammar::Answer::{Define as Defines, Open, OpenFunction, Plain};
use crate::grammar::counting::Counting;
use crate::grammar::find::{
    child, child_of, children, field, import, import_names, line, named_children, text, unquoted,
};
use crate::grammar::{Answer, At, Definition, Imports, Rule, Table, define};
use crate::kind::ChunkKind::{Class, Constant, Enum, Function, Interface, Method, Module, Type};
use crate::outline::Import;
use craig_source::Language;

pub(super) static JAVASCRIPT: Table = Table {
    dialect: Some((Language::Tsx, flow_as_typescript)),
    joins_same_name: true,
    deep_imports: Some(deep_imports),
    names: Some(&names::TABLE),
    counting: Some(&COUNTING),
    imports: IMPORTS,
    ..Table::new(craig_grammars::JAVASCRIPT, ".", RULES)
};
pub(super) static TYPESCRIPT: Table = Table {
    joins_same_name: true,
    deep_imports: Some(deep_imports),
    names: Some(&names::TABLE),
    counting: Some(&COUNTING),
    imports: IMPORTS,
    ..Table::new(craig_grammars::TYPESCRIPT, ".", RULES)
};
pub(super) static TSX: Table = Table {
    joins_same_name: true,
    deep_imports: Some(deep_imports),
    names: Some(&names::TABLE),
    counting: Some(&COUNTING),
    imports: IMPORTS,
    ..Table::new(craig_grammars::TSX, ".", RULES)
};

const RULES: &[(&str, Rule)] = &[
    ("comment", Rule::Attach),
    ("decorator", Rule::Attach),
    ("import_statement", Rule::Import(read_import)),
    ("import_alias", Rule::Plain),
    ("export_statement", Rule::Ask(export)),
    ("ambient_declaration", Rule::Open),
    ("function_declaration", define(Function).rule()),
    ("generator_function_declaration", define(Function).rule()),
    ("function_signature", define(Function).rule()),
    ("class_declaration", define(Class).rule()),
    ("abstract_class_declaration", define(Class).rule()),
    ("class", define(Class).rule()),
    ("method_definition", define(Method).rule()),
    ("method_signature", define(Method).rule()),
    ("abstract_method_signature", define(Method).rule()),
    ("field_definition", Rule::Ask(class_field)),
    ("public_field_definition", Rule::Ask(class_field)),
    ("property_signature", define(Constant).rule()),
    ("interface_declaration", define(Interface).rule()),
    ("type_alias_declaration", define(Type).inside(At::Nowhere).rule()),
    ("enum_declaration", define(Enum).rule()),
    ("enum_assignment", define(Constant).rule()),
    ("property_identifier", Rule::Ask(enum_member)),
    ("internal_module", define(Module).rule()),
    ("module", define(Module).rule()),
    ("lexical_declaration", Rule::Ask(variables)),
    ("variable_declaration", Rule::Ask(variables)),
    ("expression_statement", Rule::Ask(statement)),
    ("return_statement", Rule::Ask(returned)),
    ("pair", Rule::Ask(pair)),
    ("member_expression", Rule::Ask(chained)),
    ("arguments", Rule::Ask(registered)),
    ("if_statement", Rule::Open),
    ("else_clause", Rule::Open),
    ("try_statement", Rule::Open),
    ("statement_block", Rule::Open),
];

const IMPORTS: Imports = Imports {
    words: &["import", "require", "export"],
    asked: &["export_statement"],
    is_executed: true,
    ..Imports::DEFAULT
};

static COUNTING: Counting = Counting {
    units: &[
        "function_declaration",
        "generator_function_declaration",
        "function_expression",
        "generator_function",
        "arrow_function",
        "method_definition",
    ],
    decides: &[
        "if_statement",
        "for_statement",
        "for_in_statement",
        "while_statement",
        "do_statement",
        "switch_case",
        "ternary_expression",
        "catch_clause",
        "assignment_pattern",
        "object_assignment_pattern",
        "required_parameter",
    ],
    nests: &[
        "if_statement",
        "for_statement",
        "for_in_statement",
        "while_statement",
        "do_statement",
        "switch_statement",
        "try_statement",
    ],
    operations: &["binary_expression", "augmented_assignment_expression"],
    operators: &["&&", "||", "??", "&&=", "||=", "??="],
    is_decision: has_default,
    ..Counting::C_LIKE
};

/// A value for what is not given decides, in parameters and where values are taken apart.
fn has_default(node: Node<'_>, _: &str) -> bool {
    node.kind() != "required_parameter" || node.child_by_field_name("value").is_some()
}

/// Flow without what TypeScript does not have: exact objects, the variance of properties, opaque types.
fn flow_as_typescript(text: &str) -> Option<String> {
    if !text.contains("@flow") && !text.contains("{|") {
        return None;
    }
    let text = text.replace("{|", "{ ").replace("|}", " }").replace("opaque type ", "       type ");
    let mut bytes = text.into_bytes();
    for at in 1..bytes.len().saturating_sub(1) {
        let follows = |marks: &[u8]| {
            let before = bytes[..at].iter().rev().find(|byte| !byte.is_ascii_whitespace());
            before.is_some_and(|before| marks.contains(before))
        };
        let is_sign = matches!(bytes[at], b'+' | b'-') && bytes[at + 1].is_ascii_alphabetic();
        let is_variance = is_sign && follows(b"{,;");
        if is_variance {
            bytes[at] = b' ';
        }
    }
    String::from_utf8(bytes).ok()
}

const FUNCTIONS: &[&str] =
    &["arrow_function", "function_expression", "generator_function", "function", "async_function"];

fn export<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    if field(node, "source").is_some() {
        return Answer::Import(read_import);
    }
    match field(node, "value") {
        Some(value) => opened(value),
        None => Open(node),
    }
}

/// What an expression that is returned, exported or called has inside.
fn opened(value: Node<'_>) -> Answer<'_> {
    match value.kind() {
        "object" | "class_body" => Open(value),
        "parenthesized_expression" | "await_expression" => value.named_child(0).map_or(Plain, opened),
        "class" => match field(value, "name") {
            Some(name) => Defines(Definition::new(Class, name).body(field(value, "body"))),
            None => field(value, "body").map_or(Plain, Open),
        },
        "call_expression" | "new_expression" => called(value),
        kind if FUNCTIONS.contains(&kind) => match (field(value, "name"), field(value, "body")) {
            (Some(name), body) => Defines(Definition::new(Function, name).body(body)),
            (None, Some(body)) if body.kind() == "statement_block" => OpenFunction(body),
            _ => Plain,
        },
        _ => Plain,
    }
}

/// The members of an object that is made by a call, or a callback: `defineComponent({ … })`.
fn called(call: Node<'_>) -> Answer<'_> {
    let object = field(call, "arguments").and_then(inner_argument).filter(|inner| inner.kind() == "object");
    object.map_or_else(|| callback(call), Open)
}

/// Functions called where they stand and callbacks: `(function () {…})()`, `describe("…", () => {…})`.
fn callback(call: Node<'_>) -> Answer<'_> {
    let called = field(call, "function").and_then(bare_function);
    let mut functions: Vec<_> = called.into_iter().collect();
    if let Some(arguments) = field(call, "arguments") {
        let mut cursor = arguments.walk();
        functions.extend(arguments.named_children(&mut cursor).filter_map(bare_function));
    }
    // Of a module wrapper and the module it is called with, the larger is the module.
    let bodies = functions.into_iter().filter_map(|function| field(function, "body"));
    let body =
        bodies.filter(|body| body.kind() == "statement_block").max_by_key(|body| body.byte_range().len());
    body.map_or(Plain, OpenFunction)
}

/// A function expression: in parentheses or not, before `.call(this)`, or behind the names of what AngularJS gives it.
fn bare_function(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "parenthesized_expression" => node.named_child(0).and_then(bare_function),
        "member_expression" => field(node, "object").and_then(bare_function),
        "array" => injected(node),
        kind => FUNCTIONS.contains(&kind).then_some(node),
    }
}

/// The function of `['$http', function ($http) {…}]`.
pub(crate) fn injected(array: Node<'_>) -> Option<Node<'_>> {
    let n_names = array.named_child_count().checked_sub(1)?;
    let last = u32::try_from(n_names).ok().and_then(|last| array.named_child(last))?;
    let is_function = FUNCTIONS.contains(&last.kind());
    let are_names = || named_children(array).take(n_names).all(|name| name.kind() == "string");
    (is_function && are_names()).then_some(last)
}

/// Methods that register what their second argument is under the name that their first is: those of AngularJS and Vue. Others
/// take events, routes and titles of tests.
const REGISTER: [&str; 7] =
    ["component", "controller", "directive", "factory", "filter", "provider", "service"];

/// The name that a call registers a function, class or object under, and that.
pub(crate) fn registration<'t>(call: Node<'t>, source: &'t str) -> Option<(Node<'t>, Node<'t>)> {
    let method = field(call, "function").filter(|function| function.kind() == "member_expression")?;
    let arguments = field(call, "arguments").filter(|arguments| arguments.named_child_count() == 2)?;
    let name = arguments.named_child(0).filter(|name| name.kind() == "string")?;
    let is_name = unquoted(text(name, source))
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '-'));
    let value = arguments.named_child(1).filter(|_| is_name)?;
    let registers = || {
        let method = field(method, "property").map_or("", |method| text(method, source));
        REGISTER.contains(&method)
    };
    let is_registered = match value.kind() {
        "class" => true,
        "array" => injected(value).is_some(),
        "object" | "call_expression" => registers(),
        kind => FUNCTIONS.contains(&kind) && registers(),
    };
    is_registered.then_some((name, value))
}

/// Whether one of the calls of `a.b().c().d()` registers something.
fn registers(call: Node<'_>, source: &str) -> bool {
    let mut call = Some(call);
    while let Some(current) = call.filter(|node| node.kind() == "call_expression") {
        if registration(current, source).is_some() {
            return true;
        }
        call = field(current, "function").and_then(|function| field(function, "object"));
    }
    false
}

/// The call before the last of a chain that registers something.
fn chained<'t>(member: Node<'t>, _: &'t str) -> Answer<'t> {
    field(member, "object").filter(|object| object.kind() == "call_expression").map_or(Plain, Open)
}

/// What a call of such a chain registers, or its callback.
fn registered<'t>(arguments: Node<'t>, source: &'t str) -> Answer<'t> {
    let Some(call) = arguments.parent().filter(|call| call.kind() == "call_expression") else { return Plain };
    let Some((name, value)) = registration(call, source) else { return callback(call) };
    let (kind, body) = value_kind(value, source);
    let kind = if kind == Constant { Class } else { kind };
    Defines(Definition::new(kind, name).body(body))
}

/// The function or object among arguments.
fn inner_argument(arguments: Node<'_>) -> Option<Node<'_>> {
    child_of(arguments, FUNCTIONS).or_else(|| child(arguments, "object"))
}

fn returned<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    match node.named_child(0) {
        Some(value) if value.kind() != "call_expression" => opened(value),
        _ => Plain,
    }
}

fn class_field<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    let Some(name) = field(node, "name").or_else(|| field(node, "property")) else { return Plain };
    let (kind, body) = field(node, "value").map_or((Constant, None), |value| value_kind(value, source));
    Defines(Definition::new(if kind == Function { Method } else { Constant }, name).body(body))
}

/// Methods that call a function for elements or results: what they return is no function.
const ITERATE: &[&str] = &[
    "catch",
    "every",
    "filter",
    "finally",
    "find",
    "findIndex",
    "findLast",
    "flatMap",
    "forEach",
    "from",
    "map",
    "reduce",
    "reduceRight",
    "replace",
    "replaceAll",
    "some",
    "sort",
    "then",
];

/// Whether what is called is a method that calls functions for elements or results.
pub(crate) fn iterates(function: Node<'_>, source: &str) -> bool {
    let method = field(function, "property").filter(|_| function.kind() == "member_expression");
    method.is_some_and(|method| ITERATE.contains(&text(method, source)))
}

/// Kind of what a value makes of its name, and where its members are.
fn value_kind<'t>(value: Node<'t>, source: &str) -> (crate::ChunkKind, Option<Node<'t>>) {
    match value.kind() {
        "call_expression" if field(value, "function").is_some_and(|function| iterates(function, source)) => {
            (Constant, None)
        }
        "class" => (Class, field(value, "body")),
        "object" => (Constant, Some(value)),
        "call_expression" => match field(value, "arguments").and_then(inner_argument) {
            Some(object) if object.kind() == "object" => (Constant, Some(object)),
            Some(function) => (Function, field(function, "body")),
            None => match field(value, "function").and_then(bare_function) {
                Some(function) => (Function, field(function, "body")),
                None => (Constant, None),
            },
        },
        "new_expression" => {
            let members = field(value, "arguments").and_then(|arguments| child(arguments, "object"));
            (Constant, members)
        }
        "array" => injected(value).map_or((Constant, None), |function| (Function, field(function, "body"))),
        "as_expression" | "satisfies_expression" | "parenthesized_expression" => {
            value.named_child(0).map_or((Constant, None), |inner| value_kind(inner, source))
        }
        kind if FUNCTIONS.contains(&kind) => (Function, field(value, "body")),
        _ => (Constant, None),
    }
}

/// Bare members of an enum are the only property identifiers that stand among members.
fn enum_member<'t>(node: Node<'t>, _: &'t str) -> Answer<'t> {
    Defines(Definition::new(Constant, node))
}

fn variables<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    let declarators = children(node, "variable_declarator");
    if declarators.iter().any(|d| field(*d, "value").and_then(|v| module_asked(v, source)).is_some()) {
        return Answer::Import(read_requires);
    }
    let mut found = Vec::with_capacity(declarators.len());
    for declarator in declarators {
        let Some(name) = field(declarator, "name") else { continue };
        let value = field(declarator, "value");
        let (kind, body) = value.map_or((Constant, None), |value| value_kind(value, source));
        if name.kind() == "identifier" {
            found.push(Definition::new(kind, name).body(body));
        } else {
            bound_names(name, &mut |name| found.push(Definition::new(Constant, name)));
        }
    }
    Answer::Several(found)
}

/// Names a destructuring pattern binds, one level deep.
fn bound_names<'t>(pattern: Node<'t>, found: &mut dyn FnMut(Node<'t>)) {
    let mut cursor = pattern.walk();
    for part in pattern.named_children(&mut cursor) {
        match part.kind() {
            "shorthand_property_identifier_pattern" | "identifier" => found(part),
            "pair_pattern" => {
                if let Some(value) = field(part, "value").filter(|v| v.kind() == "identifier") {
                    found(value);
                }
            }
            "assignment_pattern" | "object_assignment_pattern" => {
                if let Some(left) = field(part, "left") {
                    found(left);
                }
            }
            _ => {}
        }
    }
}

fn statement<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    let Some(expression) = node.named_child(0) else { return Plain };
    match expression.kind() {
        "assignment_expression" => assignment(expression, source),
        "internal_module" => field(expression, "name")
            .map_or(Plain, |name| Defines(Definition::new(Module, name).body(field(expression, "body")))),
        "unary_expression" => field(expression, "argument").map_or(Plain, callback),
        "call_expression" if module_asked(expression, source).is_some() => Answer::Import(read_requires),
        "call_expression" if registers(expression, source) => Open(expression),
        "call_expression" => callback(expression),
        "new_expression" => called(expression),
        "parenthesized_expression" => expression.named_child(0).map_or(Plain, callback),
        _ => Plain,
    }
}

fn assignment<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    let (Some(left), Some(mut right)) = (field(node, "left"), field(node, "right")) else { return Plain };
    while right.kind() == "assignment_expression" {
        let Some(inner) = field(right, "right") else { return Plain };
        right = inner;
    }
    let (kind, body) = value_kind(right, source);
    let left_text = text(left, source);
    if left_text == "module.exports" || left_text == "exports" {
        return match opened(right) {
            Plain => Plain,
            answer => answer,
        };
    }
    let is_exported = left_text.starts_with("exports.") || left_text.starts_with("module.exports.");
    if kind == Constant && body.is_none() && !is_exported {
        return Plain;
    }
    match left.kind() {
        "identifier" if kind != Constant => Defines(Definition::new(kind, left).body(body)),
        "member_expression" => {
            let Some(property) = field(left, "property") else { return Plain };
            let owner = field(left, "object").and_then(|object| owner(text(object, source)));
            let kind = if owner.is_some() && kind == Function { Method } else { kind };
            Defines(Definition::new(kind, property).body(body).owner(owner))
        }
        _ => Plain,
    }
}

/// `Foo` of `Foo.prototype`; nothing of `module.exports` and `this`.
fn owner(object: &str) -> Option<&str> {
    let object = object.strip_suffix(".prototype").unwrap_or(object);
    let is_name = object.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'));
    (is_name && !matches!(object, "module.exports" | "exports" | "this" | "self" | "window"))
        .then_some(object)
}

fn pair<'t>(node: Node<'t>, source: &'t str) -> Answer<'t> {
    let (Some(key), Some(value)) = (field(node, "key"), field(node, "value")) else { return Plain };
    match value_kind(value, source) {
        (Function, body) if key.kind() != "computed_property_name" => {
            Defines(Definition::new(Method, key).body(body))
        }
        (_, Some(object)) if value.kind() == "object" => Open(object),
        _ => Plain,
    }
}

/// The literal module name of `require("x")`, `import("x")` or a function that only imports.
fn module_asked<'t>(value: Node<'t>, source: &'t str) -> Option<Node<'t>> {
    let mut value = value;
    loop {
        value = match value.kind() {
            "call_expression" => {
                let function = field(value, "function")?;
                if matches!(text(function, source), "require" | "import") {
                    return child(field(value, "arguments")?, "string");
                }
                function
            }
            "await_expression" => value.named_child(0)?,
            "member_expression" => field(value, "object")?,
            _ => return None,
        };
    }
}

fn read_import(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let required = child(node, "import_require_clause");
    let target = field(node, "source").or_else(|| field(required?, "source"));
    let Some(target) = target else { return };
    let mut names = Vec::new();
    if let Some(clause) = child_of(node, &["import_clause", "export_clause"]) {
        imported_names(clause, source, &mut names);
    }
    imports.push(import_names(unquoted(text(target, source)), names, node));
}

fn imported_names<'t>(clause: Node<'_>, source: &'t str, names: &mut Vec<&'t str>) {
    let mut cursor = clause.walk();
    for part in clause.named_children(&mut cursor) {
        match part.kind() {
            "identifier" => names.push(text(part, source)),
            "named_imports" => imported_names(part, source, names),
            "import_specifier" | "export_specifier" => {
                names.extend(field(part, "name").map(|name| text(name, source)));
            }
            _ => {}
        }
    }
}

fn read_requires(node: Node<'_>, source: &str, imports: &mut Vec<Import>) {
    let declarators = children(node, "variable_declarator");
    if declarators.is_empty() {
        let asked = node.named_child(0).and_then(|value| module_asked(value, source));
        imports.extend(asked.map(|target| import(unquoted(text(target, source)), node)));
    }
    for declarator in declarators {
        let Some(target) = field(declarator, "value").and_then(|value| module_asked(value, source)) else {
            continue;
        };
        let mut found = import(unquoted(text(target, source)), node);
        found.line = line(declarator);
        if let Some(pattern) = field(declarator, "name").filter(|name| name.kind() == "object_pattern") {
            let mut cursor = pattern.walk();
            for part in pattern.named_children(&mut cursor) {
                let name = field(part, "key").unwrap_or(part);
                found.names.push(text(name, source).to_owned());
            }
        }
        imports.push(found);
    }
}

/// `import("x")` and `require("x")` with a literal, wherever they stand.
fn deep_imports(tree: &Tree, source: &str, imports: &mut Vec<Import>) {
    let known = imports.len();
    for call in ["import(", "require("] {
        for (at, _) in source.match_indices(call) {
            let Some(found) = import_at(tree, source, at) else { continue };
            let is_known =
                imports[..known].iter().any(|known| known.target == found.target && known.line == found.line);
            if !is_known {
                imports.push(found);
            }
        }
    }
    imports.sort_by_key(|import| import.line);
}

fn import_at(tree: &Tree, source: &str, at: usize) -> Option<Import> {
    let arguments = source.get(at..)?.split_once('(')?.1.trim_start();
    if !arguments.starts_with(['"', '\'', '`']) {
        return None;
    }
    let word = tree.root_node().descendant_for_byte_range(at, at + 1)?;
    let call = word.parent().filter(|call| call.kind() == "call_expression")?;
    let target = module_asked(call, source)?;
    Some(import(unquoted(text(target, source)), word))
}
