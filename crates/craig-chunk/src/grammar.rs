//! What a language's grammar and its node kinds mean, as a table.

pub(crate) mod blank;
pub(crate) mod branches;
pub(crate) mod counting;
pub(crate) mod find;

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, MatchKind};
use craig_source::Language;
use tree_sitter::{Node, Tree};
use tree_sitter_language::LanguageFn;

use crate::kind::ChunkKind;
use crate::names::Role;
use crate::names::walk::{NameRule, NameTable};
use crate::outline::Import;
use crate::reference::ReferenceKind;

use counting::Counting;

pub(crate) use find::{all_children, child, field, line, named_children, text, unquoted};

/// What the walk does with a node of some kind.
#[derive(Clone, Copy)]
pub(crate) enum Rule {
    /// A plain statement: its children are not visited.
    Plain,
    /// Transparent: its children are visited in its place. Wrappers, conditional blocks.
    Open,
    /// Comments, decorators, attributes: belong to the definition that follows.
    Attach,
    /// Import lines, read by the function.
    Import(ReadImports),
    /// A definition whose parts are found in the usual places.
    Define(Define),
    /// Depends on the node.
    Ask(for<'t> fn(Node<'t>, &'t str) -> Answer<'t>),
}

/// Adds what a node imports.
pub(crate) type ReadImports = for<'t> fn(Node<'t>, &'t str, &mut Vec<Import>);

/// Where the parts of a definition are.
#[derive(Clone, Copy)]
pub(crate) struct Define {
    kind: ChunkKind,
    name: At,
    body: At,
}

/// A place under a node.
#[derive(Clone, Copy)]
pub(crate) enum At {
    Field(&'static str),
    Kind(&'static str),
    /// The node itself.
    Itself,
    Nowhere,
}

/// What a node is.
pub(crate) enum Answer<'t> {
    Plain,
    Open(Node<'t>),
    /// As `Open`, but the children are statements of a function: local variables are no symbols.
    OpenFunction(Node<'t>),
    Attach,
    Define(Definition<'t>),
    /// One statement that defines several names; the first names the unit.
    Several(Vec<Definition<'t>>),
    Import(ReadImports),
}

/// One definition, found in the tree.
pub(crate) struct Definition<'t> {
    pub(crate) kind: ChunkKind,
    /// The node that holds the name; quotes around it are dropped.
    pub(crate) name: Node<'t>,
    /// What the definition belongs to when the tree does not enclose it: `Foo` in `void Foo::bar()`.
    pub(crate) owner: Option<&'t str>,
    /// Where its members are.
    pub(crate) body: Option<Node<'t>>,
    /// Constructor parameters that are members too.
    pub(crate) parameters: Option<Node<'t>>,
    /// False for what only names a chunk: a Rust `impl`, a JSON key.
    pub(crate) is_symbol: bool,
}

impl<'t> Definition<'t> {
    pub(crate) fn new(kind: ChunkKind, name: Node<'t>) -> Self {
        Definition { kind, name, owner: None, body: None, parameters: None, is_symbol: true }
    }

    pub(crate) fn body(mut self, body: Option<Node<'t>>) -> Self {
        self.body = body;
        self
    }

    pub(crate) fn owner(mut self, owner: Option<&'t str>) -> Self {
        self.owner = owner;
        self
    }

    pub(crate) fn unlisted(mut self) -> Self {
        self.is_symbol = false;
        self
    }
}

/// A definition with its name in field `name` and its members in field `body`.
pub(crate) const fn define(kind: ChunkKind) -> Define {
    Define { kind, name: At::Field("name"), body: At::Field("body") }
}

impl Define {
    pub(crate) const fn named(self, name: At) -> Self {
        Define { name, ..self }
    }

    pub(crate) const fn inside(self, body: At) -> Self {
        Define { body, ..self }
    }

    pub(crate) const fn rule(self) -> Rule {
        Rule::Define(self)
    }

    /// The definition at `node`; none when it has no name.
    pub(crate) fn read<'t>(&self, node: Node<'t>) -> Option<Definition<'t>> {
        let name = self.name.find_in(node)?;
        Some(Definition::new(self.kind, name).body(self.body.find_in(node)))
    }
}

impl At {
    pub(crate) fn find_in<'t>(self, node: Node<'t>) -> Option<Node<'t>> {
        match self {
            At::Field(name) => node.child_by_field_name(name),
            At::Kind(kind) => child(node, kind),
            At::Itself => Some(node),
            At::Nowhere => None,
        }
    }
}

/// The table of one language.
pub(crate) struct Table {
    pub(crate) language: LanguageFn,
    /// What joins qualified names.
    pub(crate) separator: &'static str,
    /// Neighbouring definitions of one name are one definition: clauses, equations, overload signatures.
    pub(crate) joins_same_name: bool,
    /// Rewrites text for the parser without moving an offset.
    pub(crate) prepare: Option<Prepare>,
    /// Finds imports deep inside expressions.
    pub(crate) deep_imports: Option<ReadDeepImports>,
    /// Rewrites text that parsed with errors without moving an offset; it is parsed again, and the better reading counts.
    pub(crate) simplify: Option<Rewrite>,
    /// Whether the tree of a text is wrong though it has no errors.
    pub(crate) misreads: Option<fn(&Tree, &str) -> bool>,
    /// The language that text which parsed with errors may be in, and how it is rewritten for its grammar.
    pub(crate) dialect: Option<(Language, Rewrite)>,
    /// Whether conditions of a preprocessor may be in the text.
    pub(crate) has_conditions: bool,
    /// What ends a block; empty if indentation does.
    pub(crate) closer: &'static str,
    /// Parameters and body of a function that has neither.
    pub(crate) stub: &'static str,
    /// Lines indented deeper than this would overflow the buffer in which the scanner keeps its indentations.
    pub(crate) max_indent: usize,
    pub(crate) rules: &'static [(&'static str, Rule)],
    /// How its names are read; `None` if they are not.
    pub(crate) names: Option<&'static NameTable>,
    /// How its functions are measured; `None` if they are not.
    pub(crate) counting: Option<&'static Counting>,
    /// How imports and packages are written.
    pub(crate) imports: Imports,
}

/// Adds imports of a whole tree that the walk does not visit.
pub(crate) type ReadDeepImports = fn(&Tree, &str, &mut Vec<Import>);

/// Rewrites text without moving an offset; none if there is nothing to rewrite.
pub(crate) type Rewrite = fn(&str) -> Option<String>;

pub(crate) type Prepare = fn(&str) -> Cow<'_, str>;

impl Table {
    pub(crate) const fn new(
        language: LanguageFn,
        separator: &'static str,
        rules: &'static [(&'static str, Rule)],
    ) -> Table {
        Table {
            language,
            separator,
            joins_same_name: false,
            prepare: None,
            deep_imports: None,
            simplify: None,
            misreads: None,
            dialect: None,
            has_conditions: false,
            closer: "}",
            stub: "(){}",
            max_indent: usize::MAX,
            rules,
            names: None,
            counting: None,
            imports: Imports::DEFAULT,
        }
    }
}

/// How imports and packages of a language are written.
#[derive(Clone, Copy)]
pub(crate) struct Imports {
    /// A word with which each import and each package is written; without any, all nodes are visited.
    pub(crate) words: &'static [&'static str],
    /// Node kinds of which only some are imports: their rule is asked.
    pub(crate) asked: &'static [&'static str],
    /// Nodes that declare a package, and where its name is.
    pub(crate) packages: &'static [(&'static str, At)],
    /// What an import is where its node does not tell.
    pub(crate) kind: ReferenceKind,
    /// Whether an import is executed as a statement, so that one in a function waits for a call.
    pub(crate) is_executed: bool,
    /// How the uses of what other packages define are written; `None` if they are not read.
    pub(crate) uses: Option<&'static Style>,
}

impl Imports {
    /// Plain imports, found without words, and no packages.
    pub(crate) const DEFAULT: Self = Self {
        words: &[],
        asked: &[],
        packages: &[],
        kind: ReferenceKind::Import,
        is_executed: false,
        uses: None,
    };
}

/// What is noted of a name.
pub(crate) enum Form {
    /// The name alone, also of members of a value.
    Member,
    /// The last part of a qualified name.
    Last,
    /// The qualified name with this between its parts.
    Path(&'static str),
}

/// How names are used in a language.
pub(crate) struct Style {
    pub(crate) form: Form,
    /// Before a name with its full path.
    pub(crate) root: &'static str,
    /// Whether only whole qualified names count, and not what they begin with.
    pub(crate) whole: bool,
    /// Whether a definition names the module that it is put into: `class A::B`.
    pub(crate) is_put_into: bool,
    /// The role that a name before a separator must have to make a qualified name, if only one does.
    pub(crate) qualified_by: Option<Role>,
    pub(crate) is_wanted: fn(&str) -> bool,
}

impl Style {
    pub(crate) const fn new(form: Form, is_wanted: fn(&str) -> bool) -> Self {
        Self { form, root: "", whole: false, is_put_into: false, qualified_by: None, is_wanted }
    }
}

pub(crate) fn starts_upper(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// A grammar with its table by node kind id.
pub(crate) struct Grammar {
    pub(crate) language: tree_sitter::Language,
    pub(crate) table: &'static Table,
    rules: Vec<Rule>,
    /// How names are read, by node kind id.
    pub(crate) name_rules: Vec<NameRule>,
    /// Finds the words of imports; `None` where any node may be one.
    pub(crate) import_words: Option<AhoCorasick>,
}

impl Grammar {
    pub(crate) fn new(table: &'static Table) -> Grammar {
        let language = tree_sitter::Language::new(table.language);
        let rules = (0..language.node_kind_count())
            .map(|id| u16::try_from(id).map_or(Rule::Plain, |id| rule_for(&language, id, table.rules)))
            .collect();
        let name_rules = table.names.map_or(Vec::new(), |names| name_rules(&language, names));
        Grammar { language, table, rules, name_rules, import_words: import_words(table.imports.words) }
    }

    /// Whether the grammar's scanner can hold the indentations of `text`.
    pub(crate) fn can_read(&self, text: &str) -> bool {
        let limit = self.table.max_indent;
        limit == usize::MAX || !text.lines().any(|line| indent(line) > limit)
    }

    /// The text for the parser: `text` without what the grammar cannot read.
    pub(crate) fn prepared<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.table.prepare.map_or(Cow::Borrowed(text), |prepare| prepare(text))
    }

    /// Whether the tree of a text has errors, or is wrong in spite of having none.
    pub(crate) fn is_misread(&self, tree: &Tree, text: &str) -> bool {
        tree.root_node().has_error() || self.has_declarations_as_expressions(tree, text)
    }

    /// Whether the tree of a text has declarations that it read as something else.
    pub(crate) fn has_declarations_as_expressions(&self, tree: &Tree, text: &str) -> bool {
        self.table.misreads.is_some_and(|misreads| misreads(tree, text))
    }

    /// A simplified version of a text that parsed with errors.
    pub(crate) fn simplified(&'static self, text: &str) -> Option<(&'static Self, String)> {
        Some((self, self.table.simplify?(text)?))
    }

    /// `text` without the directives of conditions, if it has any.
    pub(crate) fn without_conditions(&self, text: &str) -> Option<String> {
        if self.table.has_conditions { branches::without_directives(text) } else { None }
    }

    /// Whether a line that starts with `#` is an instruction of a preprocessor.
    pub(crate) fn has_conditions(&self) -> bool {
        self.table.has_conditions
    }

    /// What a node's kind means; error nodes are transparent.
    pub(crate) fn rule(&self, node: Node<'_>) -> Rule {
        self.rules.get(usize::from(node.kind_id())).copied().unwrap_or(Rule::Open)
    }
}

/// Columns before the content of a line; the marks of YAML's nested sequences count.
fn indent(line: &str) -> usize {
    let mut bytes = line.bytes().peekable();
    let mut columns = 0;
    while let Some(byte) = bytes.next() {
        let is_mark = matches!(byte, b'-' | b'?' | b':')
            && bytes.peek().is_none_or(|next| matches!(next, b' ' | b'\t'));
        if !is_mark && !matches!(byte, b' ' | b'\t') {
            break;
        }
        columns += 1;
    }
    columns
}

fn rule_for(language: &tree_sitter::Language, id: u16, rules: &[(&str, Rule)]) -> Rule {
    if !language.node_kind_is_named(id) {
        return Rule::Plain;
    }
    let kind = language.node_kind_for_id(id).unwrap_or_default();
    rules.iter().find(|(name, _)| *name == kind).map_or(Rule::Plain, |(_, rule)| *rule)
}

fn name_rules(language: &tree_sitter::Language, table: &NameTable) -> Vec<NameRule> {
    let rule = |id: usize| {
        let id = u16::try_from(id).ok()?;
        let kind = language.node_kind_for_id(id)?;
        // Some grammars have no named node for keywords that are values, as `this` of C#.
        let is_read = language.node_kind_is_named(id) || language.id_for_node_kind(kind, true) == 0;
        if !is_read {
            return None;
        }
        table.rules.iter().find(|(name, _)| *name == kind).map(|(_, rule)| *rule)
    };
    let broken = table.rules.iter().find(|(name, _)| *name == "ERROR").map(|(_, rule)| *rule);
    let all = (0..language.node_kind_count()).map(rule).chain(std::iter::once(broken));
    all.map(|rule| rule.unwrap_or(NameRule::Inside)).collect()
}

fn import_words(words: &[&str]) -> Option<AhoCorasick> {
    // Keywords of PHP may be written in capitals.
    let is_php = words.contains(&"include");
    let mut builder = AhoCorasick::builder();
    // Of the leftmost match, several bytes are compared at once.
    builder.match_kind(MatchKind::LeftmostFirst).ascii_case_insensitive(is_php);
    (!words.is_empty()).then(|| builder.build(words).ok())?
}
