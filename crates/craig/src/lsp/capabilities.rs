//! Capabilities of the editor and of the server.

use lsp_types::{
    CallHierarchyServerCapability, CodeActionOptions, CodeActionProviderCapability, ExecuteCommandOptions,
    HoverProviderCapability, ImplementationProviderCapability, InitializeParams, OneOf, SaveOptions,
    ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    WorkDoneProgressOptions, WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

use super::code_actions::ACTION_KIND;
use super::commands::COMMANDS;
use super::text::Encoding;

/// Capabilities of the editor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client {
    /// Unit of columns.
    pub(crate) encoding: Encoding,
    /// Shows a file when it is asked to.
    pub(crate) shows_documents: bool,
    /// Shows how far work is.
    pub(crate) shows_progress: bool,
    /// Reports changed files when asked to.
    pub(crate) watches_files: bool,
    /// Returns its settings on request.
    pub(crate) says_settings: bool,
    /// Reports changed settings only after registration.
    pub(crate) announces_settings: bool,
    /// Takes code actions; others take commands in their place.
    pub(crate) takes_code_actions: bool,
}

impl Client {
    pub(crate) fn from_params(params: &InitializeParams) -> Self {
        let general = params.capabilities.general.as_ref();
        let offered = general.and_then(|general| general.position_encodings.clone()).unwrap_or_default();
        let window = params.capabilities.window.as_ref();
        let workspace = params.capabilities.workspace.as_ref();
        let watched = workspace.and_then(|workspace| workspace.did_change_watched_files.as_ref());
        Self {
            encoding: Encoding::agreed(&offered),
            shows_documents: window.and_then(|w| w.show_document.as_ref()).is_some_and(|show| show.support),
            shows_progress: window.and_then(|w| w.work_done_progress).unwrap_or_default(),
            watches_files: watched.and_then(|watched| watched.dynamic_registration).unwrap_or_default(),
            says_settings: workspace.and_then(|w| w.configuration).unwrap_or_default(),
            takes_code_actions: params
                .capabilities
                .text_document
                .as_ref()
                .and_then(|text| text.code_action.as_ref()?.code_action_literal_support.as_ref())
                .is_some(),
            announces_settings: workspace
                .and_then(|w| w.did_change_configuration.as_ref()?.dynamic_registration)
                .unwrap_or_default(),
        }
    }
}

/// Capabilities of the server.
pub(crate) fn ours(client: Client) -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(SaveOptions { include_text: Some(false) }.into()),
        ..TextDocumentSyncOptions::default()
    };
    let folders = WorkspaceFoldersServerCapabilities {
        supported: Some(true),
        change_notifications: Some(OneOf::Left(true)),
    };
    ServerCapabilities {
        position_encoding: Some(client.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        code_action_provider: Some(match client.takes_code_actions {
            true => CodeActionProviderCapability::Options(CodeActionOptions {
                code_action_kinds: Some(vec![ACTION_KIND]),
                ..CodeActionOptions::default()
            }),
            false => CodeActionProviderCapability::Simple(true),
        }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: COMMANDS.iter().map(|name| (*name).to_owned()).collect(),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        implementation_provider: Some(ImplementationProviderCapability::Simple(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        call_hierarchy_provider: Some(CallHierarchyServerCapability::Simple(true)),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(folders),
            file_operations: None,
        }),
        ..ServerCapabilities::default()
    }
}
