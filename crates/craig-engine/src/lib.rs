//! The one door to Craig: plain data in, plain data out. Builds everything from [`Config`].

mod config;
mod engine;
mod error;
mod ingest;
mod options;
mod plan;
mod progress;
mod report;
mod search;
mod watch;

pub use config::{Config, Freshness};
pub use engine::Engine;
pub use error::{EngineError, Fault};
pub use ingest::{IngestRequest, Waiting};
pub use progress::{Phase, Progress};
pub use report::{
    FailedFile, FileCounts, FileEntry, FileText, IngestReport, LanguageShare, ProjectStatus, ProjectSummary,
    Statistics, TreeNode, UpdateCheck,
};
pub use search::{SearchAnswer, SearchRequest};
pub use watch::WatchEvent;

pub use craig_search::{CandidateFeatures, Evidence, FEATURE_NAMES, Hit, KindFilter, MoreRange, Retrieval};
pub use craig_source::{DEFAULT_MAX_FILE_SIZE_BYTES, Hidden, IgnoreRules, Language, SourceOptions, Withheld};
