//! How an import is written.

use craig_source::Language;
use tree_sitter::Node;

use super::ReferenceKind;
use crate::Import;
use crate::grammar::{child, field, line, text, unquoted};

/// The kind of an import by the node that holds it.
pub(super) fn reference_kind(language: Language, node: Node<'_>, source: &str) -> ReferenceKind {
    match node.kind() {
        "mod_item" => ReferenceKind::Module,
        "use_declaration" if child(node, "visibility_modifier").is_some() => ReferenceKind::Reexport,
        "preproc_include" if child(node, "system_lib_string").is_some() => ReferenceKind::SystemInclude,
        "preproc_include" => ReferenceKind::Include,
        "import_declaration" | "using_directive" if child(node, "static").is_some() => {
            ReferenceKind::StaticImport
        }
        "import_statement" if child(node, "type").is_some() => ReferenceKind::TypeImport,
        "import_statement" if child(node, "import_require_clause").is_some() => ReferenceKind::Require,
        "export_statement" if child(node, "type").is_some() => ReferenceKind::TypeImport,
        "export_statement" => ReferenceKind::Reexport,
        "call_expression" => call_kind(node, source),
        kind if PHP_INCLUDES.contains(&kind) => ReferenceKind::Include,
        _ if matches!(language, Language::Ruby | Language::Lua | Language::Bash) => ReferenceKind::Require,
        _ => ReferenceKind::Import,
    }
}

fn call_kind(call: Node<'_>, source: &str) -> ReferenceKind {
    match field(call, "function").map(|function| text(function, source)) {
        Some("import") => ReferenceKind::DynamicImport,
        _ => ReferenceKind::Require,
    }
}

fn is_script(language: Language) -> bool {
    use Language::{Astro, JavaScript, Svelte, Tsx, TypeScript, Vue};
    matches!(language, TypeScript | Tsx | JavaScript | Vue | Svelte | Astro)
}

const PHP_INCLUDES: &[&str] =
    &["include_expression", "include_once_expression", "require_expression", "require_once_expression"];

/// What an expression loads: `require` and `import` calls of scripts, includes of PHP.
pub(super) fn loading(language: Language, node: Node<'_>, source: &str) -> Option<Import> {
    match node.kind() {
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
pub(super) fn alias(node: Node<'_>, import: &Import, source: &str) -> Option<String> {
    match node.kind() {
        "import_declaration" => {
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
