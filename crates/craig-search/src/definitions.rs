//! Finds definitions by description: "the login function", `fetchUser`, "the run method of QueueWorker".
//!
//! A search finds the file that answers a question; here the user says that such a definition exists, and what it is called.

use std::cell::LazyCell;
use std::collections::HashMap;

use craig_chunk::{ChunkKind, Symbol};
use craig_source::Language;
use craig_store::{FileId, OutlinedFile, ProjectId, Store};
use craig_text::path::file_stem;
use craig_text::{PathRole, compact, is_prefix_of_other, stems};

use crate::analysis::Field;
use crate::hit::{Evidence, Hit};
use crate::index::{Index, LiveSegment};
use crate::lexical::idf;
use crate::{Filter, SearchError};

/// A description of a definition.
#[derive(Clone, Copy, Debug, Default)]
pub struct Description<'a> {
    /// Names written as code, perhaps qualified: `fetchUser`, `Session::open`.
    pub names: &'a [String],
    /// Words that may be parts of its name.
    pub words: &'a [String],
    /// Kinds that it may have; empty means any.
    pub kinds: &'a [ChunkKind],
    /// Words for its place: a file, or what encloses it.
    pub place: &'a [String],
}

/// Number of chunks whose files are candidates: those that define names with most of the words.
const N_CHUNKS: usize = 60;

/// Number of files whose symbols are compared with the description.
const N_FILES: usize = 12;

/// Penalty for other words in a name: `loginUser` for "login".
const OTHER_WORDS: f32 = 0.28;

/// Weight of a word of the description that is found in the name of the enclosing symbol instead, or in the path.
const IN_PARENT: f32 = 0.9;
const IN_PATH: f32 = 0.6;

/// Weight of a word that matches only by a prefix.
const PREFIX: f32 = 0.8;

/// Shorter words are prefixes of others by chance.
const MIN_PREFIX_CHARS: usize = 4;

/// Factors of a definition of another kind than described, in test code, of a minor kind, or in another place.
const OTHER_KIND: f32 = 0.88;
const OF_TEST: f32 = 0.93;
const MINOR_KIND: f32 = 0.95;
const ELSEWHERE: f32 = 0.15;

/// Maximum number of lines above a name that belong to the definition: attributes and decorators.
const MAX_ATTRIBUTE_LINES: u32 = 6;

impl Index {
    /// The definitions that `description` fits best, best first, ties by depth of the path, path and line; the same index
    /// always returns the same.
    ///
    /// `score` is how well it fits: 1 if the name is the description, word for word, in any spelling; less for every word that only
    /// one of them has. It is not a probability of relevance. Definitions that fit by less than `min_fit` are dropped.
    pub fn definitions(
        &self,
        store: &Store,
        project: ProjectId,
        description: &Description<'_>,
        filter: &Filter,
        min_fit: f32,
        limit: usize,
    ) -> Result<Vec<Hit>, SearchError> {
        let wanted = Wanted::new(description, self);
        let files = self.unless_damaged(self.files_that_define(&wanted, filter))?;
        let ids: Vec<FileId> = files.iter().map(|(id, _)| *id).collect();
        let roles: HashMap<FileId, PathRole> = files.into_iter().collect();
        let mut found = Vec::new();
        for file in store.load_outlines(project, &ids)? {
            let role = roles.get(&file.record.id).copied().unwrap_or(PathRole::Source);
            let lines = LazyCell::new(|| file.text.lines().collect::<Vec<_>>());
            let fits =
                file.symbols.iter().map(|symbol| (wanted.fit(symbol, &file.record.path, role), symbol));
            let fits = fits.filter(|(fit, _)| *fit >= min_fit);
            found.extend(fits.map(|(fit, symbol)| hit(&file, &lines, symbol, fit)));
        }
        found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b))));
        found.truncate(limit);
        Ok(found)
    }

    /// The files with the chunks that define most of the wanted words; files that define the whole name come first.
    fn files_that_define(
        &self,
        wanted: &Wanted,
        filter: &Filter,
    ) -> Result<Vec<(FileId, PathRole)>, SearchError> {
        let mut chunks: HashMap<(usize, u32), f32> = HashMap::new();
        for (number, segment) in self.segments.iter().enumerate() {
            let mut add = |field, term: &str, weight: f32| {
                for posting in segment.live_chunks(field, term) {
                    *chunks.entry((number, posting.doc)).or_default() += weight;
                }
            };
            wanted.words.iter().for_each(|word| add(Field::Symbol, &word.term, word.idf));
            wanted.whole.iter().for_each(|name| add(Field::Definition, name, WHOLE_NAME));
        }
        let allowed = self.passing_files(filter)?;
        let file_of =
            |(segment, chunk): (usize, u32)| (segment, self.segments[segment].segment.file_of(chunk));
        let order = |weight: f32, (segment, file): (usize, u32)| {
            let live: &LiveSegment = &self.segments[segment];
            let in_place = wanted.place_share(live.segment.path_of(file), "");
            (weight + in_place, live.segment.role(file) == PathRole::Source, live.segment.path_bytes(file))
        };
        let mut best: Vec<_> = chunks
            .into_iter()
            .map(|(at, weight)| (weight, file_of(at)))
            .filter(|(_, (segment, file))| allowed[*segment][*file as usize])
            .map(|(weight, file)| (order(weight, file), file))
            .collect();
        best.sort_by(|(a, _), (b, _)| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then(a.2.cmp(b.2)));
        best.truncate(N_CHUNKS);
        let mut files = Vec::new();
        for (_, (segment, file)) in best {
            let segment = &self.segments[segment].segment;
            let found = (FileId::from_u64(segment.files()[file as usize].id), segment.role(file));
            if files.len() < N_FILES && !files.contains(&found) {
                files.push(found);
            }
        }
        Ok(files)
    }
}

/// More than all words together can weigh.
const WHOLE_NAME: f32 = 1_000.0;

/// A description, prepared to be compared with names.
struct Wanted<'a> {
    words: Vec<WantedWord>,
    idf_sum: f32,
    /// Whole names without case and separators.
    whole: Vec<String>,
    place: Vec<String>,
    kinds: &'a [ChunkKind],
    asks_for_tests: bool,
}

struct WantedWord {
    term: String,
    idf: f32,
}

impl<'a> Wanted<'a> {
    fn new(description: &Description<'a>, index: &Index) -> Self {
        let mut place: Vec<String> = description.place.iter().flat_map(|word| stems(word)).collect();
        let mut terms: Vec<String> = Vec::new();
        let mut whole = vec![compact(&description.words.concat())];
        for name in description.names {
            let segments: Vec<&str> = segments_of(name).collect();
            if let Some((last, outer)) = segments.split_last() {
                whole.push(compact(last));
                terms.extend(stems(last));
                place.extend(outer.iter().flat_map(|outer| stems(outer)));
            }
        }
        match description.names.is_empty() {
            true => terms.extend(description.words.iter().flat_map(|word| stems(word))),
            // Next to a name, words describe at best its place or kind.
            false => place.extend(description.words.iter().flat_map(|word| stems(word))),
        }
        let mut seen = std::collections::HashSet::new();
        terms.retain(|term| seen.insert(term.clone()));
        whole.retain(|name| !name.is_empty());
        let words: Vec<WantedWord> = terms.into_iter().map(|term| WantedWord::new(term, index)).collect();
        let is_test = |word: &str| matches!(word, "test" | "spec" | "mock");
        Self {
            idf_sum: words.iter().map(|word| word.idf).sum(),
            asks_for_tests: words.iter().any(|word| is_test(&word.term))
                || place.iter().any(|word| is_test(word)),
            words,
            whole,
            place,
            kinds: description.kinds,
        }
    }

    /// How well a symbol fits, 0 to 1.
    fn fit(&self, symbol: &Symbol, path: &str, role: PathRole) -> f32 {
        let own: Vec<String> = stems(&symbol.name).collect();
        if !self.words.iter().any(|word| own.contains(&word.term)) {
            return 0.0;
        }
        let parent: Vec<String> = stems(symbol.parent.as_deref().unwrap_or_default()).collect();
        let in_path: Vec<String> = path.split('/').flat_map(|part| stems(file_stem(part))).collect();
        let covered = |word: &WantedWord| match () {
            () if own.contains(&word.term) => 1.0,
            () if parent.contains(&word.term) => IN_PARENT,
            () if own.iter().any(|part| is_prefix_of_other(part, &word.term, MIN_PREFIX_CHARS)) => PREFIX,
            () if in_path.contains(&word.term) => IN_PATH,
            () => 0.0,
        };
        let coverage: f32 =
            self.words.iter().map(|word| word.idf * covered(word)).sum::<f32>() / self.idf_sum;
        let is_wanted = |part: &&String| {
            self.words
                .iter()
                .any(|word| word.term == **part || is_prefix_of_other(part, &word.term, MIN_PREFIX_CHARS))
        };
        let precision = own.iter().filter(is_wanted).count() as f32 / own.len().max(1) as f32;
        let precision = if self.whole.contains(&compact(&symbol.name)) { 1.0 } else { precision };
        let place =
            1.0 - ELSEWHERE * (1.0 - self.place_share(path, symbol.parent.as_deref().unwrap_or_default()));
        let is_test = role == PathRole::Test && !self.asks_for_tests;
        coverage
            * (1.0 - OTHER_WORDS * (1.0 - precision))
            * place
            * self.kind_factor(symbol.kind)
            * if is_test || matches!(role, PathRole::Vendored | PathRole::Generated) { OF_TEST } else { 1.0 }
    }

    fn kind_factor(&self, kind: ChunkKind) -> f32 {
        use ChunkKind as K;
        match () {
            () if self.kinds.contains(&kind) => 1.0,
            () if !self.kinds.is_empty() => OTHER_KIND,
            () if matches!(kind, K::Constant | K::Module | K::Import | K::Block | K::Section) => MINOR_KIND,
            () => 1.0,
        }
    }

    /// Share of the words for its place that are in the path or in what encloses it; 1 if there are none.
    fn place_share(&self, path: &str, parent: &str) -> f32 {
        if self.place.is_empty() {
            return 1.0;
        }
        let there: Vec<String> = path.split(['/', '.']).chain([parent]).flat_map(stems).collect();
        let found = self.place.iter().filter(|word| there.contains(word)).count();
        found as f32 / self.place.len() as f32
    }
}

impl WantedWord {
    fn new(term: String, index: &Index) -> Self {
        let n_chunks =
            index.segments.iter().map(|segment| segment.live_chunks(Field::Symbol, &term).len()).sum();
        Self { idf: idf(index.totals.n_chunks, n_chunks), term }
    }
}

/// `Session::open` is `Session` and `open`; a file's name is only a place.
fn segments_of(name: &str) -> impl Iterator<Item = &str> {
    let is_file = name.contains('.') && Language::from_path(name).is_some();
    let name = if is_file { "" } else { name };
    name.split(['.', ':', '#']).flat_map(|part| part.split("->")).filter(|part| !part.is_empty())
}

/// Sort key of hits that fit equally well: fewer folders first.
fn place(hit: &Hit) -> (usize, &str, u32) {
    (hit.path.matches('/').count(), &hit.path, hit.line_start)
}

/// `lines` are those of `file`.
fn hit(file: &OutlinedFile, lines: &[&str], symbol: &Symbol, fit: f32) -> Hit {
    let first = first_line(lines, symbol.line);
    let shown =
        lines.get(first as usize - 1..(symbol.line_end as usize).min(lines.len())).unwrap_or_default();
    Hit {
        path: file.record.path.clone(),
        line_start: first,
        line_end: symbol.line_end,
        language: file.record.language.id().to_owned(),
        chunk_type: symbol.kind,
        symbol_name: Some(symbol.name.clone()),
        symbol_lines: None,
        parent: symbol.parent.clone(),
        score: fit.clamp(0.0, 1.0),
        file_score: fit.clamp(0.0, 1.0),
        content: shown.join("\n"),
        evidence: vec![Evidence { signal: "name_fit".to_owned(), value: fit }],
        more: Vec::new(),
    }
}

/// The line of the name, or of the first attribute above it.
fn first_line(lines: &[&str], line: u32) -> u32 {
    let is_attribute = |at: u32| {
        let text = lines.get(at as usize - 1).map(|line| line.trim_start()).unwrap_or_default();
        text.starts_with('@') || text.starts_with("#[") || text.starts_with("template")
    };
    let mut first = line.max(1);
    while first > 1 && line - first < MAX_ATTRIBUTE_LINES && is_attribute(first - 1) {
        first -= 1;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualified_names_have_segments_and_files_have_none() {
        let segments = |name| segments_of(name).collect::<Vec<_>>();
        assert_eq!(segments("Session::open"), ["Session", "open"]);
        assert_eq!(segments("a.b->c#d"), ["a", "b", "c", "d"]);
        assert!(segments("auth.ts").is_empty());
        assert_eq!(segments("open"), ["open"]);
    }

    #[test]
    fn attributes_belong_to_a_definition() {
        let lines = ["x", "@app.route('/')", "@cached", "def f():"];
        assert_eq!(first_line(&lines, 4), 2);
        assert_eq!(first_line(&lines, 1), 1);
    }
}
