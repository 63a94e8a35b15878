//! What a file refers to and names, packed to be kept: about four bytes for each occurrence, and each text once.
//!
//! Numbers are varints, most of them differences to the number before. References stand apart from names, since analyses of
//! imports need no more; names take the texts that references have from there.

use rustc_hash::FxHashMap;

use crate::names::{
    Choice, Definition, DefinitionIx, DefinitionKind, Export, Imported, ImportedName, NameId, Names,
    Occurrence, OccurrenceIx, Parameter, Part, Role, Site, Source, Traits, Value,
};
use crate::varint::{Reader, Writer};
use crate::{Reference, ReferenceKind, References, Use};

/// The references and names of a file, packed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// See [`Packed::references`].
    pub references: Vec<u8>,
    /// See [`Packed::names`].
    pub names: Vec<u8>,
}

/// How names are packed: what is packed in another way is read as if there were none.
const NAMES_VERSION: u8 = 1;

impl Packed {
    /// Packs what a file refers to and names.
    pub fn new(references: &References, names: &Names) -> Self {
        let mut strings = Strings::default();
        let references = write_references(references, &mut strings);
        Self { references, names: write_names(names, &strings) }
    }

    /// What the file refers to; `None` if the bytes are not those of references.
    pub fn references(&self) -> Option<References> {
        Some(read_references(&self.references)?.0)
    }

    /// What the file refers to and names; `None` if the bytes are not those that were packed. Indexes are within bounds.
    pub fn names(&self) -> Option<(References, Names)> {
        let (references, strings) = read_references(&self.references)?;
        let names = read_names(&self.names, &strings)?;
        Some((references, names))
    }
}

/// Texts in the order of their first use.
#[derive(Default)]
struct Strings<'t> {
    ids: FxHashMap<&'t str, u32>,
    texts: Vec<&'t str>,
}

impl<'t> Strings<'t> {
    fn id(&mut self, text: &'t str) -> u32 {
        *self.ids.entry(text).or_insert_with(|| {
            self.texts.push(text);
            (self.texts.len() - 1) as u32
        })
    }
}

fn write_references<'t>(references: &'t References, strings: &mut Strings<'t>) -> Vec<u8> {
    // Names that are used are unique: the first texts are theirs, in their order.
    for used in &references.uses {
        strings.id(&used.name);
    }
    let mut body = Writer::default();
    body.count(references.uses.len());
    references.uses.iter().for_each(|used| body.u32(used.line));
    body.count(references.packages.len());
    references.packages.iter().for_each(|package| body.u32(strings.id(package)));
    body.count(references.imports.len());
    let mut line = 0;
    for import in &references.imports {
        body.byte(import.kind.to_byte() << 1 | u8::from(import.lazy));
        body.u32(strings.id(&import.target));
        body.difference(line, import.line);
        line = import.line;
        for list in [&import.names, &import.within] {
            body.count(list.len());
            list.iter().for_each(|text| body.u32(strings.id(text)));
        }
        for text in [&import.alias, &import.path] {
            body.optional(text.as_deref().map(|text| strings.id(text)));
        }
    }
    let mut whole = Writer::default();
    whole.count(strings.texts.len());
    strings.texts.iter().for_each(|text| whole.text(text));
    whole.append(body);
    whole.into_bytes()
}

fn read_references(bytes: &[u8]) -> Option<(References, Vec<&str>)> {
    if bytes.is_empty() {
        return Some(Default::default());
    }
    let mut reader = Reader::new(bytes);
    let strings = reader.list(Reader::text)?;
    let text = |reader: &mut Reader<'_>| strings.get(reader.u32()? as usize).map(|text| (*text).to_owned());
    let optional_text = |reader: &mut Reader<'_>| match reader.optional()? {
        Some(id) => strings.get(id as usize).map(|text| Some((*text).to_owned())),
        None => Some(None),
    };
    let mut used = strings.iter();
    let uses = reader.list(|reader| Some(Use { name: (*used.next()?).to_owned(), line: reader.u32()? }))?;
    let packages = reader.list(text)?;
    let mut line = 0;
    let imports = reader.list(|reader| {
        let first = reader.byte()?;
        let target = text(reader)?;
        line = reader.difference(line)?;
        Some(Reference {
            kind: ReferenceKind::from_byte(first >> 1)?,
            target,
            line,
            names: reader.list(text)?,
            within: reader.list(text)?,
            alias: optional_text(reader)?,
            path: optional_text(reader)?,
            lazy: first & 1 == 1,
        })
    })?;
    reader.is_empty().then_some((References { packages, imports, uses }, strings))
}

/// Bits of the first byte of an occurrence: its role, its site, and by how many lines it follows the one before.
const SITE_SHIFT: u32 = 3;
const LINES_SHIFT: u32 = 6;
/// Sites of names with type arguments, whose number follows.
const BARE_GENERIC: u8 = 6;
const MEMBER_GENERIC: u8 = 7;
/// The difference of lines is a number of its own.
const FAR: u8 = 3;
/// Bits of the first byte of a value: what it is, then an index that is near, plus one.
const NEAR_SHIFT: u32 = 4;
/// First bytes of values of other kinds: they would say unknown, with an index.
const CHOICE: u8 = 0x10;
const PARAMETER: u8 = 0x20;
const PARAMETER_ELEMENT: u8 = 0x30;
const PARAMETER_OF_PARAMETER: u8 = 0x40;
const ARGUMENT: u8 = 0x50;
const ARGUMENTS: u8 = 0x60;
/// The bit of a definition's first byte that says that its parameters follow.
const HAS_PARAMETERS: u8 = 0x80;
const MAX_NEAR: u32 = 15;

fn write_names(names: &Names, strings: &Strings<'_>) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.byte(NAMES_VERSION);
    writer.count(names.texts.len());
    for text in &names.texts {
        let known = strings.ids.get(text.as_str()).copied();
        writer.optional(known);
        if known.is_none() {
            writer.text(text);
        }
    }
    writer.count(names.packages.len());
    names.packages.iter().for_each(|package| writer.u32(package.0));
    writer.count(names.definitions.len());
    let mut line = 0;
    for (at, definition) in names.definitions.iter().enumerate() {
        write_definition(&mut writer, at as u32, line, definition);
        line = definition.line;
    }
    write_occurrences(&mut writer, &names.occurrences);
    writer.count(names.imports.len());
    for import in &names.imports {
        let (what, name) = match import.what {
            Imported::Module => (0, None),
            Imported::Default => (1, None),
            Imported::Name(name) => (2, Some(name)),
            Imported::All => (3, None),
        };
        writer.byte(what << 1 | u8::from(import.reexported));
        name.inspect(|name| writer.u32(name.0));
        writer.optional(import.local.map(|name| name.0));
        writer.u32(import.module.0);
        writer.u32(import.line);
    }
    writer.count(names.exports.len());
    for export in &names.exports {
        writer.u32(export.name.0);
        write_value(&mut writer, export.value, 0);
    }
    writer.count(names.choices.len());
    for choice in &names.choices {
        writer.byte(match choice {
            Choice::Guarded(..) => 0,
            Choice::Union(..) => 1,
            Choice::Applied(..) => 2,
            Choice::Tested(..) => 3,
            Choice::Inferred(..) => 4,
        });
        choice.values().into_iter().for_each(|value| write_value(&mut writer, value, 0));
    }
    writer.into_bytes()
}

fn read_names(bytes: &[u8], strings: &[&str]) -> Option<Names> {
    let Some((&NAMES_VERSION, bytes)) = bytes.split_first() else { return Some(Names::default()) };
    let mut reader = Reader::new(bytes);
    let texts = reader.list(|reader| {
        let text = match reader.optional()? {
            Some(id) => strings.get(id as usize).copied()?,
            None => reader.text()?,
        };
        Some(text.to_owned())
    })?;
    let packages = reader.list(|reader| reader.u32().map(NameId))?;
    let (mut at, mut line) = (0, 0);
    let definitions = reader.list(|reader| {
        let definition = read_definition(reader, at, line)?;
        (at, line) = (at + 1, definition.line);
        Some(definition)
    })?;
    let occurrences = read_occurrences(&mut reader)?;
    let imports = reader.list(|reader| {
        let first = reader.byte()?;
        let what = match first >> 1 {
            0 => Imported::Module,
            1 => Imported::Default,
            2 => Imported::Name(NameId(reader.u32()?)),
            3 => Imported::All,
            _ => return None,
        };
        let local = reader.optional()?.map(NameId);
        let (module, line) = (NameId(reader.u32()?), reader.u32()?);
        Some(ImportedName { local, module, what, line, reexported: first & 1 == 1 })
    })?;
    let exports =
        reader.list(|reader| Some(Export { name: NameId(reader.u32()?), value: read_value(reader, 0)? }))?;
    let choices = reader.list(|reader| {
        let kind = reader.byte()?;
        let (first, other) = (read_value(reader, 0)?, read_value(reader, 0)?);
        match kind {
            0 => Some(Choice::Guarded(first, other)),
            1 => Some(Choice::Union(first, other)),
            2 => Some(Choice::Applied(first, other)),
            3 => Some(Choice::Tested(first, other)),
            4 => Some(Choice::Inferred(first, other)),
            _ => None,
        }
    })?;
    let names = Names { texts, packages, definitions, occurrences, imports, exports, choices };
    (reader.is_empty() && is_within_bounds(&names)).then_some(names)
}

fn write_definition(writer: &mut Writer, at: DefinitionIx, line_before: u32, definition: &Definition) {
    let has_parameters = !definition.parameters.is_empty();
    writer.byte(definition.kind.to_byte() | if has_parameters { HAS_PARAMETERS } else { 0 });
    writer.byte(definition.traits.0);
    writer.u32(definition.name.0);
    writer.optional(definition.parent.map(|parent| at.saturating_sub(parent)));
    writer.optional(definition.owner.map(|owner| owner.0));
    writer.difference(line_before, definition.line);
    writer.u32(definition.column);
    writer.difference(definition.line, definition.line_start);
    writer.difference(definition.line, definition.line_end);
    write_value(writer, definition.value, 0);
    writer.count(definition.supers.len());
    definition.supers.iter().for_each(|of| write_value(writer, *of, 0));
    writer.optional(definition.arity.map(u32::from));
    if has_parameters {
        writer.count(definition.parameters.len());
        for parameter in &definition.parameters {
            write_value(writer, parameter.value, 0);
            writer.count(parameter.takes.len());
            parameter.takes.iter().for_each(|value| write_value(writer, *value, 0));
        }
    }
}

fn read_definition(reader: &mut Reader<'_>, at: DefinitionIx, line_before: u32) -> Option<Definition> {
    let first = reader.byte()?;
    let kind = DefinitionKind::from_byte(first & !HAS_PARAMETERS)?;
    let traits = Traits(reader.byte()?);
    let name = NameId(reader.u32()?);
    let parent = match reader.optional()? {
        // A definition that encloses another precedes it.
        Some(back) => Some(at.checked_sub(back).filter(|parent| *parent < at)?),
        None => None,
    };
    let owner = reader.optional()?.map(NameId);
    let line = reader.difference(line_before)?;
    let column = reader.u32()?;
    let (line_start, line_end) = (reader.difference(line)?, reader.difference(line)?);
    let value = read_value(reader, 0)?;
    let supers = reader.list(|reader| read_value(reader, 0))?;
    let arity = read_number_of_arguments(reader)?;
    let parameters = match first & HAS_PARAMETERS {
        0 => Vec::new(),
        _ => reader.list(|reader| {
            let value = read_value(reader, 0)?;
            Some(Parameter { value, takes: reader.list(|reader| read_value(reader, 0))? })
        })?,
    };
    Some(Definition {
        name,
        kind,
        parent,
        owner,
        line,
        column,
        line_start,
        line_end,
        traits,
        value,
        supers,
        arity,
        parameters,
    })
}

fn read_number_of_arguments(reader: &mut Reader<'_>) -> Option<Option<u8>> {
    match reader.optional()? {
        Some(n) => u8::try_from(n).ok().map(Some),
        None => Some(None),
    }
}

fn write_occurrences(writer: &mut Writer, occurrences: &[Occurrence]) {
    writer.count(occurrences.len());
    let (mut line, mut column) = (1, 0);
    for (at, occurrence) in occurrences.iter().enumerate() {
        let lines = occurrence.line.checked_sub(line).filter(|lines| *lines < u32::from(FAR));
        let is_generic = occurrence.type_arguments > 0;
        let (site, value) = match occurrence.site {
            Site::Bare if is_generic => (BARE_GENERIC, None),
            Site::Member(value) if is_generic => (MEMBER_GENERIC, Some(value)),
            Site::Bare => (0, None),
            Site::Member(value) => (1, Some(value)),
            Site::Key(value) => (2, Some(value)),
            Site::Lexical(_) => (3, None),
            Site::Import(_) => (4, None),
            Site::Local => (5, None),
        };
        let first = occurrence.role.to_byte() | site << SITE_SHIFT;
        writer.byte(first | lines.map_or(FAR, |lines| lines as u8) << LINES_SHIFT);
        if lines.is_none() {
            writer.difference(line, occurrence.line);
        }
        writer.difference(if occurrence.line == line { column } else { 0 }, occurrence.column);
        (line, column) = (occurrence.line, occurrence.column);
        writer.u32(occurrence.name.0);
        value.inspect(|value| write_value(writer, *value, at as OccurrenceIx));
        if matches!(site, BARE_GENERIC | MEMBER_GENERIC) {
            writer.byte(occurrence.type_arguments);
        }
        if let Site::Lexical(index) | Site::Import(index) = occurrence.site {
            writer.u32(index);
        }
        if occurrence.role == Role::Call {
            writer.optional(occurrence.arguments.map(u32::from));
        }
    }
    // Runs of occurrences in one definition.
    let mut last = 0;
    for run in occurrences.chunk_by(|a, b| a.within == b.within) {
        writer.count(run.len());
        match run[0].within {
            Some(within) => {
                writer.byte(1);
                writer.difference(last, within);
                last = within;
            }
            None => writer.byte(0),
        }
    }
}

fn read_occurrences(reader: &mut Reader<'_>) -> Option<Vec<Occurrence>> {
    let (mut line, mut column, mut at) = (1, 0, 0);
    let mut occurrences = reader.list(|reader| {
        let first = reader.byte()?;
        let line_before = line;
        line = match first >> LINES_SHIFT {
            FAR => reader.difference(line)?,
            lines => line.checked_add(u32::from(lines))?,
        };
        column = reader.difference(if line == line_before { column } else { 0 })?;
        let name = NameId(reader.u32()?);
        let code = first >> SITE_SHIFT & 7;
        let site = match code {
            0 | BARE_GENERIC => Site::Bare,
            1 | MEMBER_GENERIC => Site::Member(read_value(reader, at)?),
            2 => Site::Key(read_value(reader, at)?),
            3 => Site::Lexical(reader.u32()?),
            4 => Site::Import(reader.u32()?),
            5 => Site::Local,
            _ => return None,
        };
        let is_generic = matches!(code, BARE_GENERIC | MEMBER_GENERIC);
        let type_arguments = if is_generic { reader.byte()? } else { 0 };
        at += 1;
        let role = Role::from_byte(first & 7)?;
        let arguments = if role == Role::Call { read_number_of_arguments(reader)? } else { None };
        Some(Occurrence { name, line, column, role, site, within: None, arguments, type_arguments })
    })?;
    let (mut done, mut last) = (0, 0);
    while done < occurrences.len() {
        let count = usize::try_from(reader.number()?).ok().filter(|count| *count > 0)?;
        let within = match reader.byte()? {
            0 => None,
            1 => {
                last = reader.difference(last)?;
                Some(last)
            }
            _ => return None,
        };
        let run = occurrences.get_mut(done..done.checked_add(count)?)?;
        run.iter_mut().for_each(|occurrence| occurrence.within = within);
        done += count;
    }
    Some(occurrences)
}

/// Writes a value; occurrences are counted back from `at`.
fn write_value(writer: &mut Writer, value: Value, at: OccurrenceIx) {
    let (kind, source) = match value {
        Value::Unknown => return writer.byte(0),
        Value::Builtin => return writer.byte(1),
        Value::Super(definition) => (2, Source::Definition(definition)),
        Value::Receiver(occurrence) => (2, Source::Occurrence(occurrence)),
        Value::Itself(source) => (4, source),
        Value::Called(source) => (6, source),
        Value::Instance(source) => (8, source),
        Value::Collection(source) => (10, source),
        Value::Element(source) => (12, source),
        Value::ElementOfCalled(source) => (14, source),
        Value::Choice(index) => {
            writer.byte(CHOICE);
            return writer.u32(index);
        }
        Value::Argument(of, number) | Value::Arguments(of, number) => {
            writer.byte(if matches!(value, Value::Argument(..)) { ARGUMENT } else { ARGUMENTS });
            writer.byte(number);
            return writer.u32(of);
        }
        Value::Parameter(source, number, part) => {
            let (first, inner) = match part {
                Part::Whole => (PARAMETER, None),
                Part::Element => (PARAMETER_ELEMENT, None),
                Part::Parameter(inner) => (PARAMETER_OF_PARAMETER, Some(inner)),
            };
            writer.byte(first);
            writer.byte(number);
            inner.inspect(|inner| writer.byte(*inner));
            return write_value(writer, Value::Itself(source), at);
        }
    };
    let (bit, from, index) = match source {
        Source::Occurrence(index) => (0, index, at),
        Source::Definition(index) => (1, 0, index),
    };
    match index.checked_sub(from).filter(|near| *near < MAX_NEAR) {
        Some(near) => writer.byte((near as u8 + 1) << NEAR_SHIFT | kind | bit),
        None => {
            writer.byte(kind | bit);
            writer.difference(from, index);
        }
    }
}

fn read_value(reader: &mut Reader<'_>, at: OccurrenceIx) -> Option<Value> {
    let first = reader.byte()?;
    match first {
        CHOICE => return reader.u32().map(Value::Choice),
        ARGUMENT | ARGUMENTS => {
            let (number, of) = (reader.byte()?, reader.u32()?);
            return Some(match first {
                ARGUMENT => Value::Argument(of, number),
                _ => Value::Arguments(of, number),
            });
        }
        PARAMETER | PARAMETER_ELEMENT | PARAMETER_OF_PARAMETER => {
            let number = reader.byte()?;
            let part = match first {
                PARAMETER => Part::Whole,
                PARAMETER_ELEMENT => Part::Element,
                _ => Part::Parameter(reader.byte()?),
            };
            let first = reader.byte()?;
            let source = read_source(reader, at, first)?;
            return Some(Value::Parameter(source, number, part));
        }
        _ => {}
    }
    let make: fn(Source) -> Value = match first & 0x0E {
        0 if first < 2 => return Some(if first == 0 { Value::Unknown } else { Value::Builtin }),
        2 => |source| match source {
            Source::Definition(definition) => Value::Super(definition),
            Source::Occurrence(occurrence) => Value::Receiver(occurrence),
        },
        4 => Value::Itself,
        6 => Value::Called,
        8 => Value::Instance,
        10 => Value::Collection,
        12 => Value::Element,
        14 => Value::ElementOfCalled,
        _ => return None,
    };
    read_source(reader, at, first).map(make)
}

/// Reads what a value with this first byte is made from.
fn read_source(reader: &mut Reader<'_>, at: OccurrenceIx, first: u8) -> Option<Source> {
    let near = u32::from(first >> NEAR_SHIFT).checked_sub(1);
    if first & 1 == 1 {
        return Some(Source::Definition(match near {
            Some(near) => near,
            None => reader.difference(0)?,
        }));
    }
    let back = match near {
        Some(near) => i64::from(near),
        None => reader.signed()?,
    };
    Some(Source::Occurrence(u32::try_from(i64::from(at).checked_sub(back)?).ok()?))
}

/// Whether all indexes of a file's names are those of something.
fn is_within_bounds(names: &Names) -> bool {
    let is_name = |name: &NameId| (name.0 as usize) < names.texts.len();
    let is_definition = |at: DefinitionIx| (at as usize) < names.definitions.len();
    let is_source = |source: Source| match source {
        Source::Occurrence(at) => (at as usize) < names.occurrences.len(),
        Source::Definition(at) => is_definition(at),
    };
    let is_value = |value: &Value| match *value {
        Value::Unknown | Value::Builtin => true,
        Value::Choice(at) => (at as usize) < names.choices.len(),
        Value::Parameter(source, ..) => is_source(source),
        Value::Super(at) | Value::Argument(at, _) | Value::Arguments(at, _) => is_definition(at),
        Value::Receiver(at) => is_source(Source::Occurrence(at)),
        Value::Itself(source)
        | Value::Called(source)
        | Value::Instance(source)
        | Value::Collection(source)
        | Value::Element(source)
        | Value::ElementOfCalled(source) => is_source(source),
    };
    let is_site = |site: &Site| match site {
        Site::Bare | Site::Local => true,
        Site::Member(value) | Site::Key(value) => is_value(value),
        Site::Lexical(at) => is_definition(*at),
        Site::Import(at) => (*at as usize) < names.imports.len(),
    };
    names.packages.iter().all(is_name)
        && names.definitions.iter().all(|definition| {
            is_name(&definition.name)
                && definition.owner.iter().all(is_name)
                && is_value(&definition.value)
                && definition.supers.iter().all(is_value)
                && definition
                    .parameters
                    .iter()
                    .all(|parameter| is_value(&parameter.value) && parameter.takes.iter().all(is_value))
        })
        && names.choices.iter().enumerate().all(|(at, choice)| {
            // They cannot hold each other.
            let is_later = |value: &Value| matches!(*value, Value::Choice(other) if other as usize >= at);
            choice.values().iter().all(|value| is_value(value) && !is_later(value))
        })
        && names.occurrences.iter().all(|occurrence| {
            is_name(&occurrence.name)
                && occurrence.within.is_none_or(is_definition)
                && is_site(&occurrence.site)
        })
        && names.imports.iter().all(|import| {
            let named = match &import.what {
                Imported::Name(name) => is_name(name),
                Imported::Module | Imported::Default | Imported::All => true,
            };
            named && is_name(&import.module) && import.local.iter().all(is_name)
        })
        && names.exports.iter().all(|export| is_name(&export.name) && is_value(&export.value))
}

/// Numbers of the variants of an enumeration, as they are stored.
macro_rules! bytes {
    ($of:ident, $($variant:ident = $byte:literal),+ $(,)?) => {
        impl $of {
            /// Its number where it is stored.
            pub fn to_byte(self) -> u8 {
                match self { $(Self::$variant => $byte),+ }
            }

            /// What a stored number stands for.
            pub fn from_byte(byte: u8) -> Option<Self> {
                Some(match byte { $($byte => Self::$variant,)+ _ => return None })
            }
        }
    };
}

// At most 8: a role has three bits.
bytes!(Role, Call = 0, Type = 1, Read = 2, Write = 3, Import = 4, Inherit = 5, Implement = 6, Override = 7);
bytes!(
    DefinitionKind,
    Function = 0,
    Method = 1,
    Constructor = 2,
    Class = 3,
    Interface = 4,
    Enum = 5,
    Type = 6,
    Field = 7,
    EnumMember = 8,
    Variable = 9,
    Constant = 10,
    Module = 11,
    Macro = 12,
);
bytes!(
    ReferenceKind,
    Import = 0,
    TypeImport = 1,
    Reexport = 2,
    DynamicImport = 3,
    Require = 4,
    Include = 5,
    SystemInclude = 6,
    StaticImport = 7,
    Module = 8,
);
