//! Names in code: what a file defines, what it imports, and every place that refers to something by name.
//!
//! Read by one walk over the syntax tree with the file's scopes: names of local variables are resolved here and left out.
//! What is left needs other files and is bound to definitions later (`craig-symbols`); for that, an occurrence
//! carries what the syntax says about it: bare, or a member of some [`Value`].

pub(crate) mod doc;
pub(crate) mod paste;
pub(crate) mod read;
pub(crate) mod rules;
pub(crate) mod walk;

pub use read::names;

use craig_source::Language;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kind::ChunkKind;

/// Index into [`Names::texts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NameId(pub u32);

/// Index into [`Names::definitions`].
pub type DefinitionIx = u32;

/// Index into [`Names::occurrences`].
pub type OccurrenceIx = u32;

/// What a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DefinitionKind {
    /// A function outside of types.
    Function,
    /// A function of a type.
    Method,
    /// What makes an instance: Java's, PHP's.
    Constructor,
    /// A class, struct, record, object or union.
    Class,
    /// An interface, trait, protocol or abstract signature.
    Interface,
    /// An enumeration.
    Enum,
    /// A type alias.
    Type,
    /// A field, property or attribute of a type.
    Field,
    /// A member of an enumeration.
    EnumMember,
    /// A variable outside of functions and types.
    Variable,
    /// A constant.
    Constant,
    /// A module or namespace written out in the file.
    Module,
    /// A macro.
    Macro,
}

impl DefinitionKind {
    /// Whether it has members.
    pub fn is_type(self) -> bool {
        matches!(self, Self::Class | Self::Interface | Self::Enum | Self::Type)
    }

    /// Whether it can be called.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Constructor | Self::Macro)
    }

    /// The word of a language for it: `struct`, `trait`, `variant`.
    pub fn word(self, language: Language) -> &'static str {
        match self {
            Self::Class => ChunkKind::Class.word(language),
            Self::Interface => ChunkKind::Interface.word(language),
            Self::EnumMember if language == Language::Rust => "variant",
            Self::EnumMember => "member",
            _ => self.as_str(),
        }
    }

    /// Name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Constructor => "constructor",
            Self::Class => "class",
            Self::Interface => "interface",
            Self::Enum => "enum",
            Self::Type => "type",
            Self::Field => "field",
            Self::EnumMember => "enum_member",
            Self::Variable => "variable",
            Self::Constant => "constant",
            Self::Module => "module",
            Self::Macro => "macro",
        }
    }
}

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It is called, or an instance of it is made.
    Call,
    /// It stands for a type.
    Type,
    /// Its value is read.
    Read,
    /// It is assigned.
    Write,
    /// It is imported or exported again.
    Import,
    /// A type extends it.
    Inherit,
    /// A type implements it.
    Implement,
    /// A member of a subtype takes its place.
    Override,
}

impl Role {
    /// Name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Type => "type",
            Self::Read => "read",
            Self::Write => "write",
            Self::Import => "import",
            Self::Inherit => "inherit",
            Self::Implement => "implement",
            Self::Override => "override",
        }
    }
}

/// What a [`Value`] is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Source {
    /// What an occurrence refers to.
    Occurrence(OccurrenceIx),
    /// A definition of this file.
    Definition(DefinitionIx),
}

/// What the syntax says about the value of an expression, or of a variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Value {
    /// Nothing is known.
    #[default]
    Unknown,
    /// A literal, or something else that is no type of any project.
    Builtin,
    /// The thing itself: a type, a module, a function, or what a variable holds.
    Itself(Source),
    /// What a call of it returns; of a type, an instance.
    Called(Source),
    /// An instance of the type.
    Instance(Source),
    /// A collection of instances of the type.
    Collection(Source),
    /// An element of the collection that it holds.
    Element(Source),
    /// An element of the collection that a call of it returns.
    ElementOfCalled(Source),
    /// An instance of the enclosing type, seen as its supertypes.
    Super(DefinitionIx),
    /// What the lambda behind a call of what the occurrence refers to is called on.
    Receiver(OccurrenceIx),
    /// What a function takes as its parameter of this number, from 0.
    Parameter(Source, u8, Part),
    /// An instance of what the generic type, or function, is applied to as its parameter of this number, from 0.
    Argument(DefinitionIx, u8),
    /// A collection of such instances.
    Arguments(DefinitionIx, u8),
    /// One of two values: an index into [`Names::choices`].
    Choice(u32),
}

/// What of a parameter a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// All of it.
    Whole,
    /// An element of the collection that it is.
    Element,
    /// What the function that it is takes as its parameter of this number.
    Parameter(u8),
}

/// One of two values, of which no other choice comes later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Choice {
    /// The first if its type is known: what a type guard says of a value, else what the value is anyway.
    Guarded(Value, Value),
    /// An instance of either type.
    Union(Value, Value),
    /// The first, of which a discriminant was tested: of a union it is one, and is not told which. The second is unknown.
    Tested(Value, Value),
    /// An instance of a generic type, and one of what the type is applied to: an alias may be the same as that. Of several
    /// arguments, the first is that of the innermost choice.
    Applied(Value, Value),
    /// What a call returns, and an instance of the type that the call names: a generic function may return that.
    Inferred(Value, Value),
}

impl Choice {
    /// Both values.
    pub fn values(self) -> [Value; 2] {
        match self {
            Self::Guarded(first, other)
            | Self::Union(first, other)
            | Self::Tested(first, other)
            | Self::Applied(first, other)
            | Self::Inferred(first, other) => [first, other],
        }
    }
}

impl Value {
    /// The value of a call of this value.
    pub fn called(self) -> Self {
        match self {
            Self::Itself(source) => Self::Called(source),
            _ => Self::Unknown,
        }
    }

    /// An instance of this type.
    pub fn instance(self) -> Self {
        match self {
            Self::Itself(source) => Self::Instance(source),
            other => other,
        }
    }

    /// An element of this collection.
    pub fn element(self) -> Self {
        match self {
            Self::Itself(source) => Self::Element(source),
            Self::Called(source) => Self::ElementOfCalled(source),
            Self::Collection(source) => Self::Instance(source),
            // Of an alias of a collection.
            Self::Instance(source) => Self::Element(source),
            Self::Parameter(source, at, Part::Whole) => Self::Parameter(source, at, Part::Element),
            Self::Arguments(of, at) => Self::Argument(of, at),
            Self::Builtin => Self::Builtin,
            _ => Self::Unknown,
        }
    }

    /// A collection of instances of this type.
    pub fn collection(self) -> Self {
        match self {
            Self::Itself(source) | Self::Instance(source) | Self::Called(source) => Self::Collection(source),
            Self::Argument(of, at) => Self::Arguments(of, at),
            Self::Builtin => Self::Builtin,
            _ => Self::Unknown,
        }
    }

    /// What a function that is this value, or an instance of this type, takes as its parameter of that number.
    pub fn parameter(self, at: usize) -> Self {
        let Ok(at) = u8::try_from(at) else { return Self::Unknown };
        match self {
            Self::Itself(source) | Self::Instance(source) => Self::Parameter(source, at, Part::Whole),
            Self::Parameter(source, outer, Part::Whole) => {
                Self::Parameter(source, outer, Part::Parameter(at))
            }
            _ => Self::Unknown,
        }
    }

    /// Whether something is known of its type.
    pub fn is_typed(self) -> bool {
        !matches!(self, Self::Unknown | Self::Builtin)
    }

    /// This value, or the other one where nothing is known.
    pub fn or(self, other: Self) -> Self {
        if self == Self::Unknown { other } else { self }
    }
}

/// How a name stands in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Site {
    /// By itself.
    Bare,
    /// As a member of a value: `x.name`, `x::name`.
    Member(Value),
    /// As a key of a literal of the type, or an argument by name.
    Key(Value),
    /// Resolved by the scopes of the file.
    Lexical(DefinitionIx),
    /// In the import with this index.
    Import(u32),
    /// A local variable: left out in the end.
    Local,
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// Its name.
    pub name: NameId,
    /// What it is.
    pub kind: DefinitionKind,
    /// The definition that encloses it.
    pub parent: Option<DefinitionIx>,
    /// The name of the type it belongs to where the syntax does not enclose it: `Foo` of `void Foo::bar()`.
    pub owner: Option<NameId>,
    /// Line of the name, 1-based.
    pub line: u32,
    /// Byte of the name in its line, 0-based.
    pub column: u32,
    /// First line of the definition, 1-based.
    pub line_start: u32,
    /// Last line of the definition, 1-based, inclusive.
    pub line_end: u32,
    /// What more is known.
    pub traits: Traits,
    /// Of a function, what it returns; of a variable or field, what it holds; of an alias, what it stands for.
    pub value: Value,
    /// Of a type, what it extends and implements; of a function, what the lambda that it takes last is called on.
    pub supers: Vec<Value>,
    /// Of a function, how many arguments it takes, where overloads are distinguished by that and the number is fixed; of a type,
    /// how many type arguments, where types are distinguished by that. Of a method of Go, a number of its signature as written,
    /// the same for what satisfies the same interface.
    pub arity: Option<u8>,
    /// Of a function, a variable or a type of functions, what its parameters are; those after the last that is known are left out.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// What it is.
    pub value: Value,
    /// What its own parameters are, if its type is written as that of a function.
    pub takes: Vec<Value>,
}

impl Parameter {
    /// Whether anything is known of it.
    pub fn is_known(&self) -> bool {
        self.takes.iter().chain([&self.value]).any(|value| value.is_typed())
    }
}

/// Properties of a definition, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traits(pub u8);

impl Traits {
    /// Inside a function: nothing outside of it can name it.
    pub const LOCAL: Self = Self(1);
    /// A declaration of something that is defined elsewhere: a prototype, an overload signature.
    pub const DECLARATION: Self = Self(2);
    /// Nothing outside of the file, or of the type, can name it.
    pub const PRIVATE: Self = Self(4);
    /// Exported by its own statement: `export`, `pub`.
    pub const EXPORTED: Self = Self(8);
    /// A member of the type itself and not of its instances.
    pub const STATIC: Self = Self(16);
    /// A type that takes the members of what it is applied to: an extension, a Rust `impl`.
    pub const EXTENSION: Self = Self(32);
    /// A method that is read as a value: Python's `@property`, a getter.
    pub const PROPERTY: Self = Self(64);
    /// A function that returns what it is called on: `fun <T : Shape> T.named(): T`.
    pub const RETURNS_RECEIVER: Self = Self(128);
    /// Of an alias: a value is of one of its supertypes, and not of all. The bit is that of [`Traits::STATIC`].
    pub const UNION: Self = Self(16);

    /// Both.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it has all of `other`.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A place that refers to something by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurrence {
    /// The name as written.
    pub name: NameId,
    /// Line, 1-based; 0 where the name does not stand in the code and only gives a type: in a comment, by a rule of a framework.
    pub line: u32,
    /// Byte in its line, 0-based.
    pub column: u32,
    /// How it is used.
    pub role: Role,
    /// How it stands there.
    pub site: Site,
    /// The definition that encloses it.
    pub within: Option<DefinitionIx>,
    /// Of a call, how many arguments it has, where overloads are distinguished by that.
    pub arguments: Option<u8>,
    /// How many type arguments it has, where generic types are distinguished by that; otherwise 0.
    pub type_arguments: u8,
}

impl Occurrence {
    /// Whether the name stands in the code.
    pub fn is_written(&self) -> bool {
        self.line > 0
    }
}

/// A name that an import brings into the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedName {
    /// The name in this file; `None` for `*`.
    pub local: Option<NameId>,
    /// The module as written.
    pub module: NameId,
    /// What of the module.
    pub what: Imported,
    /// Line, 1-based.
    pub line: u32,
    /// Whether the file exports it again.
    pub reexported: bool,
}

/// What an import brings in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Imported {
    /// The module itself.
    Module,
    /// What the module exports as its default.
    Default,
    /// One name of the module.
    Name(NameId),
    /// All names of the module.
    All,
}

/// The module of the fixtures that a test of Python sees by their names, and what the names of fixtures begin with where
/// they are exported.
pub const FIXTURES: &str = "@";

/// The name of exports to all files: what a script defines, or `declare global`.
pub const GLOBAL: &str = "globalThis";

/// Names of the object whose members all scripts see as names by themselves.
pub const GLOBAL_OBJECTS: &[&str] = &["globalThis", "global", "window"];

/// The name of exports of Rust that stand for an `impl` of a trait: a [`Choice::Applied`] of the trait and the type.
pub const IMPLEMENTATION: &str = "impl";

/// A name that a file exports by a statement of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// The name for others; `default` for the default, `=` for the module as a whole, `*` for what it exports all of,
    /// [`GLOBAL`] for what all files see, [`IMPLEMENTATION`] for an `impl` of Rust. Of C++, what `using` brings in, `*` for
    /// all of a namespace.
    pub name: NameId,
    /// What it is.
    pub value: Value,
}

/// The names of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    /// Texts of names.
    pub texts: Vec<String>,
    /// Packages or namespaces that the file adds to, in order.
    pub packages: Vec<NameId>,
    /// Definitions; one that encloses another precedes it.
    pub definitions: Vec<Definition>,
    /// Occurrences in file order; those in the template of a component come last.
    pub occurrences: Vec<Occurrence>,
    /// Imports in file order.
    pub imports: Vec<ImportedName>,
    /// Exports in file order.
    pub exports: Vec<Export>,
    /// What values may be one of.
    pub choices: Vec<Choice>,
}

impl Names {
    /// The text of a name.
    pub fn text(&self, name: NameId) -> &str {
        self.texts.get(name.0 as usize).map_or("", String::as_str)
    }
}
