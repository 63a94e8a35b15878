//! The tools: their names, arguments and answers, and which function answers.

mod analyze;
mod content;
mod context;
mod explain;
mod explore;
mod grep;
mod hits;
mod jobs;
mod metadata;
mod outline;
mod projects;
mod query;
mod query_docs;
mod read_file;
mod references;
mod related;
mod repo_map;
mod structure;
mod symbols;
mod updates;

use std::str::FromStr;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use craig_engine::{Cancellation, Engine, EngineError};
use rmcp::model::{
    CallToolResponse, CallToolResult, ClientCapabilities, CreateTaskResult, JsonObject,
    ProgressNotificationParam, ProgressToken, ProtocolVersion, ToolAnnotations,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::task_manager::{TaskContext, TaskExit, TaskOptions};
use rmcp::{ErrorData, RoleServer};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::answer::{Answer, Marked, of_text};
use super::failure::Failure;
use super::server::{Shared, is_path};
use super::tracing::TracedCall;
use super::workspace::Workspace;
use super::{arguments, schema};

/// How long a task may take, and how long its answer is kept.
const TASK_TTL_MS: u64 = 24 * 3_600_000;

type Answering = std::pin::Pin<Box<dyn Future<Output = CallToolResult> + Send>>;

/// One tool.
struct Tool {
    /// Without the schema of its answer.
    definition: rmcp::model::Tool,
    /// Generates that schema, if its answer has a structure.
    output_schema: Option<fn() -> Arc<JsonObject>>,
    answer: Box<dyn Fn(Call<()>) -> Answering + Send + Sync>,
    effect: Effect,
    /// Whether clients that know tasks get one.
    is_task: bool,
    /// Whether it reads the directories of projects.
    reads_directories: bool,
    workspace_use: WorkspaceUse,
}

/// When a call depends on the workspace of the client.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WorkspaceUse {
    /// If the call names no project.
    Default,
    /// Always: a directory to ingest must be in it.
    Source,
    Never,
}

/// A call of a tool with its arguments.
struct Call<A> {
    shared: Arc<Shared>,
    /// The arguments, converted to the types of the schema.
    raw: JsonObject,
    arguments: A,
    caller: Caller,
}

impl<A> Call<A> {
    /// The same call with other arguments.
    fn map<B>(self, change: impl FnOnce(A) -> B) -> Call<B> {
        Call { shared: self.shared, raw: self.raw, arguments: change(self.arguments), caller: self.caller }
    }

    /// Runs some work, called `noun`, with an engine. It is asked to end when the call is cancelled or dropped.
    async fn run<T: Send + 'static>(
        &self,
        noun: &str,
        work: impl FnOnce(&Engine, Cancellation) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, Failure> {
        let ended = CancelOnDrop::default();
        let cancellation = ended.0.clone();
        tokio::select! {
            done = self.shared.run(move |engine| work(engine, cancellation)) => done,
            () = self.caller.cancelled.cancelled() => Err(Failure::new(
                format!("the {noun} was cancelled"),
                "call the tool again if the answer is still needed",
            )),
        }
    }
}

/// The client of a call, and how to reach it meanwhile.
#[derive(Clone)]
pub(super) struct Caller {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    cancelled: CancellationToken,
    capabilities: Option<ClientCapabilities>,
    version: Option<ProtocolVersion>,
    is_task: bool,
    traced: Option<TracedCall>,
}

impl Caller {
    /// Asks the client where its workspace is, if it can be asked.
    pub(super) async fn name_roots(&self, shared: &Shared) {
        shared.workspace.await_roots(&self.peer, self.capabilities.as_ref()).await;
    }

    pub(super) fn new(context: &RequestContext<RoleServer>, traced: Option<TracedCall>) -> Self {
        Self {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token(),
            cancelled: context.ct.clone(),
            capabilities: context.client_capabilities(),
            version: context.protocol_version(),
            is_task: false,
            traced,
        }
    }

    /// Waits for a search, and traces it; `project` gives the project from what was found.
    async fn retrieval<T>(
        &self,
        question: &str,
        search: impl Future<Output = Result<T, Failure>>,
        project: impl Fn(&T) -> String,
    ) -> Result<T, Failure> {
        let started = Instant::now();
        let found = search.await;
        if let Some(traced) = &self.traced {
            let project = found.as_ref().ok().map(project);
            traced.retrieval(project.as_deref(), question, started);
        }
        found
    }

    fn knows_tasks(&self) -> bool {
        self.capabilities.as_ref().is_some_and(ClientCapabilities::supports_tasks)
    }

    /// Links to resources are part of the protocol since 2025-06-18.
    fn knows_links(&self) -> bool {
        self.version.as_ref().is_some_and(|version| version.as_str() >= "2025-06-18")
    }

    /// Whether the client requested progress.
    fn wants_progress(&self) -> bool {
        self.token.is_some()
    }

    /// Reports progress if the client requested it.
    async fn report_progress(&self, done: f64, total: Option<f64>, message: String) {
        let Some(token) = &self.token else { return };
        let mut progress = ProgressNotificationParam::new(token.clone(), done).with_message(message);
        if let Some(total) = total {
            progress = progress.with_total(total);
        }
        // The client may have gone away.
        let _ = self.peer.notify_progress(progress).await;
    }
}

/// Cancels some work when its request is dropped, so that it does not keep its thread busy.
#[derive(Default)]
struct CancelOnDrop(Cancellation);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The declaration of a tool; the rest comes from the types of its arguments and answer.
struct About {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    effect: Effect,
}

/// The effect of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Reads only, apart from bringing an index up to date.
    Reads,
    /// The index gains something.
    Adds,
    /// The index loses something.
    Removes,
}

impl Effect {
    fn annotations(self, title: &str) -> ToolAnnotations {
        let annotations = ToolAnnotations::with_title(title).open_world(false).idempotent(true);
        match self {
            Self::Reads => annotations.read_only(true).destructive(false),
            Self::Adds => annotations.read_only(false).destructive(false),
            Self::Removes => annotations.read_only(false).destructive(true),
        }
    }
}

impl Tool {
    fn new<A, T, F>(about: About, answer: impl Fn(Call<A>) -> F + Send + Sync + 'static) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        T: Serialize + JsonSchema + 'static,
        F: Future<Output = Result<Answer<T>, Failure>> + Send + 'static,
    {
        let tool = Self::reading(about, answer, Answer::into_result);
        Self { output_schema: Some(schema::of_answer::<Marked<T>>), ..tool }
    }

    /// A tool whose answer is text for a model, without a structure.
    fn of_text<A, F>(about: About, answer: impl Fn(Call<A>) -> F + Send + Sync + 'static) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        F: Future<Output = Result<String, Failure>> + Send + 'static,
    {
        Self::reading(about, answer, |text| of_text(&text))
    }

    /// A tool that reads its arguments; `into_result` makes the result of the call of what it answers.
    fn reading<A, T, F>(
        about: About,
        answer: impl Fn(Call<A>) -> F + Send + Sync + 'static,
        into_result: fn(T) -> CallToolResult,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        T: 'static,
        F: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        let input = schema::of_arguments::<A>();
        let definition = rmcp::model::Tool::new(about.name, about.description, Arc::clone(&input))
            .with_title(about.title)
            .with_annotations(about.effect.annotations(about.title));
        let answer = move |call: Call<()>| -> Answering {
            let call = Call { raw: arguments::as_meant(&call.raw, &input), ..call };
            match arguments::read::<A>(&call.raw, &input) {
                Ok(arguments) => {
                    let answer = answer(call.map(|()| arguments));
                    Box::pin(async move { answer.await.map_or_else(|failure| failure.result(), into_result) })
                }
                Err(failure) => Box::pin(std::future::ready(failure.result())),
            }
        };
        let answer = Box::new(answer);
        Self {
            definition,
            output_schema: None,
            answer,
            effect: about.effect,
            is_task: false,
            reads_directories: false,
            workspace_use: WorkspaceUse::Default,
        }
    }

    /// A tool that connects to other machines.
    fn with_network(mut self) -> Self {
        self.definition.annotations = self.definition.annotations.map(|known| known.open_world(true));
        self
    }

    /// A tool that takes longer than a call should: clients that know tasks get one.
    fn run_as_task(self) -> Self {
        Self { is_task: true, ..self }
    }

    /// A tool that reads the directories of projects.
    fn with_directories(self) -> Self {
        Self { reads_directories: true, ..self }
    }

    fn with_workspace_use(self, workspace_use: WorkspaceUse) -> Self {
        Self { workspace_use, ..self }
    }

    fn start(&self, shared: &Arc<Shared>, raw: JsonObject, caller: Caller) -> Answering {
        (self.answer)(Call { shared: Arc::clone(shared), raw, arguments: (), caller })
    }
}

/// In the order in which clients list them.
static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    vec![
        explore::tool(),
        grep::tool(),
        read_file::tool(),
        references::tool(),
        query::tool(),
        query_docs::tool(),
        context::tool(),
        explain::tool().with_directories(),
        content::tool(),
        structure::tool(),
        outline::tool(),
        repo_map::tool(),
        symbols::read_tool(),
        symbols::calls_tool(),
        related::tool(),
        analyze::tool(),
        projects::tool().with_workspace_use(WorkspaceUse::Never),
        metadata::tool(),
        jobs::status_tool().with_workspace_use(WorkspaceUse::Never),
        updates::tool().with_network().with_directories(),
        jobs::ingest_tool().with_network().run_as_task().with_workspace_use(WorkspaceUse::Source),
        jobs::delta_tool().with_network().run_as_task(),
        jobs::purge_tool().run_as_task().with_workspace_use(WorkspaceUse::Never),
        jobs::cancel_tool().with_workspace_use(WorkspaceUse::Never),
    ]
});

/// The first of these tools are those that a coding assistant needs every day.
const N_CORE: usize = 4;

/// The abilities of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Abilities {
    /// Everything.
    #[default]
    All,
    /// Only reading.
    ReadOnly,
}

/// Tools that a server offers, as far as its abilities go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Toolset {
    /// All.
    #[default]
    All,
    /// The tools of everyday coding.
    Core,
    /// Only these.
    Named(Vec<String>),
}

impl FromStr for Toolset {
    type Err = String;

    /// `all`, `core`, or names of tools with commas between them.
    fn from_str(text: &str) -> Result<Self, String> {
        let named = match text.trim() {
            "all" => return Ok(Self::All),
            "core" => return Ok(Self::Core),
            names => names.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>(),
        };
        let is_known = |name: &&String| TOOLS.iter().any(|tool| tool.definition.name == name.as_str());
        match named.iter().find(|name| !is_known(name)) {
            Some(unknown) => Err(format!(
                "there is no tool {unknown:?}: expected core, all, or some of {}",
                names(TOOLS.iter())
            )),
            None => Ok(Self::Named(named)),
        }
    }
}

fn names<'t>(tools: impl Iterator<Item = &'t Tool>) -> String {
    tools.map(|tool| &*tool.definition.name).collect::<Vec<_>>().join(", ")
}

/// The tools of a server.
#[derive(Clone)]
pub(super) struct Offered {
    tools: Vec<&'static Tool>,
    abilities: Abilities,
    /// Whether their definitions have the schemas of their answers.
    with_output_schemas: bool,
}

impl Offered {
    /// The tools of `toolset` that `abilities` allow, listed without the schemas of their answers.
    pub(super) fn new(toolset: &Toolset, abilities: Abilities) -> Self {
        let is_in = |at: usize, tool: &Tool| match toolset {
            Toolset::All => true,
            Toolset::Core => at < N_CORE,
            Toolset::Named(names) => names.iter().any(|name| *name == tool.definition.name),
        };
        let may = |tool: &Tool| abilities == Abilities::All || tool.effect == Effect::Reads;
        let tools = TOOLS.iter().enumerate().filter(|(at, tool)| is_in(*at, tool) && may(tool));
        Self { tools: tools.map(|(_, tool)| tool).collect(), abilities, with_output_schemas: false }
    }

    /// The same without those that read the directories of projects.
    pub(super) fn without_directories(mut self) -> Self {
        self.tools.retain(|tool| !tool.reads_directories);
        self
    }

    /// The same tools, listed with the schemas of their answers.
    pub(super) fn with_output_schemas(self) -> Self {
        Self { with_output_schemas: true, ..self }
    }

    /// The name of a tool, if it is one of them.
    pub(super) fn name(&self, name: &str) -> Option<&'static str> {
        self.tool(name).map(|tool| &*tool.definition.name)
    }

    fn tool(&self, name: &str) -> Option<&'static Tool> {
        self.tools.iter().find(|tool| tool.definition.name == name).copied()
    }

    /// Definitions for clients.
    pub(super) fn definitions(&self) -> Vec<rmcp::model::Tool> {
        self.tools.iter().map(|tool| self.listed(tool)).collect()
    }

    /// Definition of one tool.
    pub(super) fn definition(&self, name: &str) -> Option<rmcp::model::Tool> {
        self.tool(name).map(|tool| self.listed(tool))
    }

    fn listed(&self, tool: &Tool) -> rmcp::model::Tool {
        let definition = tool.definition.clone();
        match tool.output_schema.filter(|_| self.with_output_schemas) {
            Some(schema) => definition.with_raw_output_schema(schema()),
            None => definition,
        }
    }

    /// Whether a call depends on the roots that the client has for `workspace`.
    pub(super) fn needs_roots(&self, name: &str, arguments: &JsonObject, workspace: &Workspace) -> bool {
        let Some(tool) = self.tool(name) else { return false };
        match tool.workspace_use {
            WorkspaceUse::Never => false,
            WorkspaceUse::Source => workspace.depends_on_roots(true),
            WorkspaceUse::Default => !names_project(arguments) && workspace.depends_on_roots(false),
        }
    }

    fn unknown(&self, name: &str) -> ErrorData {
        let why = match TOOLS.iter().find(|tool| tool.definition.name == name) {
            Some(tool) if self.abilities == Abilities::ReadOnly && tool.effect != Effect::Reads => {
                format!("{name:?} changes something, and this server is read-only; it has")
            }
            Some(_) => format!("this server does not offer {name:?}; it has"),
            None => format!("there is no tool {name:?}, only"),
        };
        ErrorData::invalid_params(format!("{why} {}", names(self.tools.iter().copied())), None)
    }
}

/// Whether a call names its projects; a path is one in the workspace.
fn names_project(arguments: &JsonObject) -> bool {
    let project = arguments.get("project").and_then(Value::as_str);
    let projects = arguments.get("projects").and_then(Value::as_array);
    project.is_some_and(|name| !is_path(name)) || projects.is_some_and(|names| !names.is_empty())
}

/// Calls a tool. Its failure is an answer, which the model sees.
pub(super) async fn call(
    shared: &Arc<Shared>,
    name: &str,
    arguments: JsonObject,
    caller: Caller,
) -> Result<CallToolResponse, ErrorData> {
    let tool = shared.tools.tool(name).ok_or_else(|| shared.tools.unknown(name))?;
    if tool.is_task && caller.knows_tasks() {
        return Ok(as_task(shared, tool, arguments, caller).into());
    }
    Ok(tool.start(shared, arguments, caller).await.into())
}

/// Starts a call as a task, which gets the answer when the work is done.
fn as_task(
    shared: &Arc<Shared>,
    tool: &'static Tool,
    arguments: JsonObject,
    caller: Caller,
) -> CreateTaskResult {
    let options = TaskOptions::new()
        .with_ttl_ms(TASK_TTL_MS)
        .with_status_message(format!("{} runs", tool.definition.name));
    let shared_of_task = Arc::clone(shared);
    let task = shared.tasks.spawn(options, move |context: TaskContext| {
        let cancelled = CancellationToken::new();
        let caller = Caller { is_task: true, cancelled: cancelled.clone(), ..caller };
        let mut work = tool.start(&shared_of_task, arguments, caller);
        Box::pin(async move {
            let answer = tokio::select! {
                answer = &mut work => answer,
                () = context.cancelled() => {
                    cancelled.cancel();
                    work.await
                }
            };
            match context.is_cancel_requested() {
                true => Err(TaskExit::Cancelled),
                false => Ok(answer),
            }
        })
    });
    CreateTaskResult::new(task)
}
