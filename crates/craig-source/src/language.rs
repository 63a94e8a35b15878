//! Languages and how they are recognised by a path or a first line.

mod comments;
mod shared;
mod table;

use std::{borrow::Cow, collections::HashMap, sync::LazyLock};

use craig_text::path::name;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use table::{Facts, TABLE};

pub use comments::CommentSyntax;
pub(crate) use shared::of_shared_extension;
pub use table::Language;

/// The coarse purpose of a file: the `--kind` filter of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// Source code.
    Code,
    /// Prose: Markdown, plain text.
    Docs,
    /// Settings and data: JSON, YAML, TOML, INI, XML …
    Config,
}

impl Language {
    /// The language by a file's name: whole name first (`Makefile`, `Dockerfile.dev`), then extension. A template that is
    /// named after what it makes has the language of that: `setup.py.in`, `nginx.conf.j2`.
    ///
    /// Case does not matter. `None` for an unknown name: then ask the first line. Extensions that languages share have
    /// one of them here, such as C for `.h`; the others are recognised by the content, in [`read`](crate::read).
    pub fn from_path(path: &str) -> Option<Language> {
        by_name(&lower_case(name(path)))
    }

    /// The language of a script by its `#!` line: `#!/usr/bin/env -S python3.12 -u` is Python.
    pub fn from_shebang(first_line: &str) -> Option<Language> {
        let mut words = first_line.strip_prefix("#!")?.split_ascii_whitespace();
        let program = base_name(words.next()?);
        let program =
            if program == "env" { base_name(words.find(|word| !is_env_option(word))?) } else { program };
        let program = lower_case(program);
        let unversioned = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        let index = &INDEX.interpreters;
        index.get(program.as_ref()).or_else(|| index.get(unversioned)).copied()
    }

    /// The language a user means by an id, a label or a common alias: `ts`, `C++`, `c#`, `bash`, `Python`.
    pub fn from_id(id: &str) -> Option<Language> {
        INDEX.ids.get(lower_case(id.trim()).as_ref()).copied()
    }

    /// Every language, in the order of the table.
    pub fn all() -> impl Iterator<Item = Language> {
        TABLE.iter().map(|facts| facts.language)
    }

    /// Language id as VS Code names it: `typescript`, `typescriptreact`, `csharp`, `shellscript`.
    pub fn id(self) -> &'static str {
        self.facts().id
    }

    /// Name for people: `C#`, `TypeScript JSX`.
    pub fn label(self) -> &'static str {
        self.facts().label
    }

    /// Whether each of its files is a component that others import, with scripts in it.
    pub fn is_component(self) -> bool {
        matches!(self, Self::Vue | Self::Svelte | Self::Astro)
    }

    /// Code, documentation or configuration.
    pub fn kind(self) -> FileKind {
        self.facts().kind
    }

    /// How it marks comments.
    pub fn comments(self) -> CommentSyntax {
        self.facts().comments
    }

    /// File extensions without the dot, lower case.
    pub fn extensions(self) -> &'static [&'static str] {
        self.facts().extensions
    }

    fn facts(self) -> &'static Facts {
        &TABLE[self as usize]
    }
}

impl Serialize for Language {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = Cow::<'de, str>::deserialize(deserializer)?;
        Language::from_id(&id).ok_or_else(|| de::Error::custom(format_args!("unknown language `{id}`")))
    }
}

/// The table turned round, for look-ups.
struct Index {
    ids: HashMap<String, Language>,
    extensions: HashMap<&'static str, Language>,
    file_names: HashMap<&'static str, Language>,
    interpreters: HashMap<&'static str, Language>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| Index {
    ids: ids(),
    extensions: turned(|facts| facts.extensions),
    file_names: turned(|facts| facts.file_names),
    interpreters: turned(|facts| facts.interpreters),
});

fn turned(column: fn(&Facts) -> &'static [&'static str]) -> HashMap<&'static str, Language> {
    TABLE.iter().flat_map(|facts| column(facts).iter().map(|word| (*word, facts.language))).collect()
}

/// Ids win over aliases, aliases over labels, so that no row can take another row's id.
fn ids() -> HashMap<String, Language> {
    let labels = TABLE.iter().map(|facts| (facts.label.to_lowercase(), facts.language));
    let aliases =
        TABLE.iter().flat_map(|facts| facts.aliases.iter().map(|a| (a.to_string(), facts.language)));
    let ids = TABLE.iter().map(|facts| (facts.id.to_owned(), facts.language));
    labels.chain(aliases).chain(ids).collect()
}

fn by_name(name: &str) -> Option<Language> {
    by_whole_name(name).or_else(|| by_inner_name(name)).or_else(|| by_extension(name))
}

/// Extensions of files that become the file named before them.
const TEMPLATES: [&str; 12] =
    ["in", "tmpl", "tpl", "template", "dist", "example", "sample", "default", "j2", "jinja", "jinja2", "njk"];

/// Template engines that mostly make pages, whose own language is more specific than `html`.
const PAGE_TEMPLATES: [&str; 7] = ["ejs", "erb", "handlebars", "hbs", "liquid", "mustache", "twig"];

/// The language of what a template makes.
fn by_inner_name(name: &str) -> Option<Language> {
    let (inner, ending) = name.rsplit_once('.')?;
    if TEMPLATES.contains(&ending) {
        return by_name(inner);
    }
    by_name(inner).filter(|inner| PAGE_TEMPLATES.contains(&ending) && *inner != Language::Html)
}

/// The name of what a template makes; of another file, its own.
fn inner_name(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((inner, ending)) if TEMPLATES.contains(&ending) && inner.contains('.') => inner,
        _ => name,
    }
}

/// `Makefile`, and also `Dockerfile.dev` and `.env.local`: a name before the first dot that names a language by itself.
fn by_whole_name(name: &str) -> Option<Language> {
    if let Some(language) = INDEX.file_names.get(name) {
        return Some(*language);
    }
    if name.starts_with(".env.") {
        return Some(Language::DotEnv);
    }
    let (stem, rest) = name.split_once('.')?;
    let is_variant =
        matches!(stem, "dockerfile" | "containerfile" | "makefile" | "jenkinsfile" | "vagrantfile");
    (is_variant && !INDEX.extensions.contains_key(rest)).then(|| INDEX.file_names[stem])
}

/// The longest extension that the table knows: `app.src` before `src`.
fn by_extension(name: &str) -> Option<Language> {
    name.match_indices('.').find_map(|(dot, _)| INDEX.extensions.get(&name[dot + 1..]).copied())
}

fn base_name(program: &str) -> &str {
    name(program)
}

/// A flag of `env` or a variable set by it, before the program's name.
fn is_env_option(word: &str) -> bool {
    word.starts_with('-') || word.contains('=')
}

fn lower_case(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests;
