//! The files of a project that a command searches.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use craig_engine::KindFilter;

/// Options that restrict a command to some files.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Filters {
    /// Only files in this language (may be repeated)
    #[arg(long, short, value_name = "LANGUAGE")]
    pub(crate) language: Vec<String>,
    /// Only this file or folder, or files whose path matches, such as 'src/**/*.rs' or '*.md'
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Only files of this kind
    #[arg(long, value_parser = kind(), default_value = "all")]
    pub(crate) kind: KindFilter,
}

impl Filters {
    /// The given options: `--path src --kind code`; empty if every file is searched.
    pub(crate) fn given(&self) -> String {
        let language = self.language.iter().map(|language| format!("--language {language}"));
        let path = self.path.iter().map(|path| format!("--path {path}"));
        let kind = Some(self.kind).filter(|kind| *kind != KindFilter::All);
        let kind = kind.map(|kind| format!("--kind {kind:?}").to_lowercase());
        language.chain(path).chain(kind).collect::<Vec<_>>().join(" ")
    }
}

/// Reads a kind of files by its name in JSON.
fn kind() -> impl TypedValueParser<Value = KindFilter> {
    PossibleValuesParser::new(["code", "docs", "config", "all"]).try_map(|name| {
        serde_json::from_value(name.into()).map_err(|error: serde_json::Error| error.to_string())
    })
}
