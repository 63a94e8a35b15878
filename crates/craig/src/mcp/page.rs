//! Answers of a bounded size: what fits is told, and a cursor asks for the rest.

use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::failure::Failure;

/// Tokens of an answer when nothing else was asked for: well below what assistants cut off or warn of.
const DEFAULT_TOKENS: usize = 6_000;

/// The least and the most that can be asked for.
const TOKENS: std::ops::RangeInclusive<usize> = 200..=200_000;

/// Bytes of JSON that count as one token: low, since code has more tokens a byte than prose.
const BYTES_PER_TOKEN: usize = 3;

/// Tokens of whatever stands around the items of an answer.
const FRAME_TOKENS: usize = 120;

/// Arguments of every tool whose answer may be long.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct Paging {
    /// Most tokens of the answer (default 6000). What does not fit is told with next_cursor.
    max_tokens: Option<usize>,
    /// next_cursor of the answer before, with otherwise the same arguments.
    cursor: Option<String>,
}

/// One page of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    /// Items that earlier pages told.
    pub(super) offset: usize,
    max_tokens: usize,
    fingerprint: u64,
}

/// What of a list fits into a page.
pub(super) struct Fitting<T> {
    /// The items.
    pub(super) items: Vec<T>,
    /// Items of the whole list.
    total: usize,
    /// Where the next page begins.
    next: Option<usize>,
}

impl Page {
    /// The page that was asked for; `arguments` are those of the whole call.
    pub(super) fn new(paging: &Paging, arguments: &Map<String, Value>) -> Result<Self, Failure> {
        let fingerprint = fingerprint(arguments);
        let offset = paging.cursor.as_deref().map_or(Ok(0), |cursor| read_cursor(cursor, fingerprint))?;
        let max_tokens = paging.max_tokens.unwrap_or(DEFAULT_TOKENS).clamp(*TOKENS.start(), *TOKENS.end());
        Ok(Self { offset, max_tokens, fingerprint })
    }

    /// Bytes of JSON that items may take.
    pub(super) fn budget_bytes(&self) -> usize {
        self.max_tokens.saturating_sub(FRAME_TOKENS).max(1) * BYTES_PER_TOKEN
    }

    /// The items from this page's first on that fit; always one, so that every page goes on.
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

    /// Says in an answer whether it is whole, and how to ask for the rest.
    pub(super) fn close<T>(
        &self,
        answer: &mut Map<String, Value>,
        fitting: &Fitting<T>,
        noun: &str,
        notes: Vec<String>,
    ) {
        self.close_at(answer, fitting.next, notes, || {
            format!("{noun} {}-{} of {}", self.offset + 1, self.offset + fitting.items.len(), fitting.total)
        });
    }

    /// The same for lists of another kind; `next` is where the next page begins, and `told` says what this one has.
    pub(super) fn close_at(
        &self,
        answer: &mut Map<String, Value>,
        next: Option<usize>,
        mut notes: Vec<String>,
        told: impl FnOnce() -> String,
    ) {
        let cursor = next.map(|offset| write_cursor(self.fingerprint, offset));
        if let Some(cursor) = &cursor {
            notes.push(format!(
                "truncated at {} tokens ({}): ask with cursor {cursor}",
                self.max_tokens,
                told()
            ));
        }
        answer.insert("truncated".into(), cursor.is_some().into());
        answer.insert("next_cursor".into(), cursor.into());
        answer.insert("note".into(), (!notes.is_empty()).then(|| notes.join(". ")).into());
    }
}

/// Bytes of `item` as JSON.
pub(super) fn size_of(item: &impl Serialize) -> usize {
    serde_json::to_string(item).map_or(0, |json| json.len() + 1)
}

/// Bytes of the whole lines at the beginning of `text` that fit as JSON into so many.
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

/// Of the arguments that say what is listed: a cursor belongs to one list.
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
            "use next_cursor exactly as given, with otherwise unchanged arguments; or leave it out to begin anew",
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
        let list: Vec<String> =
            (0..100).map(|n| format!("{n} is a number that is told in a sentence")).collect();
        let (mut told, mut cursor, mut n_pages) = (Vec::new(), Value::Null, 0);
        loop {
            let page = page(&json!({ "query": "q", "max_tokens": 300, "cursor": cursor })).unwrap();
            let fitting = page.fit(list.clone());
            assert!(size_of(&fitting.items) <= page.budget_bytes() + 2);
            let mut answer = Map::new();
            page.close(&mut answer, &fitting, "items", Vec::new());
            assert_eq!(answer["truncated"], json!(answer["next_cursor"].is_string()));
            told.extend(fitting.items);
            n_pages += 1;
            cursor = answer["next_cursor"].clone();
            if cursor.is_null() {
                break;
            }
            assert!(answer["note"].as_str().unwrap().contains("ask with cursor"));
        }
        assert_eq!(told, list);
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
