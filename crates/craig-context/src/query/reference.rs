//! Finds what an instruction points to: "like the login function", "same as `fetchUser` in client.ts".

use std::ops::Range;

use craig_chunk::ChunkKind;

use super::words::{Token, tokens};

/// Code that an instruction points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The reference without the phrase that introduces it: `login function`.
    pub text: String,
    /// Names written as code: `fetchUser`. Empty when it is described in plain words.
    pub names: Vec<String>,
    /// Its words that may be parts of a name, as written: `login`.
    pub words: Vec<String>,
    /// The kinds of symbol that it may be; empty if unspecified.
    pub kinds: Vec<ChunkKind>,
    /// Words and kinds if nouns for kinds are parts of the name: `enum formatter`, of any kind. None where no word follows such a noun.
    pub as_compound: Option<(Vec<String>, Vec<ChunkKind>)>,
    /// Words that say where it is: a file, or what encloses it.
    pub place: Vec<String>,
    /// Bytes of the instruction that it takes, with what leads to it.
    pub(super) bytes: Range<usize>,
}

/// Phrases that introduce a reference; `*` matches up to three words.
const CUES: &[&[&str]] = &[
    &["the", "same", "way", "as"],
    &["the", "same", "way"],
    &["same", "*", "as"],
    &["similarly", "to"],
    &["similar", "to"],
    &["analogous", "to"],
    &["identical", "to"],
    &["consistent", "with"],
    &["in", "line", "with"],
    &["based", "on"],
    &["modelled", "after"],
    &["modelled", "on"],
    &["modeled", "after"],
    &["modeled", "on"],
    &["inspired", "by"],
    &["in", "the", "style", "of"],
    &["according", "to"],
    &["just", "like"],
    &["like", "in"],
    &["like"],
    &["as", "in"],
    &["as", "with"],
    &["following"],
    &["follow"],
    &["mirroring"],
    &["mirror"],
    &["imitate"],
    &["copying"],
    &["matching"],
    &["match"],
    &["the", "way"],
    &["as"],
    &["how"],
];

/// Cues that are so short that they count only with "does": "as the parser does", "as is done for logs".
const WEAK_CUES: &[&str] = &["as", "how"];

/// Words before `like` with which it leads to nothing.
const NOT_BEFORE_LIKE: &[&str] = &["would", "i'd", "we'd", "you'd", "they'd", "i", "you", "things", "stuff"];

/// Words that lead a reference in.
const DETERMINERS: &[&str] = &[
    "the", "a", "an", "our", "my", "your", "their", "its", "this", "that", "these", "those", "other",
    "others", "all", "any", "some", "existing", "what", "we", "i", "you", "they", "rest", "of", "do", "does",
    "did", "is", "done", "in", "for", "with", "same", "it", "it's", "that's", "already", "how", "one",
    "ones", "every", "each",
];

/// The verbs among these that have code as their subject.
const DOES: &[&str] = &["do", "does", "did", "done"];

/// Words that end a reference.
const ENDS: &[&str] = &[
    "but",
    "with",
    "so",
    "when",
    "while",
    "because",
    "where",
    "using",
    "instead",
    "please",
    "then",
    "too",
    "also",
    "does",
    "do",
    "did",
    "doing",
    "is",
    "are",
    "was",
    "were",
    "has",
    "have",
    "had",
    "uses",
    "and",
    "or",
    "without",
    "except",
    "only",
    "just",
    "above",
    "below",
    "here",
    "rather",
    "by",
    "via",
    "if",
    "unless",
    "as",
    "like",
    "similar",
    "following",
];

/// Words that add to what is already described; after nothing but "the function" they are the description.
const DESCRIBES: &[&str] = &["that", "which", "for", "to", "who", "responsible"];

/// Words that introduce the place of the code.
const PLACES: &[&str] = &["in", "from", "inside", "of", "at", "on", "within"];

/// Words for what code is used as, not for what it is called.
const FLUFF: &[&str] = &[
    "pattern",
    "patterns",
    "style",
    "approach",
    "way",
    "implementation",
    "implementations",
    "logic",
    "code",
    "version",
    "variant",
    "convention",
    "conventions",
    "definition",
    "file",
    "behaviour",
    "behavior",
    "handling",
    "example",
];

/// Nouns for kinds of definitions.
fn kinds_of(noun: &str) -> &'static [ChunkKind] {
    use ChunkKind as K;
    match noun {
        "function" | "functions" | "func" | "fn" | "method" | "methods" | "procedure" | "subroutine"
        | "def" | "helper" | "helpers" | "callback" | "macro" => &[K::Function, K::Method],
        "class" | "classes" | "struct" | "structs" | "object" | "record" | "model" => {
            &[K::Class, K::Interface, K::Enum, K::Type, K::Module]
        }
        "interface" | "interfaces" | "trait" | "traits" | "protocol" | "typeclass" => {
            &[K::Interface, K::Class]
        }
        "enum" | "enums" | "enumeration" => &[K::Enum, K::Class],
        "type" | "types" => &[K::Type, K::Class, K::Interface, K::Enum],
        "module" | "namespace" | "package" => &[K::Module, K::Class],
        "constant" | "variable" | "const" => &[K::Constant],
        "component" | "hook" | "constructor" => &[K::Function, K::Method, K::Class, K::Constant],
        _ => &[],
    }
}

impl Reference {
    /// Whether it names a definition: it is written as code, or called a function, a class or the like. Everything else
    /// is found by a search alone.
    pub fn is_name(&self) -> bool {
        !self.names.is_empty() || !self.kinds.is_empty()
    }

    /// The code that `instruction` refers to; `None` if there is none.
    pub fn find(instruction: &str) -> Option<Self> {
        let found = tokens(instruction);
        let candidates = (0..found.len()).filter_map(|at| read(instruction, &found, at));
        // Names tell most, then kinds; of equals the last, since "following the same approach as X" is about X.
        candidates.max_by_key(|candidate| (!candidate.names.is_empty(), !candidate.kinds.is_empty()))
    }
}

/// The reference whose cue begins at word `at`.
fn read(text: &str, tokens: &[Token<'_>], at: usize) -> Option<Reference> {
    let (n_cue, is_weak) = cue_at(tokens, at)?;
    let mut next = at + n_cue;
    if tokens[next - 1].ends_clause && !tokens.get(next).is_some_and(|token| token.is_marked) {
        return None;
    }
    let mut is_done = false;
    while let Some(token) = tokens.get(next).filter(|token| !token.is_marked && is_in(DETERMINERS, token)) {
        if token.ends_clause {
            return None;
        }
        is_done |= is_in(DOES, token);
        next += 1;
    }
    is_done &= tokens.get(next).is_some_and(|token| token.lower != "not");
    let mut reading = Reading::default();
    while let Some(token) = tokens.get(next) {
        if !reading.takes(token, &tokens[next + 1..]) {
            break;
        }
        next += 1;
        if token.ends_clause {
            break;
        }
    }
    if is_done && reading.is_empty() {
        next = reading.describe(tokens, next);
    }
    let is_confirmed =
        tokens.get(next).is_some_and(|token| is_in(&["does", "do", "did", "is", "has"], token))
            && !tokens[next - 1].ends_clause;
    if is_weak && !is_confirmed && !is_done || reading.is_empty() {
        return None;
    }
    let end = if is_confirmed { tokens[next].bytes.end } else { tokens[next - 1].bytes.end };
    Some(reading.finish(text, tokens[at].bytes.start..end))
}

/// Words of the cue that begins at word `at`, and whether it is a weak one.
fn cue_at(tokens: &[Token<'_>], at: usize) -> Option<(usize, bool)> {
    let before = at.checked_sub(1).map(|before| tokens[before].lower.as_str());
    let n_words = CUES.iter().find_map(|cue| cue_length(&tokens[at..], cue))?;
    let first = tokens[at].lower.as_str();
    let leads_nowhere = match first {
        "like" => before.is_some_and(|before| NOT_BEFORE_LIKE.contains(&before)),
        // "The following code", "a match", "the mirror".
        "following" | "match" | "mirror" | "matching" => {
            before.is_some_and(|before| ["the", "a", "an", "to", "no", "string", "pattern"].contains(&before))
                && !(before == Some("to") && first != "following")
        }
        _ => false,
    };
    (!leads_nowhere).then_some((n_words, n_words == 1 && WEAK_CUES.contains(&first)))
}

fn cue_length(tokens: &[Token<'_>], cue: &[&str]) -> Option<usize> {
    let Some((&word, rest)) = cue.split_first() else { return Some(0) };
    if word == "*" {
        return (0..=3).find_map(|skipped| Some(skipped + cue_length(tokens.get(skipped..)?, rest)?));
    }
    let fits = tokens.first().is_some_and(|token| token.lower == word && !token.is_marked);
    if !fits { None } else { Some(1 + cue_length(&tokens[1..], rest)?) }
}

fn is_in(words: &[&str], token: &Token<'_>) -> bool {
    words.contains(&token.lower.as_str())
}

/// A noun phrase whose last noun alone may be that of a kind.
#[derive(Default)]
struct Compound {
    /// Its words, nouns for kinds among them.
    words: Vec<String>,
    /// How many of them the last word that is not for a kind ends.
    n_words: usize,
    /// The kinds behind that word.
    kinds: Vec<ChunkKind>,
}

impl Compound {
    fn takes_kind(&mut self, noun: &str, kinds: &[ChunkKind]) {
        self.words.push(noun.to_owned());
        self.kinds.extend(kinds);
    }

    fn takes_word(&mut self, word: &str) {
        self.words.push(word.to_owned());
        self.n_words = self.words.len();
        self.kinds.clear();
    }

    /// Its words and kinds if these words are not all that it has.
    fn unless(mut self, words: &[String]) -> Option<(Vec<String>, Vec<ChunkKind>)> {
        self.words.truncate(self.n_words);
        (self.words.len() > words.len()).then_some((self.words, self.kinds))
    }
}

/// A reference that is being read.
#[derive(Default)]
struct Reading {
    /// First and last byte of what it is called.
    bytes: Option<Range<usize>>,
    names: Vec<String>,
    words: Vec<String>,
    fluff: Vec<String>,
    kinds: Vec<ChunkKind>,
    compound: Compound,
    place: Vec<String>,
    /// Names and words of what has it: `http client` of "the http client's send method".
    owner: Option<(Vec<String>, Vec<String>)>,
    is_place: bool,
    is_description: bool,
}

impl Reading {
    fn is_empty(&self) -> bool {
        self.is_bare() && self.fluff.is_empty() && self.owner.is_none()
    }

    /// Whether nothing but "the function" has been read.
    fn is_bare(&self) -> bool {
        self.names.is_empty() && self.words.is_empty()
    }

    /// Reads one more word; false when it is no part of the reference.
    fn takes(&mut self, token: &Token<'_>, rest: &[Token<'_>]) -> bool {
        let next = rest.first();
        if token.lower == "s" && token.is_possessive && !self.is_bare() {
            self.owner = Some((std::mem::take(&mut self.names), std::mem::take(&mut self.words)));
            self.compound = Compound::default();
            return next.is_some();
        }
        if token.is_name() && !self.is_place {
            self.reach(token);
            self.names.push(token.text.to_owned());
            return true;
        }
        let noun = kinds_of(&token.lower);
        if is_in(ENDS, token) && !self.joins(token, rest) && !(self.is_bare() && self.is_description) {
            return false;
        }
        if is_in(PLACES, token) && !self.is_bare() {
            self.is_place = self.is_place || token.lower != "of" || self.has_noun();
            return next.is_some();
        }
        if self.is_place {
            if !is_in(DETERMINERS, token) && noun.is_empty() {
                self.place.push(token.text.to_owned());
            }
            return true;
        }
        if is_in(DESCRIBES, token) {
            if !self.is_bare() && !self.is_description && token.lower != "for" {
                return false;
            }
            self.is_description = true;
            return next.is_some();
        }
        if self.bytes.is_none() && is_in(DETERMINERS, token) {
            return true;
        }
        self.reach(token);
        if !noun.is_empty() && !self.is_description {
            self.kinds.extend(noun);
            self.compound.takes_kind(token.text, noun);
        } else if is_in(FLUFF, token) {
            self.fluff.push(token.text.to_owned());
        } else if !is_in(&["the", "a", "an", "and", "of"], token) {
            self.words.push(token.text.to_owned());
            self.compound.takes_word(token.text);
        }
        true
    }

    /// Reads all words of a clause from word `at`: "when archives get fetched". Gives the one after it.
    fn describe(&mut self, tokens: &[Token<'_>], at: usize) -> usize {
        let end =
            tokens[at..].iter().position(|token| token.ends_clause).map_or(tokens.len(), |end| at + end + 1);
        for token in &tokens[at..end] {
            self.reach(token);
            self.words.push(token.text.to_owned());
        }
        end
    }

    /// Whether `and` goes on with the name: "the search and replace function".
    fn joins(&self, token: &Token<'_>, rest: &[Token<'_>]) -> bool {
        let clause = rest.iter().position(|token| token.ends_clause).map_or(rest, |end| &rest[..=end]);
        let has_noun_ahead = clause.iter().take(3).any(|token| !kinds_of(&token.lower).is_empty());
        token.lower == "and" && has_noun_ahead && !self.has_noun() && !self.words.is_empty()
    }

    fn has_noun(&self) -> bool {
        !self.kinds.is_empty() || !self.names.is_empty()
    }

    fn reach(&mut self, token: &Token<'_>) {
        let start = self.bytes.as_ref().map_or(token.bytes.start, |bytes| bytes.start);
        self.bytes = Some(start..token.bytes.end);
    }

    fn finish(mut self, text: &str, bytes: Range<usize>) -> Reference {
        if let Some((names, words)) = self.owner.take() {
            // "fetchUser's error handling" is in fetchUser.
            match self.is_bare() {
                true => (self.names, self.words) = (names, words),
                false => self.place.extend(names.into_iter().chain(words)),
            }
        }
        if self.is_bare() {
            self.words = self.fluff;
        }
        self.kinds.sort();
        self.kinds.dedup();
        let as_compound =
            self.compound.unless(&self.words).filter(|_| self.names.is_empty() && !self.is_description);
        let called = self.bytes.and_then(|bytes| text.get(bytes)).unwrap_or_default();
        let text = called.replace('`', "").split_whitespace().collect::<Vec<_>>().join(" ");
        let Self { names, words, kinds, place, .. } = self;
        Reference { text, names, words, kinds, as_compound, place, bytes }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "as expect! makes it")]
    fn check(instruction: &str, expected: Expect) {
        let Some(found) = Reference::find(instruction) else { return expected.assert_eq("none") };
        let is_name = found.is_name();
        let Reference { text, names, words, kinds, as_compound, place, bytes } = found;
        let mut described = format!("{text} | words {}", words.join(" "));
        if !is_name {
            described += " | described";
        }
        for (label, list) in [("names", &names), ("place", &place)] {
            if !list.is_empty() {
                described += &format!(" | {label} {}", list.join(" "));
            }
        }
        if !kinds.is_empty() {
            described += &format!(" | {}", kinds[0].as_str());
        }
        if let Some((words, kinds)) = as_compound {
            described += &format!(" | or {} of {} kinds", words.join(" "), kinds.len());
        }
        assert!(instruction.get(bytes).is_some());
        expected.assert_eq(&described);
    }

    #[test]
    fn cues_lead_to_what_is_meant() {
        check("like the login function", expect!["login function | words login | function"]);
        check(
            "Refactor this to use async/await like the login function",
            expect!["login function | words login | function"],
        );
        check(
            "Refactor this to use the same pattern as the login function",
            expect!["login function | words login | function"],
        );
        check(
            "like the enum formatter",
            expect!["enum formatter | words formatter | class | or enum formatter of 0 kinds"],
        );
        check(
            "like the object pool class in pool.py",
            expect!["object pool class | words pool | place pool.py | class | or object pool of 5 kinds"],
        );
        check("Add error handling like the API client", expect!["API client | words API client | described"]);
        check(
            "Make this async like other database functions",
            expect!["database functions | words database | function"],
        );
        check("same as `parse_config`", expect!["parse_config | words  | names parse_config"]);
        check(
            "handle errors similar to fetchUser, but with retries",
            expect!["fetchUser | words  | names fetchUser"],
        );
        check(
            "following the UserController class, validate the input",
            expect!["UserController class | words  | names UserController | class"],
        );
        check("validate the input as in SignupForm", expect!["SignupForm | words  | names SignupForm"]);
        check(
            "use the same error handling as the http client's send method",
            expect!["http client's send method | words send | place http client | function"],
        );
        check(
            "use the same error handling as fetchUser's error handling",
            expect!["fetchUser's error handling | words error | described | place fetchUser"],
        );
        check(
            "do it the way the queue worker does",
            expect!["queue worker | words queue worker | described"],
        );
        check("return early as the parser does", expect!["parser | words parser | described"]);
        check(
            "rewrite in the style of the search and replace function and add a test",
            expect!["search and replace function | words search replace | function"],
        );
        check(
            "make it like the function that parses query strings",
            expect!["function that parses query strings | words parses query strings | function"],
        );
        check(
            "make it like the run method of QueueWorker",
            expect!["run method | words run | place QueueWorker | function"],
        );
        check(
            "log like the retry helper in src/http/client.py does",
            expect!["retry helper | words retry | place src http client.py | function"],
        );
        check(
            "Follow the same approach as `Session::open` here",
            expect!["Session::open | words  | names Session::open"],
        );
        check(
            "make this work like the handler for uploads",
            expect!["handler for uploads | words handler uploads | described"],
        );
    }

    #[test]
    fn what_has_no_name_is_described() {
        check(
            "try a handful of times, as it is done for listeners whose port is taken",
            expect!["listeners whose port | words listeners whose port | described"],
        );
        check(
            "Check the length in the way it's done when archives get fetched",
            expect!["when archives get fetched | words when archives get fetched | described"],
        );
        check(
            "expand the tilde first, as is done for the folders of modules",
            expect!["folders of modules | words folders modules | described"],
        );
        check(
            "leave out cookies, as we already do on the sending side",
            expect!["on the sending side | words on sending side | described"],
        );
    }

    #[test]
    fn other_uses_of_the_words_lead_nowhere() {
        for instruction in [
            "Add error handling",
            "I would like to add a test",
            "fix the following",
            "make it like this",
            "like so",
            "leave it as it is",
            "remove this as we do not need it",
            "use this as a default",
            "",
            "convert to async",
            "match",
        ] {
            check(instruction, expect!["none"]);
        }
    }
}
