//! All definitions of a project, by file, package, type and name.

use craig_chunk::names::{
    Definition, DefinitionKind, GLOBAL, Imported, NameId, Names, Source, Traits, Value,
};
use craig_source::Language;
use craig_text::path::{file_stem, folder};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{SymbolDefinition, SymbolIx};
use crate::workspace::{FileIx, SourceFile, Workspace};

/// A name, the same number in all files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Name(pub(super) u32);

/// A package or namespace of some files, or one file for itself.
pub(super) type GroupIx = u32;

/// Languages that may refer to each other's symbols, with how their names are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Family {
    Script,
    Python,
    Rust,
    Go,
    Jvm,
    CSharp,
    Php,
    Ruby,
    C,
    Other(Language),
}

impl Family {
    pub(super) fn from_language(language: Language) -> Self {
        use Language as L;
        match language {
            L::TypeScript | L::Tsx | L::JavaScript | L::Vue | L::Svelte | L::Astro => Self::Script,
            L::Python => Self::Python,
            L::Rust => Self::Rust,
            L::Go => Self::Go,
            L::Java | L::Kotlin | L::Scala | L::Groovy => Self::Jvm,
            L::CSharp => Self::CSharp,
            L::Php => Self::Php,
            L::Ruby => Self::Ruby,
            L::C | L::Cpp | L::Cuda | L::ObjectiveC => Self::C,
            other => Self::Other(other),
        }
    }

    /// Whether files of one package see each other's top-level names.
    pub(super) fn has_packages(self) -> bool {
        matches!(self, Self::Go | Self::Jvm | Self::CSharp | Self::Php)
    }

    /// What is between the names of nested packages.
    pub(super) fn package_separator(self) -> Option<char> {
        match self {
            Self::Jvm | Self::CSharp => Some('.'),
            Self::Php => Some('\\'),
            _ => None,
        }
    }

    /// Whether a bare name may be a member of the enclosing type.
    pub(super) fn has_implicit_members(self) -> bool {
        matches!(self, Self::Jvm | Self::CSharp | Self::Ruby | Self::Other(_))
    }

    /// Whether top-level names are seen in all files, by no further rule.
    pub(super) fn has_global_names(self) -> bool {
        matches!(self, Self::CSharp | Self::Other(_))
    }

    /// Whether a type, a function and a variable may share a name, and functions may be overloaded.
    pub(super) fn has_separate_names(self) -> bool {
        matches!(self, Self::Jvm | Self::CSharp | Self::Php)
    }

    /// Whether the types of values are mostly unknown.
    pub(super) fn is_dynamic(self) -> bool {
        matches!(self, Self::Script | Self::Python | Self::Ruby | Self::Php | Self::Other(_))
    }
}

/// Definitions of one name in one scope that its occurrences are bound to. Overloads are fewer; a file that defines a name
/// in each of its lines would have references as many as the square of them.
const MAX_SAME_NAME: usize = 64;

fn add(same_name: &mut Vec<SymbolIx>, at: usize) {
    if same_name.len() < MAX_SAME_NAME {
        same_name.push(at as SymbolIx);
    }
}

/// A definition in the table.
pub(super) struct Entry {
    pub(super) file: u32,
    pub(super) ix: u32,
    pub(super) name: Name,
    pub(super) kind: DefinitionKind,
    pub(super) parent: Option<SymbolIx>,
    pub(super) traits: Traits,
}

/// Top-level names of a file or a package.
pub(super) type Scope = FxHashMap<Name, Vec<SymbolIx>>;

pub(super) struct Table<'n> {
    pub(super) workspace: &'n Workspace,
    pub(super) files: &'n [Names],
    pub(super) families: Vec<Family>,
    /// Number of definitions before those of each file.
    pub(super) offsets: Vec<u32>,
    ids: FxHashMap<&'n str, Name>,
    texts: Vec<&'n str>,
    /// Names of each file by their number in it.
    names: Vec<Vec<Name>>,
    pub(super) entries: Vec<Entry>,
    /// Top-level definitions of each file.
    pub(super) top: Vec<Scope>,
    /// The first of the definitions that are one type.
    canonical: Vec<SymbolIx>,
    members: FxHashMap<(SymbolIx, Name), Vec<SymbolIx>>,
    /// Types and namespaces of C++ by what encloses them.
    spaces: FxHashMap<(Option<SymbolIx>, Name), Vec<SymbolIx>>,
    /// What extends types of any project, by name.
    extensions: FxHashMap<Name, Vec<SymbolIx>>,
    /// Constructors by their type.
    constructors: FxHashMap<SymbolIx, Vec<SymbolIx>>,
    /// Definitions that have members.
    has_members: FxHashSet<SymbolIx>,
    /// Definitions that other files may name, at most [`MAX_SAME_NAME`] of a name in each file.
    by_name: FxHashMap<Name, Vec<SymbolIx>>,
    pub(super) group_of: Vec<GroupIx>,
    groups: FxHashMap<Family, FxHashMap<String, GroupIx>>,
    pub(super) group_top: Vec<Scope>,
    /// Names of packages.
    group_names: Vec<String>,
}

impl<'n> Table<'n> {
    pub(super) fn new(workspace: &'n Workspace, files: &'n [Names]) -> Self {
        let mut table = Self {
            workspace,
            files,
            families: workspace.files.iter().map(|file| Family::from_language(file.language)).collect(),
            offsets: Vec::with_capacity(files.len()),
            ids: FxHashMap::default(),
            texts: Vec::new(),
            names: Vec::with_capacity(files.len()),
            entries: Vec::new(),
            top: Vec::with_capacity(files.len()),
            canonical: Vec::new(),
            members: FxHashMap::default(),
            spaces: FxHashMap::default(),
            extensions: FxHashMap::default(),
            constructors: FxHashMap::default(),
            has_members: FxHashSet::default(),
            by_name: FxHashMap::default(),
            group_of: Vec::with_capacity(files.len()),
            groups: FxHashMap::default(),
            group_top: Vec::new(),
            group_names: Vec::new(),
        };
        for (file, names) in files.iter().enumerate() {
            table.add_file(file, names);
        }
        table.place_members();
        table
    }

    fn add_file(&mut self, file: FileIx, names: &'n Names) {
        let ids = names.texts.iter().map(|text| self.intern(text)).collect();
        self.names.push(ids);
        let offset = self.entries.len() as u32;
        self.offsets.push(offset);
        for (ix, definition) in names.definitions.iter().enumerate() {
            let name = self.name(file, definition.name);
            self.entries.push(Entry {
                file: file as u32,
                ix: ix as u32,
                name,
                kind: definition.kind,
                parent: definition.parent.map(|parent| offset + parent),
                traits: definition.traits,
            });
        }
        let group = self.group_for(file, names);
        self.group_of.push(group);
        let mut top = Scope::default();
        let imported = match self.families[file] {
            Family::Python => imported_by_module(names),
            _ => FxHashSet::default(),
        };
        for at in offset as usize..self.entries.len() {
            let Entry { name, kind, parent, traits, ix, .. } = self.entries[at];
            // Extensions are imported by their names alone.
            let is_owned = names.definitions[ix as usize].owner.is_some() && !traits.has(Traits::EXTENSION)
                || kind == DefinitionKind::EnumMember && traits.has(Traits::STATIC);
            if traits.has(Traits::LOCAL) {
                continue;
            }
            let same_name = self.by_name.entry(name).or_default();
            let is_full =
                same_name.len().checked_sub(MAX_SAME_NAME).is_some_and(|first| same_name[first] >= offset);
            if !is_full {
                same_name.push(at as u32);
            }
            // The fallback for an import that may fail, or that only type checkers see.
            let is_fallback = matches!(kind, DefinitionKind::Variable | DefinitionKind::Constant)
                && imported.contains(&names.definitions[ix as usize].name);
            let is_top = parent.is_none_or(|parent| self.is_transparent(parent)) && !is_owned && !is_fallback;
            if is_top {
                add(top.entry(name).or_default(), at);
                add(self.group_top[group as usize].entry(name).or_default(), at);
            }
        }
        self.top.push(top);
    }

    /// Namespaces whose names count as those of their package, and C's enumerations.
    fn is_transparent(&self, at: SymbolIx) -> bool {
        let entry = &self.entries[at as usize];
        let family = self.families[entry.file as usize];
        if family == Family::C && entry.kind == DefinitionKind::Enum {
            return entry.parent.is_none_or(|parent| self.is_transparent(parent));
        }
        entry.kind == DefinitionKind::Module
            && matches!(family, Family::C | Family::CSharp | Family::Php)
            && entry.parent.is_none_or(|parent| self.is_transparent(parent))
    }

    fn group_for(&mut self, file: FileIx, names: &Names) -> GroupIx {
        let family = self.families[file];
        let path = &self.workspace.files[file].path;
        let package = names.packages.first().map(|&package| names.text(package));
        let key = match family {
            Family::Go => format!("{}\0{}", folder(path), package.unwrap_or_default()),
            // Nobody sees what a script defines.
            Family::Jvm if path.ends_with(".kts") => format!("\0{path}"),
            _ if family.has_packages() => package.unwrap_or_default().to_owned(),
            _ => format!("\0{path}"),
        };
        self.add_group(family, &key)
    }

    /// A package and those around it.
    fn add_group(&mut self, family: Family, package: &str) -> GroupIx {
        if let Some(known) = self.group(family, package) {
            return known;
        }
        if let Some((outer, _)) = family.package_separator().and_then(|at| package.rsplit_once(at)) {
            self.add_group(family, outer);
        }
        let group = self.group_top.len() as GroupIx;
        self.groups.entry(family).or_default().insert(package.to_owned(), group);
        self.group_top.push(Scope::default());
        self.group_names.push(package.to_owned());
        group
    }

    /// The package of that name in another one.
    pub(super) fn inner_group(&self, family: Family, outer: GroupIx, name: Name) -> Option<GroupIx> {
        let outer = self.group_names.get(outer as usize)?;
        let name = self.text(name)?;
        if outer.is_empty() {
            return self.group(family, name);
        }
        self.group(family, &format!("{outer}{}{name}", family.package_separator()?))
    }

    /// The packages around a package, from the inside; the last is the one without a name.
    pub(super) fn outer_groups(&self, family: Family, group: GroupIx) -> Vec<GroupIx> {
        let mut name = self.group_names.get(group as usize).map_or("", String::as_str);
        let mut found = Vec::new();
        while let Some((outer, _)) = family.package_separator().and_then(|at| name.rsplit_once(at)) {
            found.extend(self.group(family, outer));
            name = outer;
        }
        if !name.is_empty() {
            found.extend(self.group(family, ""));
        }
        found
    }

    /// Members by their type; those whose type does not enclose them find it by its name.
    fn place_members(&mut self) {
        self.canonical = (0..self.entries.len() as u32).collect();
        self.join_reopened();
        for at in 0..self.entries.len() {
            let Entry { file, ix, .. } = self.entries[at];
            let definition = &self.files[file as usize].definitions[ix as usize];
            let is_inner_extension = definition.parent.is_some() && definition.traits.has(Traits::EXTENSION);
            if let Some(owner) = definition.owner.filter(|_| !is_inner_extension) {
                let owner = match self.families[file as usize] {
                    Family::Jvm => self.receiver_type(file as usize, self.files[file as usize].text(owner)),
                    Family::C => self.qualified_owner(at as SymbolIx, self.files[file as usize].text(owner)),
                    _ => self.type_named(file as usize, self.name(file as usize, owner)),
                };
                if let Some(owner) = owner
                    && !self.is_inside(owner, at as SymbolIx)
                {
                    self.entries[at].parent = Some(owner);
                    if self.families[file as usize] == Family::C {
                        self.place_in_space(at, owner);
                    }
                }
            }
            let Entry { name, parent, kind, traits, .. } = self.entries[at];
            // An enumerator of C is a name of what encloses the enumeration as well.
            if let Some(around) = self.around_enumeration(at as SymbolIx) {
                self.has_members.insert(around);
                add(self.members.entry((self.canonical[around as usize], name)).or_default(), at);
            }
            let is_placed = definition.parent.is_none() && parent.is_some();
            if !kind.is_type() && traits.has(Traits::EXTENSION) && !is_placed {
                self.extensions.entry(name).or_default().push(at as u32);
            }
            if let Some(parent) = parent.filter(|&parent| self.is_member(at, parent)) {
                if kind == DefinitionKind::Constructor {
                    let of = self.canonical[parent as usize];
                    add(self.constructors.entry(of).or_default(), at);
                }
                self.has_members.insert(parent);
                add(self.members.entry((self.canonical[parent as usize], name)).or_default(), at);
            }
        }
    }

    /// Places what a name of C++ such as `shop::Cart` defines outside of its owner: in a namespace, it is no member.
    fn place_in_space(&mut self, at: usize, owner: SymbolIx) {
        let is_namespace = self.entries[owner as usize].kind == DefinitionKind::Module;
        let entry = &mut self.entries[at];
        entry.kind = match entry.kind {
            DefinitionKind::Method if is_namespace => DefinitionKind::Function,
            DefinitionKind::Field if is_namespace => DefinitionKind::Variable,
            kind => kind,
        };
        let key = (Some(self.canonical[owner as usize]), entry.name);
        if self.is_space(at as SymbolIx) {
            self.spaces.entry(key).or_default().push(at as SymbolIx);
        }
    }

    /// What encloses the enumeration of an enumerator of C, unless that is known by the name of the enumeration alone.
    fn around_enumeration(&self, at: SymbolIx) -> Option<SymbolIx> {
        let Entry { kind, parent, traits, .. } = self.entries[at as usize];
        let is_open = kind == DefinitionKind::EnumMember && !traits.has(Traits::STATIC);
        let of = parent.filter(|_| is_open && self.family(at) == Family::C)?;
        self.entries[of as usize].parent
    }

    /// Whether a definition is a type or a module.
    fn is_space(&self, at: SymbolIx) -> bool {
        let kind = self.entries[at as usize].kind;
        kind.is_type() || kind == DefinitionKind::Module
    }

    /// What the name before a member of C++ that stands outside of it means, such as `shop::Cart`: sought from where the member
    /// stands outwards, else the nearest of those whose name ends so.
    fn qualified_owner(&self, at: SymbolIx, path: &str) -> Option<SymbolIx> {
        let Entry { file, parent, .. } = self.entries[at as usize];
        let file = file as usize;
        let parts: Vec<Name> = path.split("::").map(|part| self.find(part)).collect::<Option<_>>()?;
        let around = std::iter::successors(parent, |&at| self.entries[at as usize].parent);
        let mut around = around.map(Some).chain([None]);
        let last = parts.last().copied()?;
        around
            .find_map(|scope| {
                parts.iter().try_fold(scope, |of, &name| self.space(file, of, name).map(Some))?
            })
            .or_else(|| self.nearest(file, last, |at| self.is_named(at, &parts)))
            .or_else(|| self.type_named(file, last))
    }

    /// A type or namespace of C++ that a file may see, in another one or outside of all.
    fn space(&self, file: FileIx, of: Option<SymbolIx>, name: Name) -> Option<SymbolIx> {
        let found = self.spaces.get(&(of.map(|of| self.canonical[of as usize]), name))?;
        let file_of = |at: SymbolIx| self.entries[at as usize].file as usize;
        let is_shared = |at: SymbolIx| {
            self.entries[at as usize].kind == DefinitionKind::Module || self.is_header(file_of(at))
        };
        let own = found.iter().find(|&&at| file_of(at) == file);
        own.or_else(|| found.iter().find(|&&at| is_shared(at))).copied()
    }

    /// Whether the names of a definition and of what encloses it end with these.
    fn is_named(&self, at: SymbolIx, names: &[Name]) -> bool {
        let around = std::iter::successors(Some(at), |&at| self.entries[at as usize].parent);
        let mut around = around.map(|at| self.entries[at as usize].name);
        names.iter().rev().all(|&name| around.next() == Some(name))
    }

    /// Whether a definition is another one or inside of it: `class A::A` does not enclose itself.
    fn is_inside(&self, at: SymbolIx, outer: SymbolIx) -> bool {
        std::iter::successors(Some(at), |&at| self.entries[at as usize].parent).any(|at| at == outer)
    }

    /// Types of one name in one package, and where a language reopens types also beyond, are one.
    fn join_reopened(&mut self) {
        type Key = (Option<SymbolIx>, Option<GroupIx>, Name, Option<u8>);
        let mut first: FxHashMap<Key, SymbolIx> = FxHashMap::default();
        for at in 0..self.entries.len() {
            let Entry { file, name, kind, parent, traits, .. } = self.entries[at];
            let family = self.families[file as usize];
            // What encloses such a type of C++ is not known yet.
            let is_outside = family == Family::C && self.definition(at as u32).owner.is_some();
            if !self.is_space(at as SymbolIx) || traits.has(Traits::LOCAL) || is_outside {
                continue;
            }
            let parent = parent.map(|parent| self.canonical[parent as usize]);
            let group = match family {
                Family::Ruby => None,
                Family::Script if self.is_global_namespace(at) => None,
                // A type of a source file is unknown to others.
                Family::C if kind == DefinitionKind::Module || self.is_header(file as usize) => None,
                _ => Some(self.group_of[file as usize]),
            };
            let arity = self.type_arity(at as u32);
            let known = *first.entry((parent, group, name, arity)).or_insert(at as u32);
            if self.family(known) == family {
                self.canonical[at] = known;
            }
            if family == Family::C {
                let same = self.spaces.entry((parent, name)).or_default();
                if same.last() != Some(&self.canonical[at]) {
                    same.push(self.canonical[at]);
                }
            }
        }
    }

    /// Whether a definition is a member of what encloses it: what a script defines inside of a function, or while it makes the
    /// value of a variable, is not, and neither is a type without a name.
    fn is_member(&self, at: usize, parent: SymbolIx) -> bool {
        let Entry { file, kind, .. } = self.entries[at];
        let outer = self.entries[parent as usize].kind;
        let is_apart = matches!(
            kind,
            DefinitionKind::Function
                | DefinitionKind::Variable
                | DefinitionKind::Constant
                | DefinitionKind::Type
                | DefinitionKind::Interface
        );
        self.families[file as usize] != Family::Script
            || outer.is_type()
            || outer == DefinitionKind::Module
            || !is_apart
    }

    /// Whether a definition is a namespace of TypeScript that all files see, and may add to.
    fn is_global_namespace(&self, at: usize) -> bool {
        let Entry { file, ix, kind, parent, .. } = self.entries[at];
        let names = &self.files[file as usize];
        let value = Value::Itself(Source::Definition(ix));
        kind == DefinitionKind::Module
            && parent.is_none()
            && names.exports.iter().any(|export| export.value == value && names.text(export.name) == GLOBAL)
    }

    /// The type that a file of the JVM's languages extends: imported, of its package, or of one that it imports all of.
    fn receiver_type(&self, file: FileIx, path: &str) -> Option<SymbolIx> {
        if let Some((outer, last)) = path.rsplit_once('.') {
            let outer = self.canonical[self.receiver_type(file, outer)? as usize];
            let mut all = self.named(self.find(last)?).iter().copied();
            let is_inner = |at: &SymbolIx| {
                let entry = &self.entries[*at as usize];
                entry.kind.is_type() && entry.parent.map(|of| self.canonical[of as usize]) == Some(outer)
            };
            return all.find(is_inner);
        }
        let name = self.find(path)?;
        let names = &self.files[file];
        let package = |module| self.group(self.families[file], names.text(module));
        let type_of = |group: GroupIx, name: Name| {
            let found = self.group_top[group as usize].get(&name).into_iter().flatten();
            found.copied().find(|&at| self.entries[at as usize].kind.is_type())
        };
        let mut imports = names.imports.iter();
        let is_name = |local: Option<NameId>| local.is_some_and(|local| self.name(file, local) == name);
        if let Some(import) = imports.find(|import| is_name(import.local)) {
            let Imported::Name(imported) = import.what else { return None };
            return type_of(package(import.module)?, self.name(file, imported));
        }
        let all = names.imports.iter().filter(|import| import.what == Imported::All);
        std::iter::once(self.group_of[file])
            .chain(all.filter_map(|import| package(import.module)))
            .find_map(|group| type_of(group, name))
    }

    /// Whether a file of C is there to be included.
    pub(super) fn is_header(&self, file: FileIx) -> bool {
        let path = &self.workspace.files[file].path;
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        !matches!(extension, "c" | "cc" | "cpp" | "cxx" | "c++" | "C" | "m" | "mm" | "cu")
    }

    /// The type of a name that a file sees without imports: of the file, its package, or the nearest.
    pub(super) fn type_named(&self, file: FileIx, name: Name) -> Option<SymbolIx> {
        let type_of =
            |scope: &Scope| scope.get(&name).into_iter().flatten().copied().find(|&at| self.is_space(at));
        // In another type of the file, such as `Planner::Impl` of C++, or in another file of a Rust module.
        type_of(&self.top[file])
            .or_else(|| type_of(&self.group_top[self.group_of[file] as usize]))
            .or_else(|| self.nearest(file, name, |_| true))
    }

    /// Of the types and modules of a name that fit, the one whose file is nearest to a file.
    fn nearest(&self, file: FileIx, name: Name, fits: impl Fn(SymbolIx) -> bool) -> Option<SymbolIx> {
        let path = |file: usize| self.workspace.files[file].path.as_bytes();
        let is_sought =
            |at: &SymbolIx| self.is_space(*at) && self.family(*at) == self.families[file] && fits(*at);
        self.named(name).iter().copied().filter(is_sought).min_by_key(|&at| {
            let other = path(self.entries[at as usize].file as usize).iter();
            std::cmp::Reverse(path(file).iter().zip(other).take_while(|(a, b)| a == b).count())
        })
    }

    fn intern(&mut self, text: &'n str) -> Name {
        let texts = &mut self.texts;
        *self.ids.entry(text).or_insert_with(|| {
            texts.push(text);
            Name((texts.len() - 1) as u32)
        })
    }

    /// The text of a name.
    pub(super) fn text(&self, name: Name) -> Option<&'n str> {
        self.texts.get(name.0 as usize).copied()
    }

    /// The number of a name, if any file has it.
    pub(super) fn find(&self, text: &str) -> Option<Name> {
        self.ids.get(text).copied()
    }

    /// The name of a file's number.
    pub(super) fn name(&self, file: FileIx, id: NameId) -> Name {
        self.names[file].get(id.0 as usize).copied().unwrap_or(Name(u32::MAX))
    }

    /// A definition as read.
    pub(super) fn definition(&self, at: SymbolIx) -> &'n Definition {
        let Entry { file, ix, .. } = self.entries[at as usize];
        &self.files[file as usize].definitions[ix as usize]
    }

    /// Of a type of C#, the number of type arguments that it takes: types of one name may differ by it alone.
    pub(super) fn type_arity(&self, at: SymbolIx) -> Option<u8> {
        let has_arity = self.family(at) == Family::CSharp && self.entry(at).kind.is_type();
        has_arity.then(|| self.definition(at).arity.unwrap_or(0))
    }

    pub(super) fn entry(&self, at: SymbolIx) -> &Entry {
        &self.entries[at as usize]
    }

    /// The family of languages that a definition is of.
    pub(super) fn family(&self, at: SymbolIx) -> Family {
        self.families[self.entries[at as usize].file as usize]
    }

    /// All definitions of a name that other files may name.
    pub(super) fn named(&self, name: Name) -> &[SymbolIx] {
        self.by_name.get(&name).map_or(&[], Vec::as_slice)
    }

    pub(super) fn canonical(&self, at: SymbolIx) -> SymbolIx {
        self.canonical[at as usize]
    }

    /// Members of a type itself, without those of its supertypes.
    pub(super) fn own_members(&self, of: SymbolIx, name: Name) -> &[SymbolIx] {
        self.members.get(&(self.canonical[of as usize], name)).map_or(&[], Vec::as_slice)
    }

    /// Functions and properties of that name that extend types.
    pub(super) fn extensions(&self, name: Name) -> &[SymbolIx] {
        self.extensions.get(&name).map_or(&[], Vec::as_slice)
    }

    /// The constructors of a type.
    pub(super) fn constructors(&self, of: SymbolIx) -> &[SymbolIx] {
        self.constructors.get(&self.canonical[of as usize]).map_or(&[], Vec::as_slice)
    }

    /// Whether a definition has members.
    pub(super) fn has_members(&self, at: SymbolIx) -> bool {
        self.has_members.contains(&at)
    }

    /// Whether a package is one of the JVM's languages.
    pub(super) fn is_of_jvm(&self, group: GroupIx) -> bool {
        let name = self.group_names.get(group as usize);
        name.is_some_and(|name| self.group(Family::Jvm, name) == Some(group))
    }

    /// The package of a name.
    pub(super) fn group(&self, family: Family, package: &str) -> Option<GroupIx> {
        self.groups.get(&family)?.get(package).copied()
    }

    pub(super) fn symbols(&self) -> Vec<SymbolDefinition> {
        let symbol = |entry: &Entry| {
            let names = &self.files[entry.file as usize];
            let definition = &names.definitions[entry.ix as usize];
            let SourceFile { path, language, .. } = &self.workspace.files[entry.file as usize];
            // The first definition of a component is the file itself.
            let is_file = entry.ix == 0 && language.is_component();
            let name = match names.text(definition.name) {
                "default" if is_file => file_stem(path),
                name => name,
            };
            SymbolDefinition {
                file: entry.file,
                name: name.to_owned(),
                kind: entry.kind,
                parent: entry.parent,
                line: definition.line,
                column: definition.column,
                line_start: definition.line_start,
                line_end: definition.line_end,
                traits: entry.traits,
                arity: definition.arity,
            }
        };
        self.entries.iter().map(symbol).collect()
    }
}

/// Names that a module of Python imports outside of functions.
fn imported_by_module(names: &Names) -> FxHashSet<NameId> {
    let is_of_function = |line: u32| {
        let around = |of: &Definition| (of.line_start..=of.line_end).contains(&line);
        names.definitions.iter().any(|of| of.kind.is_callable() && around(of))
    };
    names
        .imports
        .iter()
        .filter(|import| !is_of_function(import.line))
        .filter_map(|import| import.local)
        .collect()
}
