//! The server: what it can do, and which part does it.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use craig_engine::{Engine, EngineError};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CompletionInfo, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::task_manager::TaskManager;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::engines::Engines;
use super::explainers::Explainers;
use super::failure::Failure;
use super::freshness::{Refreshes, State};
use super::jobs::Jobs;
use super::tools::{self, Caller};
use super::{Settings, prompts, resources};

/// When to use which tool, for the model.
const INSTRUCTIONS: &str = include_str!("instructions.md");

/// How long lists that come with the program may be kept, in milliseconds.
const LISTS_TTL_MS: u64 = 3_600_000;

/// A server, for one client or many.
#[derive(Clone)]
pub(crate) struct Server {
    shared: Arc<Shared>,
}

/// What all requests share.
pub(super) struct Shared {
    /// Workspace of the assistant.
    pub(super) root: PathBuf,
    /// Engines for reading.
    pub(super) engines: Arc<Engines>,
    /// Documentation to explain from.
    pub(super) explainers: Arc<Explainers>,
    /// Subprocesses that write.
    pub(super) jobs: Arc<Jobs>,
    /// The same, for clients that know tasks.
    pub(super) tasks: TaskManager,
    refreshes: Option<Refreshes>,
}

impl Shared {
    /// Does some work with an engine.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Engine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Failure> {
        self.engines.run(work).await
    }

    /// Brings a project up to date, unless the server is not to.
    pub(super) async fn bring_up_to_date(&self, project: &str) -> Result<State, Failure> {
        match &self.refreshes {
            Some(refreshes) => refreshes.bring_up_to_date(project).await,
            None => Ok(State::Unchecked),
        }
    }

    /// The project `named`, or the one of the workspace.
    pub(super) async fn project_or_own(&self, named: Option<&str>) -> Result<String, Failure> {
        match named {
            Some(named) => Ok(named.to_owned()),
            None => self.own_project().await?.ok_or_else(|| self.no_own_project()),
        }
    }

    /// The project of the workspace, when it is ingested.
    pub(super) async fn own_project(&self) -> Result<Option<String>, Failure> {
        let root = self.root.clone();
        self.run(move |engine| engine.project_of_directory(&root)).await
    }

    /// Why no project can be taken for granted.
    pub(super) fn no_own_project(&self) -> Failure {
        let root = std::path::absolute(&self.root).unwrap_or_else(|_| self.root.clone());
        Failure::new(
            format!("no project was named, and the workspace {} is not ingested", root.display()),
            format!(
                "name a project of list_projects, or call trigger_ingest with source {:?}",
                root.display().to_string()
            ),
        )
    }
}

impl Server {
    pub(crate) fn new(settings: Settings) -> Self {
        let engines = || Engines::new(settings.engine.clone());
        let shared = Shared {
            root: settings.root.clone(),
            engines: Arc::new(engines()),
            explainers: Arc::new(Explainers::new(settings.sources.clone())),
            jobs: Arc::new(Jobs::new(&settings)),
            tasks: TaskManager::new(),
            refreshes: settings.refreshes.then(|| Refreshes::new(engines())),
        };
        Self { shared: Arc::new(shared) }
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
        ServerConfig::new(capabilities).with_server_info(about).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::definitions())
            .with_ttl_ms(LISTS_TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::definition(name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        tools::call(&self.shared, &request.name, arguments, Caller::of(&context)).await
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(&self.shared).await
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
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(resources::read(&self.shared, &request.uri).await?.into())
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

    /// Completes names of projects, the one argument with values that are known.
    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        if request.argument.name != "project" {
            return Ok(CompleteResult::default());
        }
        let projects = self.shared.run(|engine| engine.projects()).await.map_err(protocol_error)?;
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

/// A failure where the protocol has no place for words to the model.
pub(super) fn protocol_error(failure: Failure) -> ErrorData {
    ErrorData::internal_error(failure.text(), None)
}
