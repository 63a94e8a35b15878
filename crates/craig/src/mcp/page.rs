//! Answers of a bounded size: what fits is returned, with a cursor for the rest.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::failure::Failure;

/// Default token budget of an answer, well below what assistants truncate or warn about.
const DEFAULT_TOKENS: usize = 6_000;

/// The range of token budgets.
const TOKENS: std::ops::RangeInclusive<usize> = 200..=200_000;

/// Bytes of JSON per token: low, since code has more tokens per byte than prose.
const BYTES_PER_TOKEN: usize = 3;

/// Tokens of an answer apart from its items.
const FRAME_TOKENS: usize = 120;

/// Arguments of every tool whose answer may be long.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct Paging {
    /// Default 6000.
    max_tokens: Option<usize>,
    /// A next_cursor, to continue.
    cursor: Option<String>,
}

/// The end of every answer that comes in pages.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PageEnd {
    /// More follows: ask with next_cursor.
    pub(super) truncated: bool,
    /// Cursor for the rest.
    next_cursor: Option<String>,
    /// Notes about this answer.
    note: Option<String>,
}

/// One page of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    /// Items on earlier pages.
    pub(super) offset: usize,
    max_tokens: usize,
    fingerprint: u64,
}

/// The part of a list that fits into a page.
pub(super) struct Fitting<T> {
    /// The items.
    pub(super) items: Vec<T>,
    /// Length of the whole list.
    total: usize,
    /// Where the next page begins.
    next: Option<usize>,
}

impl<T> Fitting<T> {
    /// Where the next page begins, if there is one.
    pub(super) fn next(&self) -> Option<usize> {
        self.next
    }
}

impl Page {
    /// The requested page; `arguments` are those of the whole call.
    pub(super) fn new(paging: &Paging, arguments: &Map<String, Value>) -> Result<Self, Failure> {
        let fingerprint = fingerprint(arguments);
        let offset = paging.cursor.as_deref().map_or(Ok(0), |cursor| read_cursor(cursor, fingerprint))?;
        let max_tokens = paging.max_tokens.unwrap_or(DEFAULT_TOKENS).clamp(*TOKENS.start(), *TOKENS.end());
        Ok(Self { offset, max_tokens, fingerprint })
    }

    /// Byte budget for the JSON of items.
    pub(super) fn budget_bytes(&self) -> usize {
        self.max_tokens.saturating_sub(FRAME_TOKENS).max(1) * BYTES_PER_TOKEN
    }

    /// The items of this page: as many as fit, but at least one.
    pub(super) fn fit<T: Serialize>(&self, items: Vec<T>) -> Fitting<T> {
        let total = items.len();
        let mut room = self.budget_bytes();
        let mut fitting = Vec::new();
        for item in items.into_iter().skip(self.offset) {
            let size = size_of(&item);
            if size > room && !fitting.is_empty() {
                break;
            }
            room = room.saturating_sub(size);
            fitting.push(item);
        }
        let end = self.offset + fitting.len();
        Fitting { items: fitting, total, next: (end < total).then_some(end) }
    }

    /// Whether the answer is complete, and how to ask for the rest.
    pub(super) fn end<T>(&self, fitting: &Fitting<T>, noun: &str, notes: Vec<String>) -> PageEnd {
        let last = self.offset + fitting.items.len();
        self.end_at(fitting.next, notes, || format!("{noun} {}-{last} of {}", self.offset + 1, fitting.total))
    }

    /// The same for lists of another kind; `next` is where the next page begins, and `shown` describes this one.
    pub(super) fn end_at(
        &self,
        next: Option<usize>,
        mut notes: Vec<String>,
        shown: impl FnOnce() -> String,
    ) -> PageEnd {
        let next_cursor = next.map(|offset| write_cursor(self.fingerprint, offset));
        if let Some(cursor) = &next_cursor {
            let shown = shown();
            notes.push(format!(
                "truncated at {} tokens ({shown}): continue with cursor {cursor}",
                self.max_tokens
            ));
        }
        let note = (!notes.is_empty()).then(|| notes.join(". "));
        PageEnd { truncated: next_cursor.is_some(), next_cursor, note }
    }
}

/// Bytes of `item` as JSON.
pub(super) fn size_of(item: &impl Serialize) -> usize {
    serde_json::to_string(item).map_or(0, |json| json.len() + 1)
}

/// Bytes of the whole lines at the start of `text` that fit into `most_bytes` as JSON.
pub(super) fn whole_lines(text: &str, most_bytes: usize) -> usize {
    let (mut length, mut room) = (0, most_bytes);
    for line in text.split_inclusive('\n') {
        let size = size_of(&line);
        if size > room {
            break;
        }
        room -= size;
        length += line.len();
    }
    length
}

/// Hash of the arguments that determine the list: a cursor belongs to one list.
fn fingerprint(arguments: &Map<String, Value>) -> u64 {
    let mut fields: Vec<String> = arguments
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "cursor" | "max_tokens"))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    fields.sort();
    // FNV-1a, 64 bits.
    fields
        .join("\n")
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn write_cursor(fingerprint: u64, offset: usize) -> String {
    format!("{fingerprint:016x}{offset:x}")
}

fn read_cursor(cursor: &str, fingerprint: u64) -> Result<usize, Failure> {
    let offset = cursor
        .strip_prefix(&format!("{fingerprint:016x}"))
        .and_then(|offset| usize::from_str_radix(offset, 16).ok());
    offset.ok_or_else(|| {
        Failure::new(
            format!("the cursor {cursor:?} does not belong to these arguments"),
            "use next_cursor exactly as given, with otherwise unchanged arguments; or omit it to start again",
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn page(arguments: &Value) -> Result<Page, Failure> {
        let paging = Paging {
            max_tokens: arguments["max_tokens"].as_u64().map(|n| n as usize),
            cursor: arguments["cursor"].as_str().map(str::to_owned),
        };
        Page::new(&paging, arguments.as_object().unwrap())
    }

    #[test]
    fn pages_make_the_whole_list() {
        let list: Vec<String> = (0..100).map(|n| format!("{n} is a number in a sentence")).collect();
        let (mut listed, mut cursor, mut n_pages) = (Vec::new(), Value::Null, 0);
        loop {
            let page = page(&json!({ "query": "q", "max_tokens": 300, "cursor": cursor })).unwrap();
            let fitting = page.fit(list.clone());
            assert!(size_of(&fitting.items) <= page.budget_bytes() + 2);
            let end = page.end(&fitting, "items", Vec::new());
            assert_eq!(end.truncated, end.next_cursor.is_some());
            listed.extend(fitting.items);
            n_pages += 1;
            cursor = json!(end.next_cursor);
            if cursor.is_null() {
                break;
            }
            assert!(end.note.unwrap().contains("continue with cursor"));
        }
        assert_eq!(listed, list);
        assert!(n_pages > 3);
    }

    #[test]
    fn a_cursor_belongs_to_its_arguments() {
        let cursor = write_cursor(fingerprint(json!({ "query": "a" }).as_object().unwrap()), 7);
        assert_eq!(page(&json!({ "query": "a", "cursor": cursor })).unwrap().offset, 7);
        for arguments in [json!({ "query": "b", "cursor": cursor }), json!({ "query": "a", "cursor": "zz" })]
        {
            assert!(page(&arguments).unwrap_err().text().contains("does not belong"));
        }
    }

    #[test]
    fn an_item_over_the_budget_is_a_page_of_its_own() {
        let page = page(&json!({ "max_tokens": 200 })).unwrap();
        let fitting = page.fit(vec!["x".repeat(10_000), "y".into()]);
        assert_eq!((fitting.items.len(), fitting.next), (1, Some(1)));
    }
}
