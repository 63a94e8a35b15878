//! The folders of a workspace: each has a thread that keeps its documentation indexed, so that no request waits for it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use craig_engine::{
    Config, DocumentationLibrary, Engine, EngineError, ExplainConfig, Explainer, IndexReport, Language,
    Settings, SourceOptions, Sources, Words,
};

use super::Setup;
use super::index::{CodeIndex, IndexUpdate};
use super::messages::{FolderUpdate, WorkerMessage};
use crate::workspace::database_in;

/// Interval of checking the documentation if the editor does not report changed files. A check reads names and times.
const LOOK_EVERY: Duration = Duration::from_secs(3);

/// A folder of the workspace.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    /// Identifies this opening of the folder.
    pub(crate) opened: u64,
    /// How code of it is explained.
    pub(crate) config: ExplainConfig,
    /// Explanations in the language model's words.
    pub(crate) words: Arc<Words>,
    /// The current explainer; none until the folder has been indexed once.
    pub(crate) library: Option<Arc<DocumentationLibrary>>,
    /// Whether documentation is shown unasked; none until that is known.
    pub(crate) is_automatic: Option<bool>,
    /// Why its documentation cannot be read, if so.
    pub(crate) trouble: Option<String>,
    /// Its code; else why it cannot be searched.
    pub(crate) code: Result<Code, String>,
    /// Keeps its index; none where the code cannot be searched.
    pub(crate) index: Option<CodeIndex>,
    /// Asks the thread for something. The thread ends when this is dropped.
    wishes: Sender<Wish>,
}

/// The code of a folder, to be searched.
#[derive(Clone)]
pub(crate) struct Code {
    pub(crate) folder: PathBuf,
    /// Which of its files are tracked.
    pub(crate) options: SourceOptions,
    pub(crate) engine: Arc<Engine>,
    /// For which languages it is navigated.
    pub(crate) navigation: Navigation,
    /// Whether it is ingested as soon as it is opened, and kept up to date from then on.
    pub(crate) is_kept: bool,
}

/// Languages in which symbols are navigated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Navigation {
    All,
    Only(Vec<Language>),
}

impl Navigation {
    fn from_settings(settings: &Settings) -> Self {
        match settings.text("lsp.navigation") {
            Some("on") => Self::All,
            Some("off") => Self::Only(Vec::new()),
            _ => {
                let named = settings.texts("lsp.languages");
                Self::Only(named.iter().filter_map(|name| Language::from_id(name)).collect())
            }
        }
    }

    pub(crate) fn covers(&self, language: Language) -> bool {
        match self {
            Self::All => true,
            Self::Only(languages) => languages.contains(&language),
        }
    }
}

/// A request to the thread of a folder, the strongest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wish {
    /// Check for changes.
    Look,
    /// Bring the documentation up to date and report it.
    Refresh,
    /// The same, although it is not shown automatically.
    Activate,
}

impl Folder {
    /// Opens a folder; its threads start at once and send their updates to `messages`. With `polls`, they check for
    /// changes themselves.
    pub(crate) fn open(
        path: PathBuf,
        opened: u64,
        setup: &Setup,
        polls: bool,
        messages: &crossbeam_channel::Sender<WorkerMessage>,
    ) -> Self {
        // The session may have ended.
        let to_session = messages.clone();
        let send = move |update| drop(to_session.send(WorkerMessage::Folder { opened, update }));
        let (config, trouble) = match ExplainConfig::for_project(&setup.sources, &path) {
            Ok(config) => (config, None),
            Err(error) => (ExplainConfig::default(), Some(EngineError::from(error).to_string())),
        };
        let (wishes, asked) = mpsc::channel();
        let worker = DocumentationWorker { folder: path.clone(), config: config.clone(), polls };
        match trouble.clone() {
            None => drop(thread::spawn(move || worker.run(&asked, send))),
            Some(error) => send(FolderUpdate::Failed { error }),
        }
        let code = code_of(&path, setup);
        let to_session = messages.clone();
        let send = move |update| drop(to_session.send(WorkerMessage::Index { opened, update }));
        if let Err(error) = &code {
            send(IndexUpdate::Failed(error.clone()));
        }
        let start = |code: &Code| CodeIndex::start(code.clone(), polls && code.is_kept, send);
        let folder = Self {
            words: Arc::new(Words::new(&config)),
            index: code.as_ref().ok().map(start),
            code,
            library: None,
            is_automatic: None,
            path,
            opened,
            config,
            trouble,
            wishes,
        };
        folder.refresh();
        folder.look();
        folder
    }

    /// Whether its index is kept up to date unasked.
    pub(crate) fn is_kept(&self) -> bool {
        self.code.as_ref().is_ok_and(|code| code.is_kept)
    }

    /// Has the index of its code brought up to date, if it is kept so.
    pub(crate) fn look(&self) {
        self.index.iter().filter(|_| self.is_kept()).for_each(CodeIndex::look);
    }

    /// Requests a check of the documentation.
    pub(crate) fn refresh(&self) {
        self.wish(Wish::Refresh);
    }

    /// Requests a check of the documentation even if it is not shown automatically.
    pub(crate) fn activate(&self) {
        self.wish(Wish::Activate);
    }

    fn wish(&self, wish: Wish) {
        // The thread has ended if it could not open the folder; it has reported that.
        let _ = self.wishes.send(wish);
    }

    /// The path of a file relative to the folder, `/`-separated; none if it is outside.
    pub(crate) fn relative(&self, file: &Path) -> Option<String> {
        let parts = file.strip_prefix(&self.path).ok()?.components();
        let parts: Option<Vec<&str>> = parts.map(|part| part.as_os_str().to_str()).collect();
        Some(parts?.join("/"))
    }
}

/// The code of a folder; the folder's own settings determine which files are included.
fn code_of(folder: &Path, setup: &Setup) -> Result<Code, String> {
    let sources = Sources { project: Some(folder.to_owned()), ..setup.sources.clone() };
    let settings = Settings::resolve(&sources).map_err(|error| error.to_string())?;
    let engine = match (settings.text("lsp.database"), &setup.of_workspaces) {
        (Some("workspace"), Some(config)) => {
            let database = database_in(folder).map_err(|error| error.to_string())?;
            Arc::new(Engine::new(&Config { database: database.into(), ..config.clone() }))
        }
        _ => setup.engine.clone()?,
    };
    let navigation = Navigation::from_settings(&settings);
    let is_kept = settings.text("lsp.ingest") == Some("on_open");
    Ok(Code { folder: folder.to_owned(), options: settings.source(), engine, navigation, is_kept })
}

/// State of a folder's thread.
struct DocumentationWorker {
    folder: PathBuf,
    config: ExplainConfig,
    polls: bool,
}

impl DocumentationWorker {
    fn run(&self, asked: &Receiver<Wish>, send: impl Fn(FolderUpdate)) {
        let mut explainer: Option<Explainer> = None;
        let mut is_automatic = false;
        while let Some(wish) = self.next(asked, explainer.is_some()) {
            if !self.folder.is_dir() {
                let error = "the folder is gone: its documentation is no longer read".to_owned();
                return send(FolderUpdate::Failed { error });
            }
            if wish != Wish::Look {
                is_automatic = match self.config.activation.covers(&self.folder) {
                    Ok(is_automatic) => is_automatic,
                    Err(error) => return send(FolderUpdate::Failed { error: error.to_string() }),
                };
            }
            if explainer.is_none() && !is_automatic && wish != Wish::Activate {
                send(FolderUpdate::Inactive);
                continue;
            }
            if wish != Wish::Look {
                send(FolderUpdate::Indexing);
            }
            match self.refresh(&mut explainer) {
                Ok((_, report)) if wish == Wish::Look && !has_changes(&report) => {}
                Ok((library, report)) => send(FolderUpdate::Indexed { library, report, is_automatic }),
                Err(error) => send(FolderUpdate::Failed { error: error.to_string() }),
            }
        }
    }

    /// The next wish; several are one. None when the folder is closed.
    fn next(&self, asked: &Receiver<Wish>, is_open: bool) -> Option<Wish> {
        let first = match self.polls && is_open {
            false => asked.recv().ok()?,
            true => match asked.recv_timeout(LOOK_EVERY) {
                Ok(wish) => wish,
                Err(RecvTimeoutError::Timeout) => Wish::Look,
                Err(RecvTimeoutError::Disconnected) => return None,
            },
        };
        Some(asked.try_iter().fold(first, Wish::max))
    }

    fn refresh(
        &self,
        explainer: &mut Option<Explainer>,
    ) -> Result<(Arc<DocumentationLibrary>, IndexReport), EngineError> {
        let explainer = match explainer {
            Some(explainer) => explainer,
            none => none.insert(Explainer::open(&self.folder, &self.config)?),
        };
        let report = explainer.refresh()?;
        Ok((explainer.library(), report))
    }
}

fn has_changes(report: &IndexReport) -> bool {
    report.has_changes() || !report.notices.is_empty()
}
