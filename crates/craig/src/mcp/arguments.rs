//! Arguments of a call: read with words about what is wrong with them.

use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::failure::Failure;

/// A text argument longer than this is refused: no question is a book.
const MOST_TEXT_BYTES: usize = 20_000;

/// Reads the arguments of a tool whose input schema is `schema`.
pub(super) fn read<T: DeserializeOwned>(arguments: &JsonObject, schema: &JsonObject) -> Result<T, Failure> {
    check_names(arguments, schema)?;
    check_sizes(arguments)?;
    serde_json::from_value(Value::Object(arguments.clone()))
        .map_err(|error| Failure::new(format!("the arguments do not fit: {error}"), usage(schema)))
}

fn check_names(arguments: &JsonObject, schema: &JsonObject) -> Result<(), Failure> {
    let known = |name: &String| schema["properties"].get(name).is_some();
    match arguments.keys().find(|name| !known(name)) {
        Some(name) => Err(Failure::new(format!("there is no argument {name:?}"), usage(schema))),
        None => Ok(()),
    }
}

fn check_sizes(arguments: &JsonObject) -> Result<(), Failure> {
    match arguments.iter().find(|(_, value)| text_bytes(value) > MOST_TEXT_BYTES) {
        Some((name, _)) => Err(Failure::new(
            format!("the argument {name:?} is longer than {MOST_TEXT_BYTES} bytes"),
            "ask with a sentence, or with the part that matters",
        )),
        None => Ok(()),
    }
}

/// Bytes of text in a value, all the way down.
fn text_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(|value| text_bytes(value) + 1).sum(),
        Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + text_bytes(value)).sum(),
        _ => 0,
    }
}

/// `arguments: query (string, needed), limit (integer), …`.
fn usage(schema: &JsonObject) -> String {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|needed| needed == name));
    let properties = schema["properties"].as_object().into_iter().flatten();
    let told = properties.map(|(name, property)| {
        let r#type = property["type"].as_str().unwrap_or("value");
        let needed = if is_required(name) { ", needed" } else { "" };
        format!("{name} ({}{needed})", allowed(property).unwrap_or_else(|| r#type.to_owned()))
    });
    format!("arguments: {}", told.collect::<Vec<_>>().join(", "))
}

/// The values of an enumeration.
fn allowed(property: &Value) -> Option<String> {
    let values = property["enum"].as_array()?;
    Some(values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | "))
}
