//! The MCP server: its capabilities, and which module handles what.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use axum::http::request::Parts;
use craig_engine::{
    Engine, EngineError, ExplainConfig, Explainer, GitOrigin, IndexReport, Reach, shell_word,
};
use craig_gateway::Guest;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams,
    CompleteRequestParams, CompleteResult, CompletionInfo, GetPromptRequestParams, GetPromptResponse,
    GetTaskParams, GetTaskResult, Implementation, InputRequiredResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::task_manager::TaskManager;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::engine_calls::EngineCalls;
use super::failure::Failure;
use super::freshness::{Refreshes, State};
use super::jobs::Jobs;
use super::sources::{self, Permissions, Source};
use super::tools::{self, Abilities, Caller, Offered, Toolset};
use super::tracing::{TracedCall, Tracing};
use super::workspace::{Workspace, asks_by_answer};
use super::{Settings, prompts, resources, uri};

/// Instructions for the model on which tool to use when, for all tools and for some.
const INSTRUCTIONS: &str = include_str!("instructions.md");
const SHORT_INSTRUCTIONS: &str = include_str!("instructions.core.md");

/// How long clients may cache lists that never change, in milliseconds.
const LISTS_TTL_MS: u64 = 3_600_000;

/// A server, for one client or many.
#[derive(Clone)]
pub(crate) struct Server {
    shared: Arc<Shared>,
}

/// State shared by the requests of one client; everything except the workspace is shared by all clients.
#[derive(Clone)]
pub(super) struct Shared {
    /// Workspace of the assistant.
    pub(super) workspace: Arc<Workspace>,
    /// The project that the client named for calls that name none.
    named_project: Option<String>,
    /// Abilities of the server.
    pub(super) abilities: Abilities,
    /// Its tools.
    pub(super) tools: Offered,
    settings: Arc<Settings>,
    /// Calls that read.
    pub(super) calls: Arc<EngineCalls>,
    /// Explanations, which may wait long for the index of a documentation: no other call is to wait behind them.
    explanations: Arc<EngineCalls>,
    /// Subprocesses that write.
    pub(super) jobs: Arc<Jobs>,
    /// The same, for clients that know tasks.
    pub(super) tasks: TaskManager,
    refreshes: Option<Arc<Refreshes>>,
    tracing: Tracing,
}

/// Whether the name of a project is a path, or a URI of one.
pub(super) fn is_path(name: &str) -> bool {
    let first = Path::new(name).components().next();
    let is_relative = matches!(first, Some(Component::CurDir | Component::ParentDir));
    is_relative || Path::new(name).is_absolute() || uri::is_file(name)
}

/// The URL of a repository that no assistant named.
fn ingested_by_the_user(origin: GitOrigin) -> Option<String> {
    (origin.reach == Reach::Anywhere).then_some(origin.url)
}

/// A path relative to `root`, if it is inside.
fn inside(root: &Path, path: &Path) -> Option<String> {
    let below = |path: &Path| {
        let parts: Option<Vec<&str>> =
            path.strip_prefix(root).ok()?.components().map(|part| part.as_os_str().to_str()).collect();
        parts.map(|parts| parts.join("/"))
    };
    // The root may have been reached through a link.
    below(&sources::without_dots(path)).or_else(|| below(&path.canonicalize().ok()?))
}

impl Shared {
    /// Runs some work with an engine.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Engine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Failure> {
        self.calls.run(|engine| work(engine)).await
    }

    /// Explains from the documentation of the project at `root`, a canonical path, as its files are now. Settings of the project count.
    pub(super) async fn explain<T: Send + 'static>(
        &self,
        root: PathBuf,
        work: impl FnOnce(&Engine, &Explainer) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<(T, IndexReport), Failure> {
        let (settings, abilities) = (Arc::clone(&self.settings), self.abilities);
        let open = move |root: &Path| {
            let config = ExplainConfig::for_project(&settings.sources, root)?;
            let explainer = match abilities {
                Abilities::All => Explainer::open(root, &config)?,
                Abilities::ReadOnly => Explainer::open_in_memory(root, &config)?,
            };
            // A link may have taken its place since it was checked.
            match explainer.root().path() {
                real if real == root => Ok(explainer),
                real => Err(EngineError::SourceReplaced { path: root.to_owned(), leads_to: real.to_owned() }),
            }
        };
        let explain = move |engine: &Engine| {
            let explainer = engine.explainer(&root, || open(&root))?;
            let report = explainer.refresh()?;
            // Without an index of the code, only the documentation is used.
            explainer.set_code(engine.code_definitions(&root).unwrap_or_default());
            Ok((work(engine, &explainer)?, report))
        };
        self.explanations.run(|engine| explain(engine)).await
    }

    /// Brings a project up to date, unless refreshing is disabled.
    pub(super) async fn bring_up_to_date(&self, project: &str) -> Result<State, Failure> {
        match &self.refreshes {
            Some(refreshes) => refreshes.bring_up_to_date(project).await,
            None => Ok(State::Unchecked),
        }
    }

    /// The project `named`, or the one of the workspace.
    pub(super) async fn project_or_own(&self, named: Option<&str>) -> Result<String, Failure> {
        match named {
            Some(named) => self.project_named(named).await,
            None => self.own_project().await?.ok_or_else(|| self.no_own_project()),
        }
    }

    /// The reference of a project that is named by a directory in it; any other name unchanged.
    pub(super) async fn project_named(&self, named: &str) -> Result<String, Failure> {
        if !is_path(named) || !self.workspace.is_here() {
            return Ok(named.to_owned());
        }
        let path = uri::path_of_file(named).unwrap_or_else(|| PathBuf::from(named));
        let joined = match self.workspace.folders().first() {
            Some(workspace) => workspace.join(path),
            None if path.is_absolute() => path,
            None => return Err(self.no_own_project()),
        };
        let real = joined.canonicalize().unwrap_or_else(|_| sources::without_dots(&joined));
        let place = real.clone();
        let project = self.run(move |engine| engine.project_of_place(&place)).await?;
        project.ok_or_else(|| self.not_ingested(&real))
    }

    /// The project of the workspace if it is ingested; with several roots, the first that is.
    pub(super) async fn own_project(&self) -> Result<Option<String>, Failure> {
        Ok(self.own_projects().await?.into_iter().next())
    }

    /// The projects of all folders of the workspace that are ingested.
    pub(super) async fn own_projects(&self) -> Result<Vec<String>, Failure> {
        if let Some(named) = self.named_project.clone() {
            return self.run(move |engine| Ok(vec![engine.project(&named)?.reference])).await;
        }
        let folders = self.workspace.folders();
        let find = move |engine: &Engine| {
            // A deleted folder has no project.
            let projects =
                folders.iter().filter_map(|folder| engine.project_of_directory(folder).ok().flatten());
            let mut own: Vec<String> = Vec::new();
            projects.for_each(|project| {
                if !own.contains(&project) {
                    own.push(project)
                }
            });
            Ok(own)
        };
        self.run(find).await
    }

    /// The error when no project is named and the workspace has none.
    pub(super) fn no_own_project(&self) -> Failure {
        match self.workspace.folders().first() {
            Some(workspace) => self.not_ingested(workspace),
            None if !self.workspace.is_here() => Failure::new(
                "no project was given",
                "name a project of list_projects; the user can set a default with the header x-craig-project",
            ),
            None => Failure::new(
                format!("no project was given, and there is no workspace: {}", self.workspace.absence()),
                "name a project of list_projects; the user can run 'craig ingest' on the directory of another, or start this server \
                 with --root",
            ),
        }
    }

    fn not_ingested(&self, directory: &Path) -> Failure {
        let directory = directory.display().to_string();
        let way = match self.abilities {
            Abilities::All => format!("call trigger_ingest with source {directory:?}"),
            Abilities::ReadOnly => format!("the user can run 'craig ingest {}'", shell_word(&directory)),
        };
        Failure::new(
            format!("{directory} is not ingested"),
            format!("{way}, or name a project of list_projects"),
        )
    }

    /// A path relative to its project. It may be given as an absolute path or a URI, with backslashes or escapes.
    pub(super) async fn path_in_project(&self, project: &str, path: &str) -> Result<String, Failure> {
        let (project, path) = (project.to_owned(), path.to_owned());
        let absolute = uri::path_of_file(&path);
        self.run(move |engine| {
            let inside = match absolute {
                Some(absolute) => inside(&engine.directory_of(&project)?, &absolute),
                None => None,
            };
            match inside {
                Some(path) => Ok(path),
                None => {
                    let written = std::iter::once(path.clone()).chain(uri::unescaped(&path));
                    Ok(engine.first_tracked(&project, written)?.unwrap_or(path))
                }
            }
        })
        .await
    }

    /// The source that `text` names, if the client may ingest it.
    pub(super) async fn source(&self, text: &str) -> Result<Source, Failure> {
        let projects = self.run(|engine| engine.projects()).await?;
        let permissions = Permissions {
            allowed: self.settings.allowed.clone(),
            folders: self.workspace.permitted(),
            projects: projects.iter().map(|project| PathBuf::from(&project.source_path)).collect(),
            repositories: projects
                .into_iter()
                .filter_map(|project| ingested_by_the_user(project.git?))
                .collect(),
        };
        let text = text.to_owned();
        tokio::task::spawn_blocking(move || permissions.source(&text)).await.map_err(Failure::internal)?
    }

    /// The same for another client, which may have another workspace.
    fn for_another_client(&self) -> Self {
        let workspace = Workspace::new(self.settings.workspace.clone(), self.settings.roots_grant_access);
        Self { workspace: Arc::new(workspace), ..self.clone() }
    }

    /// The same for the holder of a key, who may see only some projects.
    fn for_guest(&self, guest: &Guest) -> Self {
        Self {
            calls: Arc::new(self.calls.for_guest(guest)),
            explanations: Arc::new(self.explanations.for_guest(guest)),
            named_project: guest.project.clone(),
            ..self.clone()
        }
    }

    /// The same for a client that may see nothing.
    fn for_nobody(&self) -> Self {
        Self {
            calls: Arc::new(self.calls.without_projects()),
            explanations: Arc::new(self.explanations.without_projects()),
            ..self.clone()
        }
    }
}

impl Server {
    pub(crate) fn new(settings: Settings, tracing: Tracing) -> Self {
        let abilities = settings.abilities;
        let engine = Arc::new(Engine::new(&settings.engine));
        let calls = || EngineCalls::new(Arc::clone(&engine));
        let tools = Offered::new(&settings.toolset, abilities);
        let tools = if settings.workspace.is_elsewhere() { tools.without_directories() } else { tools };
        let shared = Shared {
            workspace: Arc::new(Workspace::new(settings.workspace.clone(), settings.roots_grant_access)),
            named_project: None,
            abilities,
            tools: if settings.lists_output_schemas { tools.with_output_schemas() } else { tools },
            calls: Arc::new(calls()),
            explanations: Arc::new(calls()),
            jobs: Arc::new(Jobs::new(&settings)),
            tasks: TaskManager::new(),
            refreshes: settings.refreshes.then(|| Arc::new(Refreshes::new(calls(), abilities))),
            settings: Arc::new(settings),
            tracing,
        };
        Self { shared: Arc::new(shared) }
    }

    /// The server for another client.
    pub(super) fn for_another_client(&self) -> Self {
        Self { shared: Arc::new(self.shared.for_another_client()) }
    }

    /// The state for one request: a client of another machine sees what its key allows, whatever session it is in.
    fn shared_for(&self, context: &RequestContext<RoleServer>) -> Arc<Shared> {
        let guest = context.extensions.get::<Parts>().and_then(|request| request.extensions.get::<Guest>());
        match guest {
            Some(guest) => Arc::new(self.shared.for_guest(guest)),
            None if self.shared.workspace.is_here() => Arc::clone(&self.shared),
            None => Arc::new(self.shared.for_nobody()),
        }
    }

    /// Counts an answer, which does not wait for that.
    fn count(&self, tool: &str, result: &CallToolResult) {
        let Some(log) = self.shared.settings.answers.clone() else { return };
        let texts = result.content.iter().filter_map(|content| content.as_text());
        let (tool, n_bytes) = (tool.to_owned(), texts.map(|text| text.text.len()).sum());
        // A call that cannot be counted is answered all the same.
        tokio::task::spawn_blocking(move || log.add(&tool, n_bytes).ok());
    }

    /// Hands the queued jobs to a process that outlives this one.
    pub(super) fn hand_jobs_over(&self) {
        self.shared.jobs.hand_over();
    }

    async fn answer_call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
        traced: Option<TracedCall>,
    ) -> Result<CallToolResponse, ErrorData> {
        let shared = self.shared_for(&context);
        let arguments = request.arguments.unwrap_or_default();
        let caller = Caller::new(&context, traced);
        if shared.tools.needs_roots(&request.name, &arguments, &shared.workspace) {
            if asks_by_answer(context.protocol_version().as_ref()) {
                let capabilities = context.client_capabilities();
                let inputs = request.input_responses.as_ref();
                if let Some(question) = shared.workspace.take_inputs(capabilities.as_ref(), inputs) {
                    return Ok(InputRequiredResult::from_input_requests(question).into());
                }
            } else {
                caller.name_roots(&shared).await;
            }
        }
        tools::call(&shared, &request.name, arguments, caller).await
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .enable_tasks()
            .build();
        let about = Implementation::new("craig", env!("CARGO_PKG_VERSION"))
            .with_title("Craig")
            .with_description("Finds the right code and documentation of a workspace, on this machine");
        let instructions = match self.shared.settings.toolset {
            Toolset::All => INSTRUCTIONS,
            Toolset::Core | Toolset::Named(_) => SHORT_INSTRUCTIONS,
        };
        ServerConfig::new(capabilities).with_server_info(about).with_instructions(instructions)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.shared.tools.definitions())
            .with_ttl_ms(LISTS_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.tools.definition(name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let traced = self.shared.tracing.begin(&context);
        let tool = self.shared.tools.name(&request.name);
        let answered = self.answer_call(request, context, traced.clone()).await;
        if let Some(traced) = traced {
            traced.end(tool, &answered);
        }
        if let (Some(tool), Ok(CallToolResponse::Complete(result))) = (tool, &answered) {
            self.count(tool, result);
        }
        answered
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.shared.workspace.ask(&context.peer).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.shared.workspace.ask(&context.peer).await;
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(&self.shared_for(&context)).await
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()).with_ttl_ms(LISTS_TTL_MS))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(resources::read(&self.shared_for(&context), &request.uri).await?.into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all()).with_ttl_ms(LISTS_TTL_MS))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(prompts::get(&request.name, &request.arguments.unwrap_or_default())?.into())
    }

    /// Completes names of projects, the only argument with known values.
    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        if request.argument.name != "project" {
            return Ok(CompleteResult::default());
        }
        let shared = self.shared_for(&context);
        let projects = shared.run(|engine| engine.projects()).await.map_err(protocol_error)?;
        let names = projects.into_iter().map(|project| project.name);
        let names = names.filter(|name| name.starts_with(&request.argument.value));
        let info = CompletionInfo::new(names.take(CompletionInfo::MAX_VALUES).collect());
        info.map(CompleteResult::new).map_err(|error| ErrorData::internal_error(error, None))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.shared.tasks.get_task(&request.task_id)?))
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.shared.tasks.cancel_task(&request.task_id)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }
}

/// A failure as a protocol error, where there is no tool result that the model could read.
pub(super) fn protocol_error(failure: Failure) -> ErrorData {
    ErrorData::internal_error(failure.text(), None)
}
