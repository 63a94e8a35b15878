//! The session with an editor: its open texts, its folders, its requests and the messages of worker threads.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use craig_engine::{DOCUMENT_ENDINGS, Explained, NOT_DOCUMENTED, is_document, write_page};
use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    CancelParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams, InitializeParams,
    NumberOrString, ProgressParams, ProgressParamsValue, Uri, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressCreateParams, WorkDoneProgressEnd, WorkDoneProgressReport,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::addresses::{address_in, path_of, uri_of};
use super::capabilities::{self, Client};
use super::configuration::{Configuration, Flags};
use super::folders::Folder;
use super::messages::{Done, FolderUpdate, WorkerMessage};
use super::tasks::{Task, Tasks};
use super::text;
use super::{Setup, code_actions, commands, hover, navigation, symbols};
use crate::json::as_printed;

/// Notifies our clients of the state of documentation: `{folder, state, files, sections, skipped, notices, error}`.
const STATUS: &str = "$/craig/status";

/// Notifies them of the state of a folder's index: `{folder, state, percent, current, project, files, chunks, error}`.
const INDEX: &str = "$/craig/index";

/// Folders in which no code of a project changes: what version control and the index itself keep.
const UNWATCHED: &[&str] = &[".git", ".hg", ".svn", ".jj", craig_engine::WORKSPACE_FOLDER, "node_modules"];

/// Name of a project's settings.
const SETTINGS_FILE: &str = craig_engine::PROJECT_FILE;

/// Kinds of messages that are shown to people.
const WARNING: u8 = 2;
const INFO: u8 = 3;

/// A session.
pub(crate) struct Server {
    sender: Sender<Message>,
    messages: Sender<WorkerMessage>,
    setup: Setup,
    configuration: Configuration,
    /// The request for settings that waits for its answer, and the folders that it asks about.
    asked_settings: Option<(RequestId, Vec<PathBuf>)>,
    pub(crate) client: Client,
    pub(crate) folders: Vec<Folder>,
    /// Texts that are open, by address.
    pub(crate) texts: BTreeMap<String, String>,
    pub(crate) tasks: Tasks,
    /// Requests that are answered when a folder is indexed.
    waiting: Vec<Request>,
    /// Tokens of work whose progress is shown, by what the work is; none is used twice.
    in_progress: HashMap<String, NumberOrString>,
    n_opened: u64,
    n_asked: i32,
    /// The editor has asked us to stop: no request is answered from then on.
    is_shut_down: bool,
}

/// The response to a request.
pub(crate) enum Reply {
    /// This answer.
    Now(Value),
    /// An answer when its work is done.
    Later,
    /// An answer when the folder is indexed.
    OnceIndexed,
}

/// Answers an editor until it ends the session.
pub(crate) fn serve(connection: &Connection, setup: Setup) -> anyhow::Result<()> {
    let (id, params) =
        connection.initialize_start().map_err(|error| match error.channel_is_disconnected() {
            true => anyhow!(
                "stdin ended before an editor sent 'initialize': editors start 'craig lsp' themselves"
            ),
            false => error.into(),
        })?;
    let params: InitializeParams = serde_json::from_value(params)?;
    let (messages, received) = unbounded();
    let mut server = Server::new(connection.sender.clone(), messages, setup, &params);
    let answer = json!({
        "capabilities": capabilities::ours(server.client),
        "serverInfo": { "name": "craig", "version": env!("CARGO_PKG_VERSION") },
    });
    connection.initialize_finish(id, answer)?;
    server.configure(&params.initialization_options.clone().unwrap_or_default())?;
    folders_of(&params).into_iter().for_each(|folder| server.open_folder(folder));
    server.register()?;
    server.ask_settings()?;
    server.run(connection, &received)
}

fn folders_of(params: &InitializeParams) -> Vec<PathBuf> {
    let named = params.workspace_folders.iter().flatten().filter_map(|folder| path_of(&folder.uri));
    let mut folders: Vec<PathBuf> = named.collect();
    if folders.is_empty() {
        #[expect(deprecated, reason = "older editors send nothing else")]
        let root = params.root_uri.as_ref();
        folders.extend(root.and_then(path_of));
    }
    folders
}

impl Server {
    fn new(
        sender: Sender<Message>,
        messages: Sender<WorkerMessage>,
        setup: Setup,
        params: &InitializeParams,
    ) -> Self {
        Self {
            sender,
            tasks: Tasks::new(messages.clone()),
            messages,
            configuration: Configuration::new(setup.sources.flags.clone()),
            setup,
            asked_settings: None,
            client: Client::from_params(params),
            folders: Vec::new(),
            texts: BTreeMap::new(),
            waiting: Vec::new(),
            in_progress: HashMap::new(),
            n_opened: 0,
            n_asked: 0,
            is_shut_down: false,
        }
    }

    /// Messages are handled in order; queued ones are first checked for cancellations.
    fn run(&mut self, connection: &Connection, received: &Receiver<WorkerMessage>) -> anyhow::Result<()> {
        let mut waiting: VecDeque<Message> = VecDeque::new();
        loop {
            if waiting.is_empty() {
                select! {
                    recv(connection.receiver) -> message => match message {
                        Ok(message) => waiting.push_back(message),
                        Err(_) => return Ok(()),
                    },
                    recv(received) -> message => if let Ok(message) = message { self.handle_message(message)? },
                }
            }
            waiting.extend(connection.receiver.try_iter());
            self.cancel(&mut waiting)?;
            match waiting.pop_front() {
                Some(Message::Request(request)) if self.is_shut_down => {
                    let error = anyhow!("the server is shut down");
                    self.refuse(request.id, ErrorCode::InvalidRequest, &error)?;
                }
                Some(Message::Request(request)) if request.method == "shutdown" => {
                    self.is_shut_down = true;
                    self.send(Response::new_ok(request.id, Value::Null).into())?;
                }
                Some(Message::Request(request)) => self.answer(request)?,
                Some(Message::Notification(notification)) if notification.method == "exit" => {
                    return match self.is_shut_down {
                        true => Ok(()),
                        false => bail!("the editor ended the session without a shutdown request"),
                    };
                }
                Some(Message::Notification(notification)) => self.note(notification)?,
                Some(Message::Response(response)) => self.take_answer(response)?,
                None => {}
            }
        }
    }

    /// Answers requests that are cancelled, whether they wait or are worked on.
    fn cancel(&mut self, waiting: &mut VecDeque<Message>) -> anyhow::Result<()> {
        let ids: Vec<RequestId> = waiting.iter().filter_map(cancelled).collect();
        waiting.retain(|message| cancelled(message).is_none());
        for id in ids {
            let is_it = |message: &Message| matches!(message, Message::Request(request) if request.id == id);
            let n_before = waiting.len() + self.waiting.len();
            waiting.retain(|message| !is_it(message));
            self.waiting.retain(|request| request.id != id);
            let was_waiting = n_before > waiting.len() + self.waiting.len();
            if self.tasks.cancel(&id) || was_waiting {
                self.end_progress(&work_of(&id), String::new())?;
                let code = ErrorCode::RequestCanceled as i32;
                self.send(Response::new_err(id, code, "cancelled".to_owned()).into())?;
            }
        }
        Ok(())
    }

    fn answer(&mut self, request: Request) -> anyhow::Result<()> {
        let Request { id, method, params } = request.clone();
        let answered = match method.as_str() {
            "textDocument/hover" => hover::work(self, params).map(|work| self.started(&id, work)),
            "textDocument/codeAction" => code_actions::answer(self, params).map(Reply::Now),
            "workspace/executeCommand" => commands::execute(self, &id, &params),
            "workspace/symbol" => symbols::work(self, params).map(|work| self.started(&id, Some(work))),
            method if navigation::METHODS.contains(&method) => {
                navigation::work(self, method, params).map(|work| self.started(&id, work))
            }
            _ => {
                let code = ErrorCode::MethodNotFound as i32;
                return self.send(Response::new_err(id, code, format!("no method {method}")).into());
            }
        };
        match answered {
            Ok(Reply::Now(value)) => self.send(Response::new_ok(id, value).into()),
            Ok(Reply::Later) => Ok(()),
            Ok(Reply::OnceIndexed) => {
                self.waiting.push(request);
                Ok(())
            }
            Err(error) => self.refuse(id, ErrorCode::InvalidParams, &error),
        }
    }

    /// Starts the work of a request; where there is none, the answer is null.
    fn started(
        &mut self,
        id: &RequestId,
        work: Option<impl FnOnce(&Task) -> anyhow::Result<Done> + Send + 'static>,
    ) -> Reply {
        let Some(work) = work else { return Reply::Now(Value::Null) };
        self.tasks.start(id.clone(), work);
        Reply::Later
    }

    fn refuse(&self, id: RequestId, code: ErrorCode, error: &anyhow::Error) -> anyhow::Result<()> {
        self.send(Response::new_err(id, code as i32, format!("{error:#}")).into())
    }

    fn note(&mut self, notification: Notification) -> anyhow::Result<()> {
        let Notification { method, params } = notification;
        match method.as_str() {
            "textDocument/didOpen" => read(params).into_iter().for_each(|opened| self.open_text(opened)),
            "textDocument/didChange" => {
                read(params).into_iter().for_each(|changed| self.change_text(changed))
            }
            "textDocument/didClose" => {
                if let Some(closed) = read::<DidCloseTextDocumentParams>(params) {
                    self.texts.remove(closed.text_document.uri.as_str());
                }
            }
            "textDocument/didSave" => {
                if let Some(saved) = read::<DidSaveTextDocumentParams>(params) {
                    self.take_change(&saved.text_document.uri);
                }
            }
            "workspace/didChangeWatchedFiles" => {
                let changes = read::<DidChangeWatchedFilesParams>(params).map(|params| params.changes);
                changes.iter().flatten().for_each(|change| self.take_change(&change.uri));
            }
            "workspace/didChangeWorkspaceFolders" => {
                read(params).into_iter().for_each(|changed| self.change_folders(changed));
                self.ask_settings()?;
            }
            "workspace/didChangeConfiguration" => {
                // Other servers' settings may come along.
                let given = &params["settings"]["craig"];
                if !given.is_null() {
                    self.configure(given)?;
                }
                self.ask_settings()?;
            }
            _ => {}
        }
        Ok(())
    }

    fn open_text(&mut self, opened: DidOpenTextDocumentParams) {
        self.texts.insert(opened.text_document.uri.as_str().to_owned(), opened.text_document.text);
    }

    fn change_text(&mut self, changed: DidChangeTextDocumentParams) {
        let encoding = self.client.encoding;
        let Some(open) = self.texts.get_mut(changed.text_document.uri.as_str()) else { return };
        changed.content_changes.into_iter().for_each(|change| text::apply(open, change, encoding));
    }

    fn change_folders(&mut self, changed: DidChangeWorkspaceFoldersParams) {
        let gone: Vec<PathBuf> =
            changed.event.removed.iter().filter_map(|folder| path_of(&folder.uri)).collect();
        self.folders.retain(|folder| !gone.contains(&folder.path));
        let added = changed.event.added.iter().filter_map(|folder| path_of(&folder.uri));
        added.for_each(|folder| self.open_folder(folder));
    }

    /// A file was saved, made or removed: it may be documentation, or the settings of a folder.
    fn take_change(&mut self, uri: &Uri) {
        let Some(path) = path_of(uri) else { return };
        let is_unwatched = |part: &std::ffi::OsStr| UNWATCHED.iter().any(|name| part == *name);
        if !path.iter().any(is_unwatched) {
            self.folders.iter().filter(|folder| path.starts_with(&folder.path)).for_each(Folder::look);
        }
        if path.file_name().is_some_and(|name| name == SETTINGS_FILE) {
            self.reopen_folders(|folder| path.parent() == Some(folder));
        } else if is_document(&path) {
            self.folders.iter().filter(|folder| path.starts_with(&folder.path)).for_each(Folder::refresh);
        }
    }

    /// Applies the editor's settings of all folders. A setting that the editor may not set is reported, and nothing of
    /// it counts.
    fn configure(&mut self, given: &Value) -> anyhow::Result<()> {
        self.reconfigure(|configuration| configuration.set(given))
    }

    /// Changes settings; folders whose settings change are reopened.
    fn reconfigure(
        &mut self,
        change: impl FnOnce(&mut Configuration) -> Result<(), String>,
    ) -> anyhow::Result<()> {
        let paths = self.folders.iter().map(|folder| folder.path.clone());
        let before: Vec<(PathBuf, Flags)> =
            paths.map(|path| (path.clone(), self.configuration.for_folder(&path))).collect();
        if let Err(error) = change(&mut self.configuration) {
            return self.show_message(WARNING, &error);
        }
        let changed =
            before.into_iter().filter(|(path, flags)| *flags != self.configuration.for_folder(path));
        let changed: Vec<PathBuf> = changed.map(|(path, _)| path).collect();
        self.reopen_folders(|folder| changed.iter().any(|path| path == folder));
        Ok(())
    }

    /// Asks the editor for the settings of each folder, where it can say them. Folders are not kept waiting for the answer: one
    /// that never comes would leave them closed.
    fn ask_settings(&mut self) -> anyhow::Result<()> {
        if !self.client.says_settings || self.folders.is_empty() {
            return Ok(());
        }
        let folders: Vec<PathBuf> = self.folders.iter().map(|folder| folder.path.clone()).collect();
        let item = |folder: &PathBuf| json!({ "scopeUri": uri_of(folder), "section": "craig" });
        let items: Vec<Value> = folders.iter().map(item).collect();
        let id = self.request("workspace/configuration", json!({ "items": items }))?;
        self.asked_settings = Some((id, folders));
        Ok(())
    }

    /// Handles a response of the editor: only the one to the last request for settings changes anything.
    fn take_answer(&mut self, response: Response) -> anyhow::Result<()> {
        let Some((_, folders)) = self.asked_settings.take_if(|(id, _)| *id == response.id) else {
            return Ok(());
        };
        // An editor that fails to say its settings leaves those that hold.
        let Ok(Value::Array(settings)) = response.response_result else { return Ok(()) };
        for (folder, given) in folders.iter().zip(&settings) {
            self.reconfigure(|configuration| configuration.set_of(folder, given))?;
        }
        Ok(())
    }

    /// Asks the editor to report changes of documents and settings, if it can.
    fn register(&mut self) -> anyhow::Result<()> {
        let globs = match self.folders.iter().any(Folder::is_kept) {
            true => vec!["**/*".to_owned()],
            false => vec![format!("**/*.{{{}}}", DOCUMENT_ENDINGS.join(",")), "**/.craig.toml".to_owned()],
        };
        let watchers: Vec<Value> = globs.iter().map(|glob| json!({ "globPattern": glob })).collect();
        let files = json!({
            "id": "craig/documentation", "method": "workspace/didChangeWatchedFiles",
            "registerOptions": { "watchers": watchers },
        });
        let settings = json!({
            "id": "craig/settings", "method": "workspace/didChangeConfiguration",
            "registerOptions": { "section": "craig" },
        });
        let wanted = [(self.client.watches_files, files), (self.client.announces_settings, settings)];
        let registrations: Vec<Value> =
            wanted.into_iter().filter(|(can, _)| *can).map(|(_, registration)| registration).collect();
        if registrations.is_empty() {
            return Ok(());
        }
        self.request("client/registerCapability", json!({ "registrations": registrations })).map(drop)
    }

    fn open_folder(&mut self, path: PathBuf) {
        self.n_opened += 1;
        self.setup.sources.flags = self.configuration.for_folder(&path);
        let polls = !self.client.watches_files;
        self.folders.push(Folder::open(path, self.n_opened, &self.setup, polls, &self.messages));
    }

    /// Reopens folders with the current settings.
    fn reopen_folders(&mut self, which: impl Fn(&Path) -> bool) {
        let (old, kept) =
            std::mem::take(&mut self.folders).into_iter().partition(|folder| which(&folder.path));
        self.folders = kept;
        let old: Vec<Folder> = old;
        old.into_iter().for_each(|folder| self.open_folder(folder.path));
    }

    /// Handles a message of a worker thread.
    fn handle_message(&mut self, message: WorkerMessage) -> anyhow::Result<()> {
        match message {
            WorkerMessage::Folder { opened, update } => self.handle_update(opened, update),
            WorkerMessage::Index { opened, update } => {
                let own = self.folders.iter().find(|own| own.opened == opened);
                let Some(folder) = own.map(|own| own.path.clone()) else { return Ok(()) };
                let mut state = update.to_json();
                state["folder"] = json!(folder);
                self.notify(INDEX, state)
            }
            WorkerMessage::Progress { id, message, percentage } => match self.tasks.is_running(&id) {
                true => self.show_progress(&work_of(&id), "Reading code", message, percentage),
                false => Ok(()),
            },
            WorkerMessage::Done { id, result } => {
                // A cancelled request has already been answered.
                if !self.tasks.finish(&id) {
                    return Ok(());
                }
                self.end_progress(&work_of(&id), String::new())?;
                let answer = result.and_then(|done| match done {
                    Done::Answer(value) => Ok(value),
                    Done::Explanation { uri, folder, explained, is_shown } => {
                        if is_shown {
                            self.show_explanation(&folder, &explained)?;
                        }
                        self.explained(&uri, &folder, &explained)
                    }
                });
                match answer {
                    Ok(value) => self.send(Response::new_ok(id, value).into()),
                    Err(error) => self.refuse(id, ErrorCode::RequestFailed, &error),
                }
            }
        }
    }

    /// Records the state of a folder, passes it on, and answers the requests that waited for it.
    fn handle_update(&mut self, opened: u64, update: FolderUpdate) -> anyhow::Result<()> {
        // An update of a folder that has been closed since is obsolete.
        let Some(own) = self.folders.iter_mut().find(|own| own.opened == opened) else { return Ok(()) };
        let folder = own.path.clone();
        let reading = documentation_of(&folder);
        match update {
            FolderUpdate::Indexing => {
                self.show_progress(&reading, "Reading documentation", String::new(), 0)?;
                return self.status(json!({ "folder": folder, "state": "indexing" }));
            }
            FolderUpdate::Indexed { library, report, is_automatic } => {
                own.library = Some(library);
                own.is_automatic = Some(is_automatic);
                own.trouble = None;
                self.end_progress(&reading, format!("{} sections", report.sections))?;
                let mut status = serde_json::to_value(&report)?;
                status["folder"] = json!(folder);
                status["state"] = json!("ready");
                self.status(status)?;
            }
            FolderUpdate::Inactive => {
                own.is_automatic = Some(false);
                self.status(json!({ "folder": folder, "state": "inactive" }))?;
            }
            FolderUpdate::Failed { error } => {
                own.trouble = Some(error.clone());
                self.end_progress(&reading, error.clone())?;
                self.status(json!({ "folder": folder, "state": "failed", "error": error }))?;
                self.show_message(WARNING, &format!("{}: {error}", folder.display()))?;
            }
        }
        std::mem::take(&mut self.waiting).into_iter().try_for_each(|request| self.answer(request))
    }

    /// Shows an explanation: people look at their editor, not at the answers of commands.
    fn show_explanation(&mut self, folder: &Path, explained: &Explained) -> anyhow::Result<()> {
        let explanation = &explained.explanation;
        let is_shown =
            explanation.has_relevant_docs || explanation.comment.is_some() || !explained.packages.is_empty();
        let shown = match is_shown && self.client.shows_documents {
            true => {
                let markdown = explained.markdown(&|path| address_in(folder, path));
                write_page(folder, &markdown).and_then(|page| uri_of(&page))
            }
            false => None,
        };
        match shown {
            Some(page) => {
                let params = json!({ "uri": page, "external": false, "takeFocus": false });
                self.request("window/showDocument", params).map(drop)
            }
            None => {
                let hover = explanation.hover(&|_| None);
                self.show_message(INFO, &hover.unwrap_or_else(|| NOT_DOCUMENTED.to_owned()))
            }
        }
    }

    /// An explanation as the answer of a command, with its Markdown.
    fn explained(&self, uri: &Uri, folder: &Path, explained: &Explained) -> anyhow::Result<Value> {
        let mut answer = as_printed(explained)?;
        answer["markdown"] = json!(explained.markdown(&|path| address_in(folder, path)));
        answer["uri"] = json!(uri);
        answer["folder"] = json!(uri_of(folder));
        Ok(answer)
    }

    fn status(&self, status: Value) -> anyhow::Result<()> {
        self.notify(STATUS, status)
    }

    fn show_message(&self, kind: u8, message: &str) -> anyhow::Result<()> {
        self.notify("window/showMessage", json!({ "type": kind, "message": message }))
    }

    /// Shows how far some `work` is, where the editor can.
    fn show_progress(
        &mut self,
        work: &str,
        title: &str,
        message: String,
        percentage: u32,
    ) -> anyhow::Result<()> {
        if !self.client.shows_progress {
            return Ok(());
        }
        if let Some(token) = self.in_progress.get(work).cloned() {
            let (message, percentage) = (Some(message), Some(percentage));
            let report = WorkDoneProgressReport { message, percentage, cancellable: None };
            return self.progress(token, WorkDoneProgress::Report(report));
        }
        let token = NumberOrString::String(format!("{work}/{}", self.n_asked));
        self.in_progress.insert(work.to_owned(), token.clone());
        let params = WorkDoneProgressCreateParams { token: token.clone() };
        self.request("window/workDoneProgress/create", json!(params))?;
        let begin = WorkDoneProgressBegin { title: title.to_owned(), ..WorkDoneProgressBegin::default() };
        self.progress(token, WorkDoneProgress::Begin(begin))
    }

    fn end_progress(&mut self, work: &str, message: String) -> anyhow::Result<()> {
        let Some(token) = self.in_progress.remove(work) else { return Ok(()) };
        let message = Some(message).filter(|message| !message.is_empty());
        self.progress(token, WorkDoneProgress::End(WorkDoneProgressEnd { message }))
    }

    fn progress(&self, token: NumberOrString, value: WorkDoneProgress) -> anyhow::Result<()> {
        let params = ProgressParams { token, value: ProgressParamsValue::WorkDone(value) };
        self.notify("$/progress", serde_json::to_value(params)?)
    }

    /// Asks the editor for something; gives the id that its answer will have.
    fn request(&mut self, method: &str, params: Value) -> anyhow::Result<RequestId> {
        self.n_asked += 1;
        let id = RequestId::from(format!("craig-{}", self.n_asked));
        self.send(Request::new(id.clone(), method.to_owned(), params).into())?;
        Ok(id)
    }

    fn notify(&self, method: &str, params: Value) -> anyhow::Result<()> {
        self.send(Notification::new(method.to_owned(), params).into())
    }

    fn send(&self, message: Message) -> anyhow::Result<()> {
        Ok(self.sender.send(message)?)
    }

    /// The folder that holds a file most closely, and the file's path in it.
    pub(crate) fn folder_of(&self, uri: &Uri) -> Option<(&Folder, String)> {
        let path = path_of(uri)?;
        let holding = self.folders.iter().filter_map(|folder| Some((folder, folder.relative(&path)?)));
        holding.max_by_key(|(folder, _)| folder.path.components().count())
    }
}

/// The request that a message cancels.
fn cancelled(message: &Message) -> Option<RequestId> {
    let Message::Notification(notification) = message else { return None };
    if notification.method != "$/cancelRequest" {
        return None;
    }
    let params: CancelParams = serde_json::from_value(notification.params.clone()).ok()?;
    Some(match params.id {
        NumberOrString::Number(id) => id.into(),
        NumberOrString::String(id) => id.into(),
    })
}

/// The parameters of a notification; unknown notifications are ignored.
fn read<T: DeserializeOwned>(params: Value) -> Option<T> {
    serde_json::from_value(params).ok()
}

fn documentation_of(folder: &Path) -> String {
    format!("craig/documentation/{}", folder.display())
}

fn work_of(id: &RequestId) -> String {
    format!("craig/work/{id}")
}
