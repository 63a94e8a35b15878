//! The documentation of the symbol under the pointer.
//!
//! Shown only for a definition, or a reference that the graph of symbols binds to one, and only if the documentation is
//! certain: an unrequested tooltip must not be wrong.

use std::sync::Arc;

use craig_engine::{
    BoundSymbol, Cancellation, CodeContext, DocumentationLibrary, SymbolRequest, explain_context, language,
};
use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind, Position};
use serde_json::Value;

use super::addresses::address_in;
use super::folders::Code;
use super::messages::Done;
use super::open_text::{InProject, Name, OpenText};
use super::server::Server;
use super::tasks::Task;

/// Minimum confidence of a reference to a symbol, in percent.
const MIN_BOUND: u8 = 70;

/// The work that answers a request for a tooltip; none where nothing is to be shown unasked.
pub(super) fn work(
    server: &Server,
    params: Value,
) -> anyhow::Result<Option<impl FnOnce(&Task) -> anyhow::Result<Done> + Send + 'static>> {
    let params: HoverParams = serde_json::from_value(params)?;
    let place = params.text_document_position_params;
    let uri = place.text_document.uri;
    let folder = server.folder_of(&uri).map(|(folder, _)| folder);
    let Some(folder) = folder.filter(|folder| folder.is_automatic == Some(true)) else { return Ok(None) };
    let Some(library) = folder.library.clone() else { return Ok(None) };
    let Some(text) = OpenText::new(server, &uri) else { return Ok(None) };
    let pointed = Pointed { code: folder.code.as_ref().ok().cloned(), library, text };
    Ok(Some(move |task: &Task| {
        // An editor shows errors of hovers to people who only moved the mouse.
        let hover = pointed.hover(place.position, &task.cancellation).unwrap_or_default();
        Ok(Done::Answer(serde_json::to_value(hover)?))
    }))
}

/// The text under the pointer.
struct Pointed {
    code: Option<Code>,
    library: Arc<DocumentationLibrary>,
    text: OpenText,
}

impl Pointed {
    fn hover(&self, at: Position, cancellation: &Cancellation) -> anyhow::Result<Option<Hover>> {
        let Some(name) = self.text.name_at(at) else { return Ok(None) };
        let Some(mut context) = definition(&self.text, self.code.as_ref(), &name, cancellation)? else {
            return self.hover_of_package(&name);
        };
        distinguish(&mut context, self.code.as_ref());
        let explanation = explain_context(&self.library, &context);
        let shown =
            explanation.is_sure().then(|| explanation.hover(&|path| address_in(&self.text.folder, path)));
        Ok(shown.flatten().map(|value| self.shown(&value, &name)))
    }

    /// What the package says that a name is imported from.
    fn hover_of_package(&self, name: &Name) -> anyhow::Result<Option<Hover>> {
        let Some(code) = &self.code else { return Ok(None) };
        let (folder, importing) = (&self.text.folder, self.text.importing());
        let found = code.engine.explain_import_at(folder, importing, name.line, name.column)?;
        Ok(found.and_then(|found| found.hover()).map(|value| self.shown(&value, name)))
    }

    fn shown(&self, value: &str, name: &Name) -> Hover {
        // Two blanks at the end of a line keep it a line of its own.
        let value = value.replace('\n', "  \n");
        let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
        Hover { contents, range: Some(self.text.range_of(name)) }
    }
}

/// The definition of a name: here, or where the graph of symbols has it.
pub(super) fn definition(
    text: &OpenText,
    code: Option<&Code>,
    name: &Name,
    cancellation: &Cancellation,
) -> anyhow::Result<Option<CodeContext>> {
    let here = CodeContext::defined_at(&text.path, text.language(), &text.text, name.byte);
    let (None, Some(code)) = (&here, code) else { return Ok(here) };
    let Some(project) = InProject::open(text, code, cancellation)? else { return Ok(None) };
    let Some(bound) = project.bound(name)? else { return Ok(None) };
    let Some(path) = project.path_in_folder(&bound.path) else { return Ok(None) };
    let BoundSymbol { name, line, text, .. } = bound;
    Ok(CodeContext::of_definition(&path, language(&path, &text), &text, line, &name))
}

/// Notes what else of the project has the names of a context, as far as its code is indexed.
pub(super) fn distinguish(context: &mut CodeContext, code: Option<&Code>) {
    let definitions = code.and_then(|code| code.engine.code_definitions(&code.folder).unwrap_or_default());
    if let Some(definitions) = definitions {
        context.distinguish(&definitions);
    }
}

impl InProject<'_> {
    /// The symbol that a name refers to.
    fn bound(&self, name: &Name) -> anyhow::Result<Option<BoundSymbol>> {
        let Some(path) = self.path() else { return Ok(None) };
        let request = SymbolRequest { min_confidence: MIN_BOUND, ..self.request.clone() };
        Ok(self.engine.bound_symbol(&self.project, self.cursor(&path, name), &request)?)
    }
}
