//! What is kept of a file, packed: Postcard, compressed by LZ4. Names take about nine bytes for each occurrence.
//!
//! Places of occurrences are kept as differences: most are near the one before. References stand apart from names, since
//! analyses of imports need no more; they are the dictionary for compressing names, which repeat their texts.

use std::mem;

use lz4_flex::block;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::names::{DefinitionIx, DefinitionKind, Imported, NameId, Names, Role, Site, Source, Value};
use crate::outline::{Import, Parsed, Symbol};
use crate::reference::References;

/// The references and names of a file, packed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// See [`Packed::references`].
    pub references: Vec<u8>,
    /// See [`Packed::names`].
    pub names: Vec<u8>,
}

/// The definitions and imports of a file, and how it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definitions {
    /// Definitions in file order.
    pub symbols: Vec<Symbol>,
    /// Imports in file order.
    pub imports: Vec<Import>,
    /// How it was read.
    pub parsed: Parsed,
}

impl Definitions {
    /// Packs these definitions.
    pub fn packed(&self) -> Vec<u8> {
        compressed(&to_bytes(self), &[])
    }

    /// The definitions that were packed; `None` for other bytes.
    pub fn from_packed(packed: &[u8]) -> Option<Self> {
        from_bytes(&decompressed(packed, &[])?)
    }
}

/// How all are packed: what is packed in another way is read as if there were none.
const VERSION: u8 = 2;

/// Bytes that LZ4 makes of one, at most.
const MAX_RATIO: usize = 255;

impl Packed {
    /// Packs what a file refers to and names.
    pub fn new(references: &References, mut names: Names) -> Self {
        replace_places(&mut names, |number, from| {
            // Small differences of either sign are small numbers.
            let difference = number.wrapping_sub(from) as i32;
            mem::replace(number, (difference << 1 ^ difference >> 31) as u32)
        });
        let references = to_bytes(references);
        Self { names: compressed(&to_bytes(&names), &references), references: compressed(&references, &[]) }
    }

    /// What the file refers to; `None` if the bytes are not those of references.
    pub fn references(&self) -> Option<References> {
        from_bytes(&decompressed(&self.references, &[])?)
    }

    /// What the file refers to and names; `None` if the bytes are not those that were packed. Indexes are within bounds.
    pub fn names(&self) -> Option<(References, Names)> {
        let references = decompressed(&self.references, &[])?;
        let mut names: Names = from_bytes(&decompressed(&self.names, &references)?)?;
        replace_places(&mut names, |number, from| {
            *number = from.wrapping_add(*number >> 1 ^ (*number & 1).wrapping_neg());
            *number
        });
        is_within_bounds(&names).then_some((from_bytes(&references)?, names))
    }
}

fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(value).expect("numbers and texts can be written")
}

/// What was written; `None` for other bytes.
fn from_bytes<T: DeserializeOwned + Default>(bytes: &[u8]) -> Option<T> {
    if bytes.is_empty() {
        return Some(T::default());
    }
    let (value, rest) = postcard::take_from_bytes(bytes).ok()?;
    rest.is_empty().then_some(value)
}

/// Compresses bytes; `dictionary` has what they are likely to repeat.
pub fn compressed(bytes: &[u8], dictionary: &[u8]) -> Vec<u8> {
    let mut packed = vec![VERSION];
    packed.extend(block::compress_prepend_size_with_dict(bytes, dictionary));
    packed
}

/// The bytes that were compressed with this dictionary, none of another version; `None` for other bytes.
pub fn decompressed(packed: &[u8], dictionary: &[u8]) -> Option<Vec<u8>> {
    let Some((&VERSION, packed)) = packed.split_first() else { return Some(Vec::new()) };
    let (n_bytes, compressed) = block::uncompressed_size(packed).ok()?;
    if n_bytes > compressed.len() * MAX_RATIO {
        return None;
    }
    block::decompress_with_dict(compressed, n_bytes, dictionary).ok()
}

/// Bytes that [`decompressed`] would make of these; `None` for none.
pub fn unpacked_size(packed: &[u8]) -> Option<usize> {
    let (_, compressed) = packed.split_first()?;
    block::uncompressed_size(compressed).ok().map(|(n_bytes, _)| n_bytes)
}

/// Replaces the numbers of each occurrence's place by differences, or back. `replace` gets such a number and the one that it
/// is near, and returns what the number is without differences.
fn replace_places(names: &mut Names, replace: fn(&mut u32, u32) -> u32) {
    let (mut line, mut column, mut within) = (0, 0, 0);
    for occurrence in &mut names.occurrences {
        let line_before = line;
        line = replace(&mut occurrence.line, line);
        column = replace(&mut occurrence.column, if line == line_before { column } else { 0 });
        occurrence.within.iter_mut().for_each(|definition| within = replace(definition, within));
    }
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
        && (0..).zip(&names.definitions).all(|(at, definition)| {
            is_name(&definition.name)
                // A definition that encloses another precedes it.
                && definition.parent.is_none_or(|parent| parent < at)
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

#[cfg(test)]
mod tests {
    use craig_source::Language;

    use super::*;
    use crate::names::{Choice, Export, Parameter, Part, names};

    const SHAPES: &str = "import { Square } from './square';
export class Shape {
    area(other: Square | Shape) {
        return other.area(1);
    }
}
";

    /// The names of a file after `change`, packed and read.
    fn reread(change: impl FnOnce(&mut Names)) -> Option<Names> {
        let mut names = names(Language::TypeScript, SHAPES);
        change(&mut names);
        Some(Packed::new(&References::default(), names).names()?.1)
    }

    #[test]
    fn indexes_of_nothing_are_refused() {
        let whole = reread(|_| ()).unwrap();
        assert!(whole.definitions.len() == 2 && !whole.occurrences.is_empty() && !whole.choices.is_empty());
        const NO: u32 = 1_000;
        let values = [
            Value::Choice(NO),
            Value::Super(NO),
            Value::Receiver(NO),
            Value::Argument(NO, 0),
            Value::Arguments(NO, 0),
            Value::Itself(Source::Occurrence(NO)),
            Value::Called(Source::Definition(NO)),
            Value::Instance(Source::Definition(NO)),
            Value::Collection(Source::Definition(u32::MAX)),
            Value::Element(Source::Occurrence(u32::MAX)),
            Value::ElementOfCalled(Source::Occurrence(NO)),
            Value::Parameter(Source::Definition(NO), 0, Part::Whole),
        ];
        for value in values {
            assert_eq!(reread(|names| names.definitions[1].value = value), None, "{value:?}");
            assert_eq!(reread(|names| names.definitions[1].supers.push(value)), None);
            assert_eq!(reread(|names| names.occurrences[0].site = Site::Member(value)), None);
            assert_eq!(reread(|names| names.occurrences[0].site = Site::Key(value)), None);
            assert_eq!(reread(|names| names.exports.push(Export { name: NameId(0), value })), None);
            assert_eq!(reread(|names| names.choices.push(Choice::Union(Value::Unknown, value))), None);
            let takes = Parameter { takes: vec![value], ..Parameter::default() };
            assert_eq!(reread(|names| names.definitions[1].parameters = vec![takes]), None);
        }
        let changes: [fn(&mut Names); 12] = [
            |names| names.packages.push(NameId(NO)),
            |names| names.definitions[1].name = NameId(NO),
            |names| names.definitions[1].owner = Some(NameId(NO)),
            |names| names.definitions[1].parent = Some(1),
            |names| names.definitions[1].parent = Some(NO),
            |names| names.occurrences[0].name = NameId(NO),
            |names| names.occurrences[0].within = Some(NO),
            |names| names.occurrences[0].site = Site::Lexical(NO),
            |names| names.occurrences[0].site = Site::Import(NO),
            |names| names.imports[0].module = NameId(NO),
            |names| names.imports[0].local = Some(NameId(NO)),
            |names| names.imports[0].what = Imported::Name(NameId(NO)),
        ];
        for (at, change) in changes.into_iter().enumerate() {
            assert_eq!(reread(change), None, "change {at}");
        }
    }

    #[test]
    fn choices_of_themselves_are_refused() {
        let of = |choice| Choice::Guarded(Value::Builtin, Value::Choice(choice));
        assert!(reread(|names| names.choices = vec![of(0)]).is_none());
        assert!(reread(|names| names.choices = vec![of(1), of(0)]).is_none());
        let first = Choice::Guarded(Value::Builtin, Value::Unknown);
        assert!(reread(|names| names.choices = vec![first, of(0)]).is_some());
    }

    #[test]
    fn bytes_of_another_version_have_no_names_and_others_are_refused() {
        let names = names(Language::TypeScript, SHAPES);
        let packed = Packed::new(&References::default(), names);
        let with = |names: Vec<u8>| Packed { names, ..packed.clone() }.names();
        assert_eq!(with(Vec::new()).unwrap().1, Names::default());
        assert_eq!(with(vec![VERSION - 1, 3]).unwrap().1, Names::default());
        for at in 1..packed.names.len() {
            assert_eq!(with(packed.names[..at].to_vec()), None, "cut off at {at}");
            let mut changed = packed.names.clone();
            changed[at] ^= 0x41;
            // Whatever it is, nothing panics.
            let _ = with(changed);
        }
        let unpacked = decompressed(&packed.names, &to_bytes(&References::default())).unwrap();
        let longer = compressed(&[unpacked, vec![0]].concat(), &to_bytes(&References::default()));
        assert_eq!(with(longer), None, "nothing follows");
        // It would be of four gigabytes, and of as many texts.
        assert_eq!(with([&[VERSION, 0xff, 0xff, 0xff, 0xff], &packed.names[5..]].concat()), None);
        let texts = compressed(&[0xff, 0xff, 0xff, 0xff, 0x0f], &to_bytes(&References::default()));
        assert_eq!(with(texts), None);
    }
}
