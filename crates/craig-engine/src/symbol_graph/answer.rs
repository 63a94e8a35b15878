//! What is answered about symbols: the same for people, programs and assistants.

use craig_chunk::names::{DefinitionKind, Role};
use craig_source::Language;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::UnboundLines;

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GraphSymbol {
    /// Qualified name: "Cart.total".
    pub name: String,
    /// function, method, class, field and so on.
    pub kind: DefinitionKind,
    /// Path relative to the project's folder.
    pub path: String,
    /// Line of the name, from 1.
    pub line: u32,
    /// Last line, inclusive.
    pub line_end: u32,
    /// Whether it is in a test.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
}

impl GraphSymbol {
    /// The word of its language for what it is: `struct`, `variant`.
    pub fn word(&self) -> &'static str {
        Language::from_path(&self.path).map_or(self.kind.as_str(), |language| self.kind.word(language))
    }
}

/// The symbol that an answer is about, and those it is not about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Subject {
    /// Name of the project.
    pub project: String,
    /// The symbol that the answer is about.
    pub symbol: GraphSymbol,
    /// The requested line, if no name is defined there: the symbol is the innermost around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inner_line: Option<u32>,
    /// Its other definitions: overloads, prototypes, parts of a type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_defined: Vec<GraphSymbol>,
    /// Members of supertypes and interfaces that it overrides or implements: a call of one of these may reach it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<GraphSymbol>,
    /// Other symbols of that name, the likeliest first: the answer is not about them. Ask with the qualified name, or with
    /// path:line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<GraphSymbol>,
    /// Other symbols of that name that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_others: u64,
}

/// A symbol with its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SymbolText {
    /// The symbol.
    #[serde(flatten)]
    pub subject: Subject,
    /// Its declaration on one line.
    pub signature: String,
    /// The text of its comment or docstring.
    pub doc: Option<String>,
    /// First line of the text, from 1.
    pub line_start: u32,
    /// The text of the definition in the file.
    pub text: String,
    /// References to it, of at least the requested confidence.
    pub references: u64,
}

/// The references to a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct References {
    /// The symbol.
    #[serde(flatten)]
    pub subject: Subject,
    /// By path and line.
    pub references: Vec<ReferenceLine>,
    /// References of at least the requested confidence, listed or not.
    pub total: u64,
    /// Files that they are in.
    pub total_files: u64,
    /// Places that may refer to the symbol with less confidence, left out.
    pub possible: u64,
    /// Lines with its name that are not bound to a symbol, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unbound: Option<UnboundLines>,
}

/// A place that refers to a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReferenceLine {
    /// Path relative to the project's folder.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// How the symbol is used: call, type, read, write, import, inherit, implement, override.
    pub role: Role,
    /// Qualified name of the definition around it.
    pub within: Option<String>,
    /// First and last line of that definition.
    pub within_lines: Option<(u32, u32)>,
    /// Confidence that it refers to this symbol, in percent.
    pub confidence: u8,
    /// Whether it is in a test.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// The line, without indentation; a long one is cut.
    pub text: String,
}

/// The callers or callees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallDirection {
    /// Callers.
    In,
    /// Callees.
    Out,
}

/// The callers or callees of a symbol, theirs, and so on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CallHierarchy {
    /// The symbol.
    #[serde(flatten)]
    pub subject: Subject,
    /// Whether its callers (in) or its callees (out) are listed.
    pub direction: CallDirection,
    /// A tree: each row is below the last one before it whose depth is one less.
    pub calls: Vec<CallRow>,
    /// Rows of the whole tree, listed or not.
    pub total: u64,
    /// Number of omitted calls below the requested confidence, to or from the symbols of the tree.
    pub possible: u64,
    /// References to the symbol that are no calls: it may be called where it is passed to.
    #[serde(skip_serializing_if = "is_zero")]
    pub other_references: u64,
    /// Lines with its name that are not bound to a symbol, if requested: calls may be among them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unbound: Option<UnboundLines>,
}

/// A caller or callee.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CallRow {
    /// 1 for those of the symbol itself.
    pub depth: u32,
    /// Qualified name; of code outside of definitions, the path of its file.
    pub name: String,
    /// Its kind; null for code outside of definitions.
    pub kind: Option<DefinitionKind>,
    /// Path relative to the project's folder.
    pub path: String,
    /// Line of its name, from 1; of code outside of definitions, of its first call.
    pub line: u32,
    /// Last line of the definition; of code outside of definitions, of its first call.
    pub line_end: u32,
    /// Lines of the calls: in its own file for callers, in that of the caller for callees.
    pub call_lines: Vec<u32>,
    /// Lines of calls that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_lines: u64,
    /// Highest confidence of these calls, in percent.
    pub confidence: u8,
    /// Whether it is in a test.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// It is in the tree elsewhere, with what is below it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
}

impl CallRow {
    /// `run  :10-30 at 12, 20`, `main  src/main.rs:2-9 at 4`: its lines, and those of the calls, for a reader of the file at
    /// `path`.
    pub fn text(&self, path: &str) -> String {
        let file = if self.path == path { "" } else { self.path.as_str() };
        let lines = self.lines_text();
        match self.kind {
            Some(_) => {
                format!("{}  {file}:{} at {lines}", self.name, lines_of_definition(self.line, self.line_end))
            }
            None => format!("top level  {file}:{lines}"),
        }
    }

    /// The lines of the calls: `12, 20 and 3 more`.
    pub fn lines_text(&self) -> String {
        let lines: Vec<String> = self.call_lines.iter().map(u32::to_string).collect();
        let more = if self.more_lines > 0 { format!(" and {} more", self.more_lines) } else { String::new() };
        lines.join(", ") + &more
    }
}

/// The first and the last line of a definition: `10-30`, or `12` if that is all.
pub(crate) fn lines_of_definition(first: u32, last: u32) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// A name without what encloses it: `total` of `Cart.total`.
pub fn own_name(qualified: &str) -> &str {
    let own = qualified.rsplit(['.', ':', '\\']).next();
    own.filter(|own| !own.is_empty()).unwrap_or(qualified)
}

/// The symbols and files that a change of a symbol may affect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Impact {
    /// The symbol.
    #[serde(flatten)]
    pub subject: Subject,
    /// Maximum number of steps that were followed.
    pub depth: u32,
    /// Whether one more step reaches more.
    pub goes_further: bool,
    /// Files, nearest first.
    pub files: Vec<ImpactedFile>,
    /// Definitions, nearest first.
    pub symbols: Vec<ImpactedSymbol>,
    /// Files, listed or not.
    pub total_files: u64,
    /// Files of these that are tests.
    pub total_tests: u64,
    /// Definitions, listed or not.
    pub total_symbols: u64,
    /// Definitions of these that are in tests.
    pub total_test_symbols: u64,
    /// Number of omitted places below the requested confidence that may refer to the symbol itself.
    pub possible: u64,
}

/// A file that a change may affect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImpactedFile {
    /// 1 where the symbol itself is used.
    pub distance: u32,
    /// Path relative to the project's folder.
    pub path: String,
    /// Whether it is a test.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
}

/// A definition that a change may affect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImpactedSymbol {
    /// 1 if it uses the symbol itself.
    pub distance: u32,
    /// The definition.
    #[serde(flatten)]
    pub symbol: GraphSymbol,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}
