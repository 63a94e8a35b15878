//! What an editor asks for, answered from the documentation as it is now: nothing here waits.

use std::path::PathBuf;

use anyhow::{Context as _, anyhow, bail};
use craig_engine::{CodeContext, Explanation, explain_context, language};
use lsp_types::{
    CodeActionKind, CodeActionParams, Hover, HoverContents, HoverParams, Location, MarkupContent, MarkupKind,
    Position, Range, ShowDocumentParams, SymbolInformation, SymbolKind, Uri, WorkspaceSymbolParams,
};
use serde_json::{Value, json};

use super::server::Server;
use super::text::{offset, position};

pub(crate) const EXPLAIN: &str = "craig.explain";
const INDEX: &str = "craig.indexDocumentation";

/// Commands that an editor may execute.
pub(crate) const COMMANDS: &[&str] = &[EXPLAIN, INDEX];

/// Kind of our code action; other kinds change code.
pub(crate) const ACTION_KIND: CodeActionKind = CodeActionKind::new("source.craig.explain");

/// Most symbols of an answer.
const MAX_SYMBOLS: usize = 100;

/// A tooltip for a position; null where nothing is documented.
pub(super) fn hover(server: &Server, params: Value) -> anyhow::Result<Value> {
    let params: HoverParams = serde_json::from_value(params)?;
    let place = params.text_document_position_params;
    let Some(explanation) = explain(server, &place.text_document.uri, Asked::At(place.position)) else {
        return Ok(Value::Null);
    };
    let Some(value) = explanation.hover() else { return Ok(Value::Null) };
    // Two blanks at the end of a line keep it a line of its own.
    let value = value.replace('\n', "  \n");
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Ok(serde_json::to_value(Hover { contents, range: None })?)
}

/// The one action there is for every selection.
pub(super) fn code_actions(params: Value) -> anyhow::Result<Value> {
    let params: CodeActionParams = serde_json::from_value(params)?;
    let is_wanted = params
        .context
        .only
        .is_none_or(|only| only.iter().any(|kind| ACTION_KIND.as_str().starts_with(kind.as_str())));
    if !is_wanted {
        return Ok(json!([]));
    }
    let title = "Explain from the documentation";
    let arguments = json!([{ "uri": params.text_document.uri, "range": params.range }]);
    let command = json!({ "title": title, "command": EXPLAIN, "arguments": arguments });
    Ok(json!([{ "title": title, "kind": ACTION_KIND, "command": command }]))
}

pub(super) fn execute(server: &mut Server, params: Value) -> anyhow::Result<Value> {
    match params["command"].as_str().unwrap_or_default() {
        EXPLAIN => explain_selection(server, &params["arguments"][0]),
        INDEX => {
            server.refresh();
            Ok(Value::Null)
        }
        other => bail!("no command {other:?}; there are {}", COMMANDS.join(" and ")),
    }
}

/// The explanation with its Markdown; an editor that can show documents is asked to show it, too.
fn explain_selection(server: &mut Server, argument: &Value) -> anyhow::Result<Value> {
    let uri: Uri = serde_json::from_value(argument["uri"].clone()).context("the argument has no 'uri'")?;
    let range: Range =
        serde_json::from_value(argument["range"].clone()).context("the argument has no 'range'")?;
    let explanation = explain(server, &uri, Asked::Range(range)).ok_or_else(|| {
        anyhow!("the file is not open, or lies in no folder whose documentation is indexed yet")
    })?;
    let shown = explanation.citations.first().filter(|_| server.shows_documents).and_then(|cited| {
        let (folder, _) = server.folder_of(&uri)?;
        let line = cited.heading_line.saturating_sub(1);
        let uri = uri_of(&folder.path.join(&cited.file_path))?;
        Some((uri, Range::new(Position::new(line, 0), Position::new(line, 0))))
    });
    if let Some((uri, selection)) = shown {
        let params =
            ShowDocumentParams { uri, external: None, take_focus: Some(false), selection: Some(selection) };
        server.request("window/showDocument", serde_json::to_value(params)?)?;
    }
    let mut answer = serde_json::to_value(&explanation)?;
    answer["markdown"] = json!(explanation.markdown());
    Ok(answer)
}

/// Sections of the documentation by their headings, the best matches first.
pub(super) fn symbols(server: &Server, params: Value) -> anyhow::Result<Value> {
    let params: WorkspaceSymbolParams = serde_json::from_value(params)?;
    let wanted = params.query.to_lowercase();
    let mut found = Vec::new();
    for folder in &server.folders {
        for document in folder.library.iter().flat_map(|library| library.documents()) {
            for section in &document.page.sections {
                let heading = section.outline.heading.replace('`', "");
                if let Some(at) = heading.to_lowercase().find(&wanted) {
                    found.push((at, heading, folder, &document.page, &section.outline.bytes));
                }
            }
        }
    }
    found.sort_by_key(|(at, heading, ..)| (*at, heading.len()));
    let symbols: Vec<SymbolInformation> = found
        .into_iter()
        .filter_map(|(_, heading, folder, page, bytes)| {
            let uri = uri_of(&folder.path.join(&page.path))?;
            let end = page.text[..bytes.end].trim_end().len().max(bytes.start);
            let of = |byte| position(&page.text, byte, server.encoding);
            Some(symbol(heading, Location::new(uri, Range::new(of(bytes.start), of(end))), page.path.clone()))
        })
        .take(MAX_SYMBOLS)
        .collect();
    Ok(serde_json::to_value(symbols)?)
}

fn symbol(name: String, location: Location, container: String) -> SymbolInformation {
    #[expect(deprecated, reason = "the field must be given")]
    SymbolInformation {
        name,
        kind: SymbolKind::STRING,
        tags: None,
        deprecated: None,
        location,
        container_name: Some(container),
    }
}

/// What of a text is asked about.
enum Asked {
    At(Position),
    Range(Range),
}

/// Explains from an open text; none when it is not open or its folder is not indexed yet.
fn explain(server: &Server, uri: &Uri, asked: Asked) -> Option<Explanation> {
    let text = server.texts.get(uri.as_str())?;
    let (folder, path) = server.folder_of(uri)?;
    let library = folder.library.as_ref()?;
    let language = language(&path, text);
    let context = match asked {
        Asked::At(at) => CodeContext::at(&path, language, text, offset(text, at, server.encoding)),
        Asked::Range(range) if range.start == range.end => {
            CodeContext::at(&path, language, text, offset(text, range.start, server.encoding))
        }
        Asked::Range(range) => {
            // A selection that ends before the first character of a line does not touch that line.
            let ends_before = u32::from(range.end.character > 0 || range.end.line == range.start.line);
            let lines = (range.start.line as usize + 1, (range.end.line + ends_before) as usize);
            CodeContext::read(&path, language, text, Some(lines))
        }
    };
    Some(explain_context(library, &context))
}

/// The path of a `file:` address.
pub(super) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut left = path.as_bytes();
    while let Some((&first, rest)) = left.split_first() {
        let escaped = (first == b'%').then(|| rest.get(..2)).flatten();
        let code = escaped.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(code.unwrap_or(first));
        left = if code.is_some() { &rest[2..] } else { rest };
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/c:/folder` is a path of Windows.
    let is_drive = path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if is_drive { &path[1..] } else { &path[..] }))
}

/// The `file:` address of a path.
fn uri_of(path: &std::path::Path) -> Option<Uri> {
    let mut address = String::from("file://");
    let path = path.to_str()?.replace('\\', "/");
    if !path.starts_with('/') {
        address.push('/');
    }
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~:".contains(&byte) {
            address.push(char::from(byte));
        } else {
            address += &format!("%{byte:02X}");
        }
    }
    address.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_paths_agree() {
        for path in ["/a/b.js", "/with blank/é%.md"] {
            let uri = uri_of(path.as_ref()).unwrap();
            assert_eq!(path_of(&uri).unwrap(), PathBuf::from(path), "{}", uri.as_str());
        }
        assert_eq!(path_of(&"file:///c:/x".parse().unwrap()).unwrap(), PathBuf::from("c:/x"));
        assert_eq!(path_of(&"untitled:x".parse().unwrap()), None);
    }
}
