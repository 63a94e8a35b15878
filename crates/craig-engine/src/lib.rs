//! The one door to Craig: plain data in, plain data out. Builds everything from [`Config`].

mod archive;
mod clock;
mod config;
mod consent;
mod context;
mod cost;
mod doctor;
mod embed;
mod engine;
mod error;
mod explain;
mod explore;
mod follow;
mod freshness;
mod grep;
mod group;
mod ingest;
mod insight;
mod job;
mod left_out;
mod lock;
mod models;
mod options;
mod outline;
mod packages;
mod permits;
mod plan;
mod prepare;
mod progress;
mod project;
mod related;
mod report;
mod repository;
mod rerank;
mod search;
mod settings;
mod shown;
mod similar;
mod single_flight;
mod stores;
mod symbol_graph;
mod symbols;
mod visibility;
mod watch;

pub use archive::{CopyReport, ExportReport};
pub use config::{
    Config, EmbedderConfig, GitConfig, HostedRerank, Keyed, LanguageModelConfig, RerankOptions,
    RerankerConfig, operation_url,
};
pub use consent::{Consent, NewSources};
pub use context::{
    AskModel, ChatConfig, ChatContextRequest, ContextAnswer, ContextConfig, ContextStatistics, GUESS_TASK,
    InlineConfig, InlineContextRequest, Latency, MAX_GUESS_TOKENS, NoContext, ScoreShare, Steps, Telemetry,
    UseOverTime, guess_prompt, read_guesses,
};
pub use cost::EmbeddingCost;
pub use doctor::{Examination, Finding, Part};
pub use embed::Embedded;
pub use engine::Engine;
pub use error::{EngineError, Fault};
pub use explain::{
    Activation, CodeDefinitions, ExplainConfig, Explained, Explainer, Selection, Words, WordsReport,
    WordsStatus, write_page,
};
pub use explore::{
    ExploreRequest, Explored, ExploredDefinition, ExploredPiece, ExploredPlace, LinkedFunction,
};
pub use grep::{Case, GrepAnswer, GrepCounts, GrepFile, GrepLine, GrepRequest};
pub use group::GroupSummary;
pub use ingest::{IngestRequest, Waiting};
pub use job::{Job, JobRun, JobState, Push, TakenJob, WorkerOptions};
pub use outline::{FileOutline, Outline, OutlineRequest, OutlinedDefinition};
pub use packages::{
    AddPackages, ImportingCode, MAX_UNNAMED, PackageDocs, PackageExplanation, PackageQuote, PackageState,
};
pub use prepare::{Freshness, PrepareRequest, Refresh, working_tree_of};
pub use progress::{Phase, Progress};
pub use related::{NOTHING_ALIKE, Related};
pub use report::{
    FailedFile, FileCounts, FileEntry, FileText, IngestReport, IngestionState, LanguageShare, ProjectGlance,
    ProjectStatus, ProjectSummary, Statistics, TreeNode, UpdateCheck,
};
pub use repository::{GitOrigin, RepositoryRequest};
pub use rerank::{RerankReport, RerankStatus, RerankerState};
pub use search::{NO_ANSWER, ProjectHit, ProjectsAnswer, SearchAnswer, SearchRequest};
pub use settings::{
    DEFINITIONS, Definition, Environment, Kind, Origin, PROJECT_FILE, Scope, Settings, SettingsError,
    Sources, Value, page as settings_page,
};
pub use shown::{Detail, PER_FILE, Shown, lines_of, with_numbers};
pub use stores::WORKSPACE_FOLDER;
pub use symbol_graph::{
    BoundSymbol, CallDirection, CallHierarchy, CallRow, Flow, GraphSymbol, Impact, ImpactedFile,
    ImpactedSymbol, KeptSymbol, MapRequest, MappedFile, MappedSymbol, Neighbour, Neighbours, OutlinedName,
    Overview, OverviewModule, OverviewSymbol, ReferenceLine, References, RepoMap, ScipExport, Subject,
    SymbolCursor, SymbolPlace, SymbolPlaces, SymbolRequest, SymbolText, UnboundLine, UnboundLines,
    outlined_names, own_name,
};
pub use symbols::Symbol;
pub use visibility::{ReadObserver, Visibility};
pub use watch::WatchEvent;

pub use craig_chunk::names::{DefinitionKind, Role as SymbolRole};
pub use craig_chunk::{ChunkKind, TokenKind, tokens};
pub use craig_context::{
    Block as ContextBlock, Format as ContextFormat, Tokenizer, fitted_text as fitted_context,
};
pub use craig_explain::{
    Bullet, Citation, CodeContext, Comment, Explanation, IndexReport, Kind as ExplanationKind,
    Library as DocumentationLibrary, NOT_DOCUMENTED, Sentences, SkippedDocument, explain as explain_context,
};
pub use craig_insight::{
    About, Architecture, COMPLEX, Clone as CodeClone, ClonePlace, Cycle, Definition as SymbolDefinition,
    Depended, Dependencies, Duplication, EntryPoint, External, FileEdge, FileNotes, Function, InsightError,
    LONG_FILE_LINES, Layer, LongFile, Module, ModuleCycle, ModuleTests, ModuleUse, Note, Notes, Place,
    Quality, Reached, Relations, Summary, Undeclared, UnresolvedImport, UsedPackage, Violation, Weakness,
};
pub use craig_model::{
    Admission, Breaker, BreakerOpen, BreakerSettings, BreakerState, Cancellation, Document, Endpoint,
    FailureClass, ModelError, RankedDocument, Ranking, RerankDialect, RerankSource, Secret, SharedCache,
    crypto_provider, message_in, retry_after, shortened, tls_client_config,
};
pub use craig_search::{
    CandidateFeatures, ChunkCandidate, Evidence, FEATURE_NAMES, Features, Guesses, Hit, KindFilter,
    MoreRange, PathBase, PathFilter, Retrieval, SearchError,
};
pub use craig_source::private;
pub use craig_source::{BadUrl, GitAccess, GitError, GitToken, GitUrl, Reach, public_addresses};
pub use craig_source::{
    DEFAULT_MAX_FILE_SIZE_BYTES, Hidden, IgnoreRules, Language, LeftOut, SourceOptions, WhyLeftOut, Withheld,
    language, mask_secrets, mask_text,
};
pub use craig_source::{DOCUMENT_ENDINGS, is_document};
pub use craig_source::{ProtectedFolder, protected_folder, repository_leads_elsewhere};
pub use craig_store::{DatabaseAddress, NewJob, ServerAddress, StoreError};
pub use craig_symbols::Ecosystem;
pub use craig_text::{
    DATA_NOTICE, distinct, is_stop_word, lower_words, root, shell_word, without_control_tokens,
};
