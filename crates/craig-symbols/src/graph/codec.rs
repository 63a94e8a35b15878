//! The graph as it is kept: about eight bytes for each reference. References are in blocks that are read on many threads.

use craig_chunk::names::{DefinitionKind, Role, Traits};
use craig_chunk::varint::{Reader, Writer};
use craig_source::{FileStamp, Language};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{SymbolDefinition, SymbolFile, SymbolGraph, SymbolIx, SymbolReference};

/// References in a block, at least.
const BLOCK: usize = 16_384;

impl SymbolGraph {
    /// Changes when other references are found in the same names, or the graph is kept in another way.
    pub const VERSION: u32 = 17;

    /// The graph, to be kept.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        write_stamp(self.scip, &mut writer);
        writer.count(self.files.len());
        for file in &self.files {
            writer.text(&file.path);
            writer.text(file.language.id());
            writer.byte(u8::from(file.is_test));
            writer.text(&file.package);
        }
        self.write_definitions(&mut writer);
        write_pairs(&self.exported, &mut writer);
        write_pairs(&self.exported_files, &mut writer);
        let blocks: Vec<(usize, Vec<u8>)> = blocks(&self.references)
            .into_par_iter()
            .map(|block| (block.len(), write_references(block)))
            .collect();
        writer.count(blocks.len());
        for (n_references, bytes) in &blocks {
            writer.count(*n_references);
            writer.count(bytes.len());
        }
        blocks.iter().for_each(|(_, bytes)| writer.bytes(bytes));
        writer.into_bytes()
    }

    /// The graph that was kept; `None` if the bytes are not those of a graph. Indexes are within bounds.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let scip = read_stamp(&mut reader)?;
        let files = reader.list(read_file)?;
        let definitions = read_definitions(&mut reader, files.len(), |_, name, definition| {
            SymbolDefinition { name: name.to_owned(), ..definition }
        })?;
        let is_right = |parent: SymbolIx| (parent as usize) < definitions.len();
        if !definitions.iter().all(|definition| definition.parent.is_none_or(is_right)) {
            return None;
        }
        let exported = read_pairs(&mut reader, files.len(), definitions.len())?;
        let exported_files = read_pairs(&mut reader, files.len(), files.len())?;
        let read: Vec<Vec<SymbolReference>> = read_blocks(&mut reader)?
            .into_par_iter()
            .map(|(n_references, bytes)| {
                read_references(bytes, n_references, files.len() as u32, definitions.len() as u32)
            })
            .collect::<Option<_>>()?;
        let references = read.concat();
        reader.is_empty().then_some(Self {
            files,
            definitions,
            references,
            exported,
            exported_files,
            scip,
            ..Self::default()
        })
    }

    /// The part of a graph that was kept that is about definitions of `names`: these, without what encloses them, and the
    /// references to them, without what is around those. Only blocks with such references are read.
    pub fn part_from_bytes(bytes: &[u8], names: &[String]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let scip = read_stamp(&mut reader)?;
        let files = reader.list(read_file)?;
        let mut indexes = Vec::new();
        let mut definitions = Vec::new();
        let all = read_definitions(&mut reader, files.len(), |at, name, definition| {
            if names.iter().any(|wanted| wanted == name) {
                indexes.push(at);
                definitions.push(SymbolDefinition { name: name.to_owned(), parent: None, ..definition });
            }
        })?;
        read_pairs(&mut reader, files.len(), all.len())?;
        read_pairs(&mut reader, files.len(), files.len())?;
        let mut references = Vec::new();
        for (n_references, bytes) in blocks_with(&read_blocks(&mut reader)?, &indexes)? {
            let read = read_references(bytes, n_references, files.len() as u32, all.len() as u32)?;
            references.extend(read.into_iter().filter_map(|found| {
                let symbol = indexes.binary_search(&found.symbol).ok()? as SymbolIx;
                Some(SymbolReference { symbol, within: None, ..found })
            }));
        }
        Some(Self { files, definitions, references, scip, ..Self::default() })
    }

    fn write_definitions(&self, writer: &mut Writer) {
        let mut ids: FxHashMap<&str, u32> = FxHashMap::default();
        let mut body = Writer::default();
        let mut texts: Vec<&str> = Vec::new();
        let (mut file, mut line) = (0, 0);
        for (at, definition) in self.definitions.iter().enumerate() {
            let name = *ids.entry(&definition.name).or_insert_with(|| {
                texts.push(&definition.name);
                (texts.len() - 1) as u32
            });
            if definition.file != file {
                line = 0;
            }
            body.difference(file, definition.file);
            body.u32(name);
            body.byte(definition.kind.to_byte());
            body.byte(definition.traits.0);
            body.byte(definition.arity.map_or(0, |arity| arity.saturating_add(1)));
            match definition.parent {
                Some(parent) => {
                    body.byte(1);
                    body.difference(parent, at as SymbolIx);
                }
                None => body.byte(0),
            }
            body.difference(line, definition.line);
            body.u32(definition.column);
            body.difference(definition.line, definition.line_start);
            body.difference(definition.line, definition.line_end);
            (file, line) = (definition.file, definition.line);
        }
        writer.count(texts.len());
        texts.iter().for_each(|text| writer.text(text));
        writer.count(self.definitions.len());
        writer.append(body);
    }
}

fn write_pairs(pairs: &[(u32, u32)], writer: &mut Writer) {
    writer.count(pairs.len());
    for &(first, second) in pairs {
        writer.u32(first);
        writer.u32(second);
    }
}

fn read_pairs(reader: &mut Reader<'_>, n_first: usize, n_second: usize) -> Option<Vec<(u32, u32)>> {
    let pairs = reader.list(|reader| Some((reader.u32()?, reader.u32()?)))?;
    let is_right = |&(first, second): &(u32, u32)| (first as usize) < n_first && (second as usize) < n_second;
    pairs.iter().all(is_right).then_some(pairs)
}

fn write_stamp(stamp: Option<FileStamp>, writer: &mut Writer) {
    writer.byte(u8::from(stamp.is_some()));
    if let Some(FileStamp { size, modified_ns, changed_ns }) = stamp {
        [size, modified_ns as u64, changed_ns as u64].into_iter().for_each(|number| writer.number(number));
    }
}

fn read_stamp(reader: &mut Reader<'_>) -> Option<Option<FileStamp>> {
    if reader.byte()? == 0 {
        return Some(None);
    }
    let (size, modified_ns, changed_ns) =
        (reader.number()?, reader.number()? as i64, reader.number()? as i64);
    Some(Some(FileStamp { size, modified_ns, changed_ns }))
}

fn read_file(reader: &mut Reader<'_>) -> Option<SymbolFile> {
    Some(SymbolFile {
        path: reader.text()?.to_owned(),
        language: Language::from_id(reader.text()?)?,
        is_test: reader.byte()? == 1,
        package: reader.text()?.to_owned(),
    })
}

/// What `make` makes of each definition, which it gets with its index, its name, and without a name of its own.
fn read_definitions<T>(
    reader: &mut Reader<'_>,
    n_files: usize,
    mut make: impl FnMut(SymbolIx, &str, SymbolDefinition) -> T,
) -> Option<Vec<T>> {
    let texts = reader.list(Reader::text)?;
    let (mut file, mut line, mut at) = (0, 0, 0);
    reader.list(|reader| {
        let file_before = file;
        file = reader.difference(file).filter(|file| (*file as usize) < n_files)?;
        let name = *texts.get(reader.u32()? as usize)?;
        let kind = DefinitionKind::from_byte(reader.byte()?)?;
        let traits = Traits(reader.byte()?);
        let arity = reader.byte()?.checked_sub(1);
        let parent = match reader.byte()? {
            0 => None,
            _ => Some(u32::try_from(i64::from(at).checked_sub(reader.signed()?)?).ok()?),
        };
        line = reader.difference(if file == file_before { line } else { 0 })?;
        let column = reader.u32()?;
        let (line_start, line_end) = (reader.difference(line)?, reader.difference(line)?);
        let nameless = String::new();
        let definition = SymbolDefinition {
            file,
            name: nameless,
            kind,
            parent,
            line,
            column,
            line_start,
            line_end,
            traits,
            arity,
        };
        at += 1;
        Some(make(at - 1, name, definition))
    })
}

/// Blocks of references, each with their number.
fn read_blocks<'b>(reader: &mut Reader<'b>) -> Option<Vec<(usize, &'b [u8])>> {
    let lengths = reader.list(|reader| {
        let n_references = usize::try_from(reader.number()?).ok()?;
        Some((n_references, usize::try_from(reader.number()?).ok()?))
    })?;
    let blocks =
        lengths.into_iter().map(|(n_references, n_bytes)| Some((n_references, reader.bytes(n_bytes)?)));
    blocks.collect()
}

/// The blocks that may have references to one of `symbols`, which are sorted: each begins with its first symbol.
fn blocks_with<'b>(blocks: &[(usize, &'b [u8])], symbols: &[SymbolIx]) -> Option<Vec<(usize, &'b [u8])>> {
    let firsts: Vec<SymbolIx> =
        blocks.iter().map(|(_, bytes)| Reader::new(bytes).u32()).collect::<Option<_>>()?;
    let is_wanted = |at: &usize| {
        let from = symbols.partition_point(|symbol| *symbol < firsts[*at]);
        let next = firsts.get(at + 1).copied().unwrap_or(SymbolIx::MAX);
        symbols.get(from).is_some_and(|symbol| *symbol < next)
    };
    Some((0..blocks.len()).filter(is_wanted).map(|at| blocks[at]).collect())
}

/// References in blocks, each with all of its symbols.
fn blocks(references: &[SymbolReference]) -> Vec<&[SymbolReference]> {
    let mut blocks = Vec::new();
    let mut rest = references;
    while !rest.is_empty() {
        let last = rest[rest.len().min(BLOCK) - 1].symbol;
        let (block, others) = rest.split_at(rest.partition_point(|found| found.symbol <= last));
        blocks.push(block);
        rest = others;
    }
    blocks
}

fn write_references(references: &[SymbolReference]) -> Vec<u8> {
    let mut writer = Writer::default();
    let mut last_symbol = 0;
    for of_symbol in references.chunk_by(|a, b| a.symbol == b.symbol) {
        let symbol = of_symbol[0].symbol;
        writer.u32(symbol - last_symbol);
        writer.count(of_symbol.len());
        last_symbol = symbol;
        let (mut file, mut line, mut within) = (0, 0, symbol);
        for found in of_symbol {
            writer.u32(found.file - file);
            line = if found.file == file { line } else { 0 };
            writer.u32(found.line - line);
            writer.u32(found.column);
            writer.byte(found.role.to_byte() | if found.within.is_some() { HAS_WITHIN } else { 0 });
            writer.byte(found.confidence);
            if let Some(at) = found.within {
                writer.difference(within, at);
                within = at;
            }
            (file, line) = (found.file, found.line);
        }
    }
    writer.into_bytes()
}

/// Bit beside the role of a reference.
const HAS_WITHIN: u8 = 0x80;

fn read_references(
    bytes: &[u8],
    n_references: usize,
    n_files: u32,
    n_definitions: u32,
) -> Option<Vec<SymbolReference>> {
    // Each takes some bytes.
    let mut references = Vec::with_capacity(n_references.min(bytes.len()));
    let mut reader = Reader::new(bytes);
    let mut symbol = 0u32;
    while !reader.is_empty() {
        symbol = symbol.checked_add(reader.u32()?).filter(|symbol| *symbol < n_definitions)?;
        let (mut file, mut line, mut last_within) = (0u32, 0u32, symbol);
        for _ in 0..reader.count()? {
            let files = reader.u32()?;
            file = file.checked_add(files).filter(|file| *file < n_files)?;
            line = if files == 0 { line } else { 0 };
            line = line.checked_add(reader.u32()?)?;
            let (column, first, confidence) = (reader.u32()?, reader.byte()?, reader.byte()?);
            let within = match first & HAS_WITHIN {
                0 => None,
                _ => {
                    last_within = reader.difference(last_within).filter(|at| *at < n_definitions)?;
                    Some(last_within)
                }
            };
            let role = Role::from_byte(first & !HAS_WITHIN)?;
            references.push(SymbolReference { symbol, file, line, column, role, within, confidence });
        }
    }
    (references.len() == n_references).then_some(references)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three functions of one file, each called so often that its references fill blocks of their own.
    fn graph() -> SymbolGraph {
        let defined: String = (0..3).map(|n| format!("def f{n}():\n    pass\n\n\n")).collect();
        let calls: String = (0..3).map(|n| format!("f{n}()\n").repeat(9_000)).collect();
        let used = format!("from defined import f0, f1, f2\n{calls}");
        SymbolGraph::from_texts([("defined.py", defined.as_str()), ("used.py", used.as_str())])
    }

    /// Places of the references to the definitions of a name.
    fn places(graph: &SymbolGraph, name: &str) -> Vec<(u32, u32, u32, u8)> {
        let found = graph.references.iter().filter(|found| graph.definition(found.symbol).name == name);
        found.map(|found| (found.file, found.line, found.column, found.confidence)).collect()
    }

    #[test]
    fn a_part_has_what_the_whole_has_of_its_names() {
        let graph = graph();
        let bytes = graph.to_bytes();
        let whole = SymbolGraph::from_bytes(&bytes).unwrap();
        assert_eq!((&whole.definitions, &whole.references), (&graph.definitions, &graph.references));
        for name in ["f0", "f1", "f2"] {
            let part = SymbolGraph::part_from_bytes(&bytes, &[name.to_owned()]).unwrap();
            assert_eq!(part.definitions.len(), 1);
            assert_eq!(places(&part, name), places(&graph, name));
            assert!(places(&part, name).len() > 9_000);
        }
        let both = SymbolGraph::part_from_bytes(&bytes, &["f2".to_owned(), "f0".to_owned()]).unwrap();
        assert_eq!(places(&both, "f2"), places(&graph, "f2"));
        let none = SymbolGraph::part_from_bytes(&bytes, &["f".to_owned()]).unwrap();
        assert!(none.definitions.is_empty() && none.references.is_empty());
        assert!(SymbolGraph::part_from_bytes(&bytes[..bytes.len() / 2], &["f0".to_owned()]).is_none());
    }
}
