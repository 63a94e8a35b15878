//! YAML as JSON values: every scalar is text as written, so that the version `1.10` stays one.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// Deeper containers are left out. The values are dropped and visited recursively.
const MOST_DEPTH: usize = 64;

/// Values that aliases of a text may repeat in all: a manifest needs a handful, an alias bomb millions.
const MOST_REPEATED: usize = 10_000;

/// The documents of a text. What cannot be parsed ends the last one.
pub fn parse(text: &str) -> Vec<Value> {
    let mut reader = Reader::default();
    for event in Parser::new_from_str(text.trim_start_matches('\u{feff}')) {
        let Ok((event, _)) = event else { break };
        reader.read(event);
    }
    reader.n_too_deep = 0;
    while let Some(open) = reader.open.pop() {
        reader.add(open.value, open.anchor);
    }
    reader.documents
}

/// The first document of a text, `Null` if there is none.
pub fn first(text: &str) -> Value {
    parse(text).into_iter().next().unwrap_or_default()
}

/// A container whose end has not come yet.
struct Open {
    value: Value,
    /// The key that waits for its value, in a mapping.
    key: Option<String>,
    anchor: usize,
}

#[derive(Default)]
struct Reader {
    documents: Vec<Value>,
    open: Vec<Open>,
    /// Open containers that are too deep to be kept.
    n_too_deep: usize,
    /// Values by the number of their anchor, with how many values they hold.
    anchors: HashMap<usize, (Value, usize)>,
    n_repeated: usize,
}

impl Reader {
    fn read(&mut self, event: Event<'_>) {
        match event {
            Event::MappingStart(anchor, _) => self.open(Value::Object(Map::new()), anchor),
            Event::SequenceStart(anchor, _) => self.open(Value::Array(Vec::new()), anchor),
            Event::MappingEnd | Event::SequenceEnd => self.close(),
            Event::Scalar(text, style, anchor, _) => {
                let is_null = style == ScalarStyle::Plain && matches!(text.as_ref(), "" | "~" | "null");
                self.add(if is_null { Value::Null } else { Value::String(text.into_owned()) }, anchor);
            }
            Event::Alias(anchor) => {
                let value = self.repeated(anchor);
                self.add(value, 0);
            }
            _ => {}
        }
    }

    fn open(&mut self, value: Value, anchor: usize) {
        if self.n_too_deep > 0 || self.open.len() == MOST_DEPTH {
            self.n_too_deep += 1;
        } else {
            self.open.push(Open { value, key: None, anchor });
        }
    }

    fn close(&mut self) {
        if self.n_too_deep > 0 {
            self.n_too_deep -= 1;
            if self.n_too_deep == 0 {
                self.add(Value::Null, 0);
            }
        } else if let Some(open) = self.open.pop() {
            self.add(open.value, open.anchor);
        }
    }

    fn repeated(&mut self, anchor: usize) -> Value {
        let Some((value, n_values)) = self.anchors.get(&anchor) else { return Value::Null };
        self.n_repeated += n_values;
        if self.n_repeated > MOST_REPEATED { Value::Null } else { value.clone() }
    }

    fn add(&mut self, value: Value, anchor: usize) {
        if self.n_too_deep > 0 {
            return;
        }
        if anchor > 0 {
            let n_values = count(&value);
            self.n_repeated += n_values;
            if self.n_repeated <= MOST_REPEATED {
                self.anchors.insert(anchor, (value.clone(), n_values));
            }
        }
        let Some(Open { value: around, key, .. }) = self.open.last_mut() else {
            self.documents.push(value);
            return;
        };
        match around {
            Value::Array(items) => items.push(value),
            Value::Object(entries) => match key.take() {
                None => *key = Some(value.as_str().unwrap_or_default().to_owned()),
                Some(merge) if merge == "<<" => merge_into(entries, value),
                Some(key) => drop(entries.insert(key, value)),
            },
            _ => {}
        }
    }
}

/// `<<: *base`: what the mapping has itself goes first.
fn merge_into(entries: &mut Map<String, Value>, merged: Value) {
    match merged {
        Value::Object(merged) => merged.into_iter().for_each(|(key, value)| {
            entries.entry(key).or_insert(value);
        }),
        Value::Array(several) => several.into_iter().for_each(|merged| merge_into(entries, merged)),
        _ => {}
    }
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(entries) => entries.values().map(count).sum(),
        _ => 0,
    }
}
