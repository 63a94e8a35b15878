//! Symbols of packages that code refers to, by the imports of their file.

use craig_chunk::names::{
    Imported, ImportedName, Names, Occurrence, OccurrenceIx, Site, Source, Value, names,
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
    /// Names from the module to the symbol: `["Router", "get"]`; empty for what the module itself or its default is.
    pub(super) path: Vec<String>,
    /// What the code calls the first of them.
    pub(super) local: String,
}

/// The imported symbols that a text refers to in some lines, counted from 1, in order, each once; not those of which only a
/// member is meant. None if the lines are those of a definition: that is what they are about.
pub(super) fn in_lines(language: Language, text: &str, first: u32, last: u32) -> Vec<ImportedSymbol> {
    let names = names(language, text);
    let defines = names.definitions.iter().any(|of| (first..=last).contains(&of.line));
    if first < last && defines {
        return Vec::new();
    }
    let reader = Reader { names: &names };
    let wanted = names.occurrences.iter().filter(|of| (first..=last).contains(&of.line));
    let mut found: Vec<ImportedSymbol> = Vec::new();
    for symbol in wanted.filter_map(|of| reader.symbol(of, MAX_STEPS)) {
        if !found.contains(&symbol) {
            found.push(symbol);
        }
    }
    let is_named_below = |symbol: &ImportedSymbol, of: &ImportedSymbol| {
        of.module == symbol.module && of.path.len() > symbol.path.len() && of.path.starts_with(&symbol.path)
    };
    let all = found.clone();
    found.retain(|symbol| !all.iter().any(|of| is_named_below(symbol, of)));
    found
}

/// The imported symbol whose name has a byte of a line, both as in the text: lines from 1, bytes from 0.
pub(super) fn at(language: Language, text: &str, line: u32, column: u32) -> Option<ImportedSymbol> {
    let names = names(language, text);
    let reader = Reader { names: &names };
    let holds = |of: &&Occurrence| {
        let len = u32::try_from(names.text(of.name).len()).unwrap_or(u32::MAX);
        of.line == line && (of.column..=of.column.saturating_add(len)).contains(&column)
    };
    names.occurrences.iter().filter(holds).find_map(|of| reader.symbol(of, MAX_STEPS))
}

struct Reader<'n> {
    names: &'n Names,
}

impl Reader<'_> {
    fn symbol(&self, of: &Occurrence, steps: usize) -> Option<ImportedSymbol> {
        let steps = steps.checked_sub(1)?;
        match of.site {
            Site::Import(import) => self.imported(self.names.imports.get(import as usize)?),
            Site::Bare => self.bare(self.names.text(of.name), steps),
            Site::Member(value) => {
                let mut owner = self.value(value, steps)?;
                owner.path.push(self.names.text(of.name).to_owned());
                Some(owner)
            }
            Site::Key(_) | Site::Lexical(_) | Site::Local => None,
        }
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
            // A path of Rust needs no import: `serde_json::to_string`.
            None => {
                Some(ImportedSymbol { module: name.to_owned(), path: Vec::new(), local: name.to_owned() })
            }
        }
    }

    fn imported(&self, import: &ImportedName) -> Option<ImportedSymbol> {
        let path = match import.what {
            Imported::Module | Imported::Default => Vec::new(),
            Imported::Name(name) => vec![self.names.text(name).to_owned()],
            Imported::All => return None,
        };
        let local = import.local.map(|local| self.names.text(local).to_owned()).unwrap_or_default();
        Some(ImportedSymbol { module: self.names.text(import.module).to_owned(), path, local })
    }

    fn value(&self, value: Value, steps: usize) -> Option<ImportedSymbol> {
        match value {
            Value::Itself(source) => self.source(source, steps),
            other => self.instance(other, steps),
        }
    }

    /// The type that a value is an instance of: a called class, or a declared type.
    fn instance(&self, value: Value, steps: usize) -> Option<ImportedSymbol> {
        match value {
            Value::Called(source) | Value::Instance(source) => self.source(source, steps),
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
                self.path.first().map_or(module.to_owned(), |name| format!("{module}.{name}")),
            ),
            _ => return None,
        })
    }
}
