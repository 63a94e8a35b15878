//! The session with an editor: its capabilities, its open texts, what it asks for.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    CancelParams, CodeActionOptions, CodeActionProviderCapability, DidChangeTextDocumentParams,
    DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    ExecuteCommandOptions, HoverProviderCapability, InitializeParams, NumberOrString, OneOf, ProgressParams,
    ProgressParamsValue, SaveOptions, ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, Uri, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressCreateParams,
    WorkDoneProgressEnd, WorkDoneProgressOptions, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};
use serde_json::{Value, json};

use super::folders::{Folder, Told};
use super::requests::{self, COMMANDS};
use super::text::{self, Encoding};

/// Tells clients of ours how documentation stands: `{folder, state, files, sections, skipped, notices, error}`.
const STATUS: &str = "$/craig/status";

/// A session.
pub(crate) struct Server {
    sender: Sender<Message>,
    told: Sender<Told>,
    pub(crate) encoding: Encoding,
    pub(crate) folders: Vec<Folder>,
    /// Texts that are open, by address.
    pub(crate) texts: BTreeMap<String, String>,
    pub(crate) shows_documents: bool,
    shows_progress: bool,
    n_asked: i32,
}

/// Answers an editor until it ends the session.
pub(crate) fn serve(connection: &Connection) -> anyhow::Result<()> {
    let (id, params) = connection.initialize_start()?;
    let params: InitializeParams = serde_json::from_value(params)?;
    let (told, heard) = unbounded();
    let mut server = Server::new(connection.sender.clone(), told, &params);
    let answer = json!({
        "capabilities": server.capabilities(),
        "serverInfo": { "name": "craig", "version": env!("CARGO_PKG_VERSION") },
    });
    connection.initialize_finish(id, answer)?;
    folders_of(&params).into_iter().for_each(|folder| server.open_folder(folder));
    server.run(connection, &heard)
}

fn folders_of(params: &InitializeParams) -> Vec<PathBuf> {
    let named = params.workspace_folders.iter().flatten().filter_map(|folder| requests::path_of(&folder.uri));
    let mut folders: Vec<PathBuf> = named.collect();
    if folders.is_empty() {
        #[expect(deprecated, reason = "older editors send nothing else")]
        let root = params.root_uri.as_ref();
        folders.extend(root.and_then(requests::path_of));
    }
    folders
}

impl Server {
    fn new(sender: Sender<Message>, told: Sender<Told>, params: &InitializeParams) -> Self {
        let general = params.capabilities.general.as_ref();
        let offered = general.and_then(|general| general.position_encodings.clone()).unwrap_or_default();
        let window = params.capabilities.window.as_ref();
        Self {
            sender,
            told,
            encoding: Encoding::agreed(&offered),
            folders: Vec::new(),
            texts: BTreeMap::new(),
            shows_documents: window.and_then(|w| w.show_document.as_ref()).is_some_and(|show| show.support),
            shows_progress: window.and_then(|w| w.work_done_progress).unwrap_or_default(),
            n_asked: 0,
        }
    }

    fn capabilities(&self) -> ServerCapabilities {
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
            position_encoding: Some(self.encoding.kind()),
            text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
                code_action_kinds: Some(vec![requests::ACTION_KIND]),
                ..CodeActionOptions::default()
            })),
            execute_command_provider: Some(ExecuteCommandOptions {
                commands: COMMANDS.iter().map(|name| (*name).to_owned()).collect(),
                work_done_progress_options: WorkDoneProgressOptions::default(),
            }),
            workspace_symbol_provider: Some(OneOf::Left(true)),
            workspace: Some(WorkspaceServerCapabilities {
                workspace_folders: Some(folders),
                file_operations: None,
            }),
            ..ServerCapabilities::default()
        }
    }

    /// Messages are taken as they come; what waits already is looked at first for what it cancels.
    fn run(&mut self, connection: &Connection, heard: &Receiver<Told>) -> anyhow::Result<()> {
        let mut waiting: VecDeque<Message> = VecDeque::new();
        loop {
            if waiting.is_empty() {
                select! {
                    recv(connection.receiver) -> message => match message {
                        Ok(message) => waiting.push_back(message),
                        Err(_) => return Ok(()),
                    },
                    recv(heard) -> told => if let Ok(told) = told { self.hear(told)? },
                }
            }
            waiting.extend(connection.receiver.try_iter());
            self.cancel(&mut waiting)?;
            match waiting.pop_front() {
                Some(Message::Request(request)) => {
                    if connection.handle_shutdown(&request)? {
                        return Ok(());
                    }
                    self.answer(request)?;
                }
                Some(Message::Notification(notification)) => self.note(notification)?,
                Some(Message::Response(_)) | None => {}
            }
        }
    }

    /// Answers requests that wait and are cancelled by what waits behind them.
    fn cancel(&mut self, waiting: &mut VecDeque<Message>) -> anyhow::Result<()> {
        let cancelled = |message: &Message| -> Option<RequestId> {
            let Message::Notification(notification) = message else { return None };
            if notification.method != "$/cancelRequest" {
                return None;
            }
            let params: CancelParams = serde_json::from_value(notification.params.clone()).ok()?;
            Some(match params.id {
                NumberOrString::Number(id) => id.into(),
                NumberOrString::String(id) => id.into(),
            })
        };
        let ids: Vec<RequestId> = waiting.iter().filter_map(cancelled).collect();
        for id in ids {
            let is_it = |message: &Message| matches!(message, Message::Request(request) if request.id == id);
            if waiting.iter().any(is_it) {
                waiting.retain(|message| !is_it(message));
                let code = ErrorCode::RequestCanceled as i32;
                self.send(Response::new_err(id, code, "cancelled".to_owned()).into())?;
            }
        }
        Ok(())
    }

    fn answer(&mut self, request: Request) -> anyhow::Result<()> {
        let Request { id, method, params } = request;
        let answered = match method.as_str() {
            "textDocument/hover" => requests::hover(self, params),
            "textDocument/codeAction" => requests::code_actions(params),
            "workspace/executeCommand" => requests::execute(self, params),
            "workspace/symbol" => requests::symbols(self, params),
            _ => {
                let code = ErrorCode::MethodNotFound as i32;
                return self.send(Response::new_err(id, code, format!("no method {method}")).into());
            }
        };
        let response = match answered {
            Ok(value) => Response::new_ok(id, value),
            // An editor shows errors of hovers to people who only moved the mouse.
            Err(_) if method == "textDocument/hover" => Response::new_ok(id, Value::Null),
            Err(error) => Response::new_err(id, ErrorCode::InvalidParams as i32, error.to_string()),
        };
        self.send(response.into())
    }

    fn note(&mut self, notification: Notification) -> anyhow::Result<()> {
        let Notification { method, params } = notification;
        match method.as_str() {
            "textDocument/didOpen" => {
                if let Ok(opened) = serde_json::from_value::<DidOpenTextDocumentParams>(params) {
                    self.texts
                        .insert(opened.text_document.uri.as_str().to_owned(), opened.text_document.text);
                }
            }
            "textDocument/didChange" => {
                if let Ok(changed) = serde_json::from_value::<DidChangeTextDocumentParams>(params)
                    && let Some(open) = self.texts.get_mut(changed.text_document.uri.as_str())
                {
                    changed
                        .content_changes
                        .into_iter()
                        .for_each(|change| text::apply(open, change, self.encoding));
                }
            }
            "textDocument/didClose" => {
                if let Ok(closed) = serde_json::from_value::<DidCloseTextDocumentParams>(params) {
                    self.texts.remove(closed.text_document.uri.as_str());
                }
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles"
                if params.to_string().contains(".md") =>
            {
                self.refresh();
            }
            "workspace/didChangeWorkspaceFolders" => {
                if let Ok(changed) = serde_json::from_value::<DidChangeWorkspaceFoldersParams>(params) {
                    let gone: Vec<PathBuf> = changed
                        .event
                        .removed
                        .iter()
                        .filter_map(|folder| requests::path_of(&folder.uri))
                        .collect();
                    self.folders.retain(|folder| !gone.contains(&folder.path));
                    let added =
                        changed.event.added.iter().filter_map(|folder| requests::path_of(&folder.uri));
                    added.for_each(|folder| self.open_folder(folder));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn open_folder(&mut self, path: PathBuf) {
        let told = self.told.clone();
        self.folders.push(Folder::open(path, move |what| drop(told.send(what))));
    }

    /// Has the documentation of all folders looked at again.
    pub(crate) fn refresh(&self) {
        self.folders.iter().for_each(Folder::refresh);
    }

    /// Takes in what the thread of a folder tells, and passes it on.
    fn hear(&mut self, told: Told) -> anyhow::Result<()> {
        match told {
            Told::Indexing { folder } => {
                self.begin_progress(&folder)?;
                self.status(json!({ "folder": folder, "state": "indexing" }))
            }
            Told::Indexed { folder, library, report } => {
                if let Some(own) = self.folders.iter_mut().find(|own| own.path == folder) {
                    own.library = Some(library);
                }
                self.end_progress(&folder, format!("{} sections", report.sections))?;
                let mut status = serde_json::to_value(&report)?;
                status["folder"] = json!(folder);
                status["state"] = json!("ready");
                self.status(status)
            }
            Told::Failed { folder, error } => {
                self.end_progress(&folder, error.clone())?;
                self.status(json!({ "folder": folder, "state": "failed", "error": error }))
            }
        }
    }

    fn status(&self, status: Value) -> anyhow::Result<()> {
        self.notify(STATUS, status)
    }

    fn begin_progress(&mut self, folder: &std::path::Path) -> anyhow::Result<()> {
        if !self.shows_progress {
            return Ok(());
        }
        let token = progress_token(folder);
        self.request(
            "window/workDoneProgress/create",
            json!(WorkDoneProgressCreateParams { token: token.clone() }),
        )?;
        let begin = WorkDoneProgressBegin {
            title: "Reading documentation".to_owned(),
            ..WorkDoneProgressBegin::default()
        };
        self.progress(token, WorkDoneProgress::Begin(begin))
    }

    fn end_progress(&mut self, folder: &std::path::Path, message: String) -> anyhow::Result<()> {
        if !self.shows_progress {
            return Ok(());
        }
        self.progress(
            progress_token(folder),
            WorkDoneProgress::End(WorkDoneProgressEnd { message: Some(message) }),
        )
    }

    fn progress(&self, token: NumberOrString, value: WorkDoneProgress) -> anyhow::Result<()> {
        let params = ProgressParams { token, value: ProgressParamsValue::WorkDone(value) };
        self.notify("$/progress", serde_json::to_value(params)?)
    }

    /// Asks the editor for something; its answer changes nothing.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> anyhow::Result<()> {
        self.n_asked += 1;
        self.send(Request::new(format!("craig-{}", self.n_asked).into(), method.to_owned(), params).into())
    }

    fn notify(&self, method: &str, params: Value) -> anyhow::Result<()> {
        self.send(Notification::new(method.to_owned(), params).into())
    }

    fn send(&self, message: Message) -> anyhow::Result<()> {
        Ok(self.sender.send(message)?)
    }

    /// The folder that holds a file most closely.
    pub(crate) fn folder_of(&self, uri: &Uri) -> Option<(&Folder, String)> {
        let path = requests::path_of(uri)?;
        let holding = self.folders.iter().filter_map(|folder| Some((folder, folder.relative(&path)?)));
        holding.max_by_key(|(folder, _)| folder.path.components().count())
    }
}

fn progress_token(folder: &std::path::Path) -> NumberOrString {
    NumberOrString::String(format!("craig/documentation/{}", folder.display()))
}
