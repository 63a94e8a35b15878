//! How an import is written.

use craig_source::Language;
use tree_sitter::Node;

use super::{Descent, walk};
use crate::grammar::{child, field, line, text, unquoted};
use crate::outline::Import;
use crate::reference::ReferenceKind;

/// The kind of an import by the node that holds it; the usual one of the language where that does not tell.
pub(super) fn reference_kind(usual: ReferenceKind, node: Node<'_>, source: &str) -> ReferenceKind {
    match node.kind() {
        "mod_item" | "part_directive" => ReferenceKind::Module,
        "use_declaration" if child(node, "visibility_modifier").is_some() => ReferenceKind::Reexport,
        "preproc_include" if child(node, "system_lib_string").is_some() => ReferenceKind::SystemInclude,
        "preproc_include" => ReferenceKind::Include,
        "import_declaration" | "using_directive" if child(node, "static").is_some() => {
            ReferenceKind::StaticImport
        }
        "import_statement" | "export_statement" if has_only_types(node, source) => ReferenceKind::TypeImport,
        "import_statement" if child(node, "import_require_clause").is_some() => ReferenceKind::Require,
        "export_statement" | "library_export" => ReferenceKind::Reexport,
        "call_expression" => call_kind(node, source),
        kind if PHP_INCLUDES.contains(&kind) => ReferenceKind::Include,
        _ => usual,
    }
}

/// `import type A from "x"`, `import { type A, type B } from "x"`, `export type { A } from "x"` of scripts, and the same with Flow's
/// `typeof`. Read from the tokens: to the grammar of JavaScript, such a statement is an error.
fn has_only_types(statement: Node<'_>, source: &str) -> bool {
    let is_script =
        field(statement, "source").is_some() || child(statement, "import_require_clause").is_some();
    let tokens = if is_script { tokens(statement, source) } else { Vec::new() };
    match tokens.as_slice() {
        ["import", "{", names @ ..] => {
            let end = names.iter().position(|token| *token == "}").unwrap_or(names.len());
            let mut names =
                names[..end].split(|token| *token == ",").filter(|name| !name.is_empty()).peekable();
            names.peek().is_some() && names.all(names_types)
        }
        ["import" | "export", names @ ..] => names_types(names),
        _ => false,
    }
}

/// Whether what is imported or exported is marked as a type; `type` may be a name itself.
fn names_types(tokens: &[&str]) -> bool {
    matches!(tokens, ["type" | "typeof", next, ..] if !matches!(*next, "as" | "from" | "," | "="))
}

/// The tokens of a node without comments.
fn tokens<'t>(node: Node<'_>, source: &'t str) -> Vec<&'t str> {
    let mut found = Vec::new();
    walk(node, |part, _| {
        let text = text(part, source);
        if part.kind() == "comment" {
            return Descent::Beside;
        }
        if part.child_count() == 0 && !text.is_empty() {
            found.push(text);
        }
        Descent::Inside
    });
    found
}

/// Whether an import of Python is read by type checkers alone: it stands under `if TYPE_CHECKING`.
pub(super) fn is_for_type_checkers(
    language: Language,
    node: Node<'_>,
    ancestors: &[Node<'_>],
    source: &str,
) -> bool {
    let is_checked = |ancestor: &Node<'_>| {
        let names_it = || {
            let condition = field(*ancestor, "condition").map(|condition| text(condition, source));
            condition.is_some_and(|text| text.rsplit('.').next() == Some("TYPE_CHECKING"))
        };
        let holds_it = || {
            field(*ancestor, "consequence").is_some_and(|body| body.byte_range().contains(&node.start_byte()))
        };
        ancestor.kind() == "if_statement" && names_it() && holds_it()
    };
    language == Language::Python && ancestors.iter().any(is_checked)
}

/// Functions of languages that execute their imports.
const FUNCTIONS: &[&str] = &[
    "anonymous_function",
    "anonymous_function_creation_expression",
    "arrow_function",
    "function",
    "function_declaration",
    "function_definition",
    "function_expression",
    "generator_function",
    "generator_function_declaration",
    "lambda",
    "method",
    "method_declaration",
    "method_definition",
    "singleton_method",
];

/// Whether an import is executed only when a function around it is called.
pub(super) fn is_in_function(ancestors: &[Node<'_>]) -> bool {
    ancestors.iter().any(|ancestor| ancestor.is_named() && FUNCTIONS.contains(&ancestor.kind()))
}

fn call_kind(call: Node<'_>, source: &str) -> ReferenceKind {
    match field(call, "function").map(|function| text(function, source)) {
        Some("import") => ReferenceKind::DynamicImport,
        _ => ReferenceKind::Require,
    }
}

fn is_script(language: Language) -> bool {
    matches!(language, Language::TypeScript | Language::Tsx | Language::JavaScript)
}

const PHP_INCLUDES: &[&str] =
    &["include_expression", "include_once_expression", "require_expression", "require_once_expression"];

/// What an expression loads: `require` and `import` calls of scripts, includes of PHP.
pub(super) fn loading(language: Language, node: Node<'_>, kind: &str, source: &str) -> Option<Import> {
    match kind {
        "call_expression" if is_script(language) => script_call(node, source),
        kind if language == Language::Php && PHP_INCLUDES.contains(&kind) => included(node, source),
        _ => None,
    }
}

/// The file of `require __DIR__ . '/x.php'`.
fn included(node: Node<'_>, source: &str) -> Option<Import> {
    let mut path = node.named_child(0)?;
    while let Some(inner) = path.named_child(0).filter(|_| path.kind() == "parenthesized_expression") {
        path = inner;
    }
    let path = field(path, "right").unwrap_or(path);
    let target = unquoted(text(path, source)).to_owned();
    let is_literal = matches!(path.kind(), "string" | "encapsed_string") && !target.contains('$');
    is_literal.then(|| Import { target, names: Vec::new(), line: line(node) })
}

/// `require("x")` and `import("x")` as a part of an expression.
fn script_call(call: Node<'_>, source: &str) -> Option<Import> {
    let function = field(call, "function")?;
    let name = text(function, source);
    let resolves = matches!(name, "require.resolve" | "require.requireActual" | "jest.requireActual");
    if !matches!(name, "require" | "import") && !resolves {
        return None;
    }
    let argument = field(call, "arguments")?.named_child(0)?;
    let is_literal = argument.kind() == "string"
        || argument.kind() == "template_string" && child(argument, "template_substitution").is_none();
    let target = unquoted(text(argument, source)).to_owned();
    is_literal.then(|| Import { target, names: Vec::new(), line: line(call) })
}

/// The name that an import gives its module.
pub(super) fn alias(language: Language, node: Node<'_>, import: &Import, source: &str) -> Option<String> {
    match node.kind() {
        "import_declaration" if language == Language::Go => {
            let list = child(node, "import_spec_list").unwrap_or(node);
            let mut cursor = list.walk();
            let spec = list.named_children(&mut cursor).find(|spec| {
                line(*spec) == import.line
                    && field(*spec, "path").is_some_and(|path| unquoted(text(path, source)) == import.target)
            })?;
            field(spec, "name").map(|name| text(name, source).to_owned())
        }
        "using_directive" => field(node, "name").map(|name| text(name, source).to_owned()),
        "extern_crate_declaration" => field(node, "alias").map(|name| text(name, source).to_owned()),
        "use_declaration" => {
            let whole = field(node, "argument").filter(|tree| tree.kind() == "use_as_clause")?;
            field(whole, "alias").map(|name| text(name, source).to_owned())
        }
        _ => None,
    }
}

/// The file of `#[path = "x.rs"] mod x;`.
pub(super) fn path_attribute(node: Node<'_>, source: &str) -> Option<String> {
    if node.kind() != "mod_item" {
        return None;
    }
    let mut before = node.prev_named_sibling();
    while let Some(attribute) = before.filter(|before| before.kind() == "attribute_item") {
        let inner = attribute.named_child(0)?;
        if inner.named_child(0).is_some_and(|name| text(name, source) == "path") {
            return field(inner, "value").map(|value| unquoted(text(value, source)).to_owned());
        }
        before = attribute.prev_named_sibling();
    }
    None
}
