//! Symbols of packages that code refers to, by the imports of their file.

use craig_chunk::names::{
    Definition, DefinitionIx, Imported, ImportedName, Names, Occurrence, OccurrenceIx, Site, Source, Value,
    names,
};
use craig_source::Language;
use craig_symbols::{Ecosystem, package_name};

/// Values of values are followed this far.
const MAX_STEPS: usize = 8;

/// A symbol that an import leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ImportedSymbol {
    /// The module as written: `lodash/fp`, `flask.views`, `serde_json`.
    pub(super) module: String,
    /// What is called to get the value that the path begins in: of `Parser::from_env().value`, `Parser::from_env`.
    pub(super) receiver: Option<Box<ImportedSymbol>>,
    /// Names from the module, or from the type of what the receiver returns, to the symbol: `["Router", "get"]`; empty for
    /// what these themselves are.
    pub(super) path: Vec<String>,
    /// What the code calls the first of them.
    pub(super) local: String,
    /// Number of arguments of a call, in languages that select overloads by it.
    pub(super) arguments: Option<u8>,
}

/// The imported symbols that a text refers to in some lines, counted from 1, in order, each once. None if the lines are those of
/// a definition: that is what they are about.
pub(super) fn in_lines(language: Language, text: &str, first: u32, last: u32) -> Vec<ImportedSymbol> {
    let names = names(language, text);
    let defines = names.definitions.iter().any(|of| (first..=last).contains(&of.line));
    if first < last && defines {
        return Vec::new();
    }
    let reader = Reader { names: &names, language };
    let imports = names.imports.iter().filter(|import| (first..=last).contains(&import.line));
    let wanted = names.occurrences.iter().filter(|of| (first..=last).contains(&of.line));
    let symbols = wanted.filter_map(|of| reader.symbol(of, MAX_STEPS));
    let mut found: Vec<ImportedSymbol> = Vec::new();
    for symbol in symbols.chain(imports.filter_map(|import| reader.imported(import))) {
        if !found.contains(&symbol) {
            found.push(symbol);
        }
    }
    found
}

/// The imported symbol whose name has a byte of a line, both as in the text: lines from 1, bytes from 0.
pub(super) fn at(language: Language, text: &str, line: u32, column: u32) -> Option<ImportedSymbol> {
    let names = names(language, text);
    let reader = Reader { names: &names, language };
    let holds = |of: &&Occurrence| {
        let len = u32::try_from(names.text(of.name).len()).unwrap_or(u32::MAX);
        of.line == line && (of.column..=of.column.saturating_add(len)).contains(&column)
    };
    names.occurrences.iter().filter(holds).find_map(|of| reader.symbol(of, MAX_STEPS))
}

struct Reader<'n> {
    names: &'n Names,
    language: Language,
}

impl Reader<'_> {
    fn symbol(&self, of: &Occurrence, steps: usize) -> Option<ImportedSymbol> {
        let steps = steps.checked_sub(1)?;
        let name = self.names.text(of.name);
        let symbol = match of.site {
            Site::Import(import) => self.imported(self.names.imports.get(import as usize)?),
            Site::Bare => self.bare(name, steps),
            Site::Member(value) => match self.local_type(value) {
                Some(at) => self.instance(self.member(at, name)?.value, steps),
                None => self.value(value, steps).map(|mut owner| {
                    owner.path.push(name.to_owned());
                    owner
                }),
            },
            Site::Key(_) | Site::Lexical(_) | Site::Local => None,
        };
        symbol.map(|symbol| ImportedSymbol { arguments: of.arguments, ..symbol })
    }

    /// What an import calls so, or what a variable of the file holds.
    fn bare(&self, name: &str, steps: usize) -> Option<ImportedSymbol> {
        let of_name =
            |import: &&ImportedName| import.local.is_some_and(|local| self.names.text(local) == name);
        if let Some(import) = self.names.imports.iter().find(of_name) {
            return self.imported(import);
        }
        let definition = self.names.definitions.iter().find(|of| self.names.text(of.name) == name);
        match definition {
            Some(definition) => self.instance(definition.value, steps),
            None if self.language == Language::Go => self.package_of_go(name),
            // A built-in, or a name of a star import.
            None if matches!(self.language, Language::Python | Language::Notebook) => None,
            // A path of Rust needs no import: `serde_json::to_string`.
            None => Some(ImportedSymbol::of_module(name, name)),
        }
    }

    /// The one import whose path ends with a name that has this one as a word: `kafka` of `github.com/segmentio/kafka-go`.
    fn package_of_go(&self, name: &str) -> Option<ImportedSymbol> {
        let is_version = |part: &&str| part.strip_prefix('v').is_some_and(|rest| rest.parse::<u32>().is_ok());
        let has_word = |import: &&ImportedName| {
            let last = self.names.text(import.module).rsplit('/').find(|part| !is_version(part));
            last.is_some_and(|last| last.split(['-', '.', '_']).any(|word| word == name))
        };
        let mut imports = self.names.imports.iter().filter(has_word);
        imports.next().filter(|_| imports.next().is_none()).and_then(|import| self.imported(import))
    }

    /// The type of this file that a value is an instance of.
    fn local_type(&self, value: Value) -> Option<DefinitionIx> {
        let at = match value {
            Value::Instance(Source::Definition(at)) | Value::Super(at) => at,
            Value::Instance(Source::Occurrence(at)) => {
                let name =
                    self.occurrence(at).filter(|of| matches!(of.site, Site::Bare | Site::Lexical(_)))?.name;
                self.names.definitions.iter().position(|of| of.name == name && of.kind.is_type())?
                    as DefinitionIx
            }
            _ => return None,
        };
        self.names.definitions.get(at as usize).filter(|of| of.kind.is_type()).map(|_| at)
    }

    /// The member of a type of this file.
    fn member(&self, of: DefinitionIx, name: &str) -> Option<&Definition> {
        let mut members = self.names.definitions.iter().filter(|member| member.parent == Some(of));
        members.find(|member| self.names.text(member.name) == name)
    }

    fn imported(&self, import: &ImportedName) -> Option<ImportedSymbol> {
        let path = match import.what {
            Imported::Module | Imported::Default => Vec::new(),
            Imported::Name(name) => vec![self.names.text(name).to_owned()],
            Imported::All => return None,
        };
        let local = import.local.map(|local| self.names.text(local)).unwrap_or_default();
        Some(ImportedSymbol { path, ..ImportedSymbol::of_module(self.names.text(import.module), local) })
    }

    fn value(&self, value: Value, steps: usize) -> Option<ImportedSymbol> {
        match value {
            Value::Itself(source) => self.source(source, steps),
            other => self.instance(other, steps),
        }
    }

    /// The type that a value is an instance of: what a call returns, or a declared type.
    fn instance(&self, value: Value, steps: usize) -> Option<ImportedSymbol> {
        match value {
            Value::Called(source) => self.source(source, steps).map(ImportedSymbol::called),
            Value::Instance(source) => self.source(source, steps),
            Value::Choice(at) => {
                let choice = self.names.choices.get(at as usize)?;
                let steps = steps.checked_sub(1)?;
                choice.values().into_iter().find_map(|value| self.instance(value, steps))
            }
            _ => None,
        }
    }

    fn source(&self, source: Source, steps: usize) -> Option<ImportedSymbol> {
        let Source::Occurrence(at) = source else { return None };
        self.symbol(self.occurrence(at)?, steps)
    }

    fn occurrence(&self, at: OccurrenceIx) -> Option<&Occurrence> {
        self.names.occurrences.get(at as usize)
    }
}

impl ImportedSymbol {
    fn of_module(module: &str, local: &str) -> Self {
        Self {
            module: module.to_owned(),
            receiver: None,
            path: Vec::new(),
            local: local.to_owned(),
            arguments: None,
        }
    }

    /// What a call of it returns. What a module's default returns is named like the module.
    fn called(self) -> Self {
        if self.path.is_empty() && self.receiver.is_none() {
            return self;
        }
        let returned = Self::of_module(&self.module, &self.local);
        Self { receiver: Some(Box::new(self)), ..returned }
    }

    /// What the code reaches the symbol through: itself, or the receiver of its receiver.
    pub(super) fn root(&self) -> &Self {
        self.receiver.as_ref().map_or(self, |receiver| receiver.root())
    }

    /// Whether it is the module or type that another symbol, or what that is called on, is a member of.
    pub(super) fn has_member(&self, other: &Self) -> bool {
        let is_member = self.module == other.module
            && self.receiver == other.receiver
            && self.path.len() < other.path.len()
            && other.path.starts_with(&self.path);
        is_member || other.receiver.as_ref().is_some_and(|receiver| self.has_member(receiver))
    }

    /// Whether it is what an import brings in as a whole.
    pub(super) fn is_module(&self) -> bool {
        self.path.is_empty() && self.receiver.is_none()
    }

    /// The import as packages are matched with it, and its ecosystem; none for languages whose packages are not read, and for
    /// modules of the project itself.
    pub(super) fn package(&self, language: Language) -> Option<(Ecosystem, String)> {
        use Language as L;
        let module = self.module.as_str();
        Some(match language {
            L::JavaScript | L::TypeScript | L::Tsx | L::Vue | L::Svelte | L::Astro => {
                (Ecosystem::Npm, package_name(module)?)
            }
            L::Python | L::Notebook => {
                (Ecosystem::PyPi, (!module.starts_with('.')).then(|| module.to_owned())?)
            }
            L::Rust => (Ecosystem::Cargo, module.split("::").next()?.to_owned()),
            L::Go => (Ecosystem::Go, module.to_owned()),
            L::Java | L::Kotlin | L::Scala | L::Groovy => (
                Ecosystem::Maven,
                self.root().path.first().map_or(module.to_owned(), |name| format!("{module}.{name}")),
            ),
            _ => return None,
        })
    }
}
