//! What stands above each documented function and class of an open text: which section it is documented in.

use std::sync::Arc;

use craig_engine::{DocumentedDefinition, documented_definitions, language};
use lsp_types::{CodeLensParams, Position, Range, Uri};
use serde_json::{Value, json};

use super::commands::{EXPLAIN, range_of};
use super::server::Server;
use super::tasks::Task;
use super::told::Done;

/// The work that answers a request for lenses; none where there are none: the folder does not want them, its documentation
/// is not shown unasked, or it is not read yet.
pub(super) fn work(
    server: &Server,
    params: Value,
) -> anyhow::Result<Option<impl FnOnce(&Task) -> anyhow::Result<Done> + Send + 'static>> {
    let params: CodeLensParams = serde_json::from_value(params)?;
    let uri = params.text_document.uri;
    let Some((folder, path)) = server.folder_of(&uri) else { return Ok(None) };
    let is_shown = folder.config.code_lens && folder.is_automatic == Some(true);
    let (true, Some(library), Some(text)) = (is_shown, &folder.library, server.texts.get(uri.as_str()))
    else {
        return Ok(None);
    };
    let (library, text) = (Arc::clone(library), text.clone());
    Ok(Some(move |task: &Task| {
        let is_wanted = || !task.cancellation.is_cancelled();
        let found = documented_definitions(&library, &path, language(&path, &text), &text, is_wanted);
        Ok(Done::Answer(found.iter().map(|one| lens(&uri, one)).collect()))
    }))
}

/// A lens above the first line of a definition, whose command explains the whole of it.
fn lens(uri: &Uri, of: &DocumentedDefinition) -> Value {
    let DocumentedDefinition { lines: (first, last), citation } = of;
    let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    let above = Position::new(line(*first).saturating_sub(1), 0);
    let heading = citation.section_heading.replace('`', "");
    let arguments = json!([{ "uri": uri, "range": range_of(line(*first), line(*last)) }]);
    json!({
        "range": Range::new(above, above),
        "command": {
            "title": format!("Documented in {} › {}", citation.file_path, heading.trim()),
            "command": EXPLAIN,
            "arguments": arguments,
        },
    })
}
