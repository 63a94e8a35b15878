//! Arguments of a call: parsed leniently, with errors that say what is wrong.

use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::failure::Failure;

/// Longer text arguments are refused.
const MOST_TEXT_BYTES: usize = 20_000;

/// Arguments converted to the types of the schema if the intent is clear: models write `"5"` and `5.0` for 5, `"true"`, a
/// text for a list of one, and null or an empty text for what they omit.
pub(super) fn as_meant(arguments: &JsonObject, schema: &JsonObject) -> JsonObject {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let is_given = |name: &str, value: &Value| required.contains(&name) || !(value.is_null() || value == "");
    arguments
        .iter()
        .filter(|(name, value)| is_given(name, value))
        .map(|(name, value)| (name.clone(), fitted(value, &schema["properties"][name])))
        .collect()
}

/// A value converted to the type of `schema`; unchanged if that is not possible.
fn fitted(value: &Value, schema: &Value) -> Value {
    let fitting = match (schema["type"].as_str().unwrap_or_default(), value) {
        ("integer", Value::String(text)) => text.trim().parse().ok().and_then(whole),
        ("integer", Value::Number(number)) if number.is_f64() => number.as_f64().and_then(whole),
        ("number", Value::String(text)) => text.trim().parse::<f64>().ok().map(Value::from),
        ("boolean", Value::String(text)) => {
            text.trim().to_ascii_lowercase().parse::<bool>().ok().map(Value::from)
        }
        ("string", Value::String(text)) => chosen(text, schema),
        ("array", Value::String(text)) => {
            let list = serde_json::from_str(text).ok().filter(Value::is_array);
            Some(fitted(&list.unwrap_or_else(|| Value::Array(vec![value.clone()])), schema))
        }
        ("array", Value::Array(items)) => {
            Some(items.iter().map(|item| fitted(item, &schema["items"])).collect())
        }
        ("object", Value::String(text)) => {
            let object = serde_json::from_str(text).ok().filter(Value::is_object);
            object.map(|object| fitted(&object, schema))
        }
        ("object", Value::Object(fields)) if schema["properties"].is_object() => {
            let fields =
                fields.iter().map(|(name, field)| (name.clone(), fitted(field, &schema["properties"][name])));
            Some(Value::Object(fields.collect()))
        }
        _ => None,
    };
    fitting.unwrap_or_else(|| value.clone())
}

/// The value of an enumeration that `text` names in other letters or with blanks around it.
fn chosen(text: &str, schema: &Value) -> Option<Value> {
    let values = schema["enum"].as_array()?;
    let is_it = |value: &&Value| value.as_str().is_some_and(|value| value.eq_ignore_ascii_case(text.trim()));
    values.iter().find(is_it).cloned()
}

/// A number without a fraction as an integer, if it is exact.
fn whole(number: f64) -> Option<Value> {
    let is_whole = number.fract() == 0.0 && number.abs() <= (1_u64 << 53) as f64;
    is_whole.then(|| Value::from(number as i64))
}

/// Reads the arguments of a tool whose input schema is `schema`.
pub(super) fn read<T: DeserializeOwned>(arguments: &JsonObject, schema: &JsonObject) -> Result<T, Failure> {
    check_names(arguments, schema)?;
    check_sizes(arguments)?;
    serde_json::from_value(Value::Object(arguments.clone()))
        .map_err(|error| Failure::new(format!("invalid arguments: {error}"), usage(schema)))
}

fn check_names(arguments: &JsonObject, schema: &JsonObject) -> Result<(), Failure> {
    let known = |name: &String| schema["properties"].get(name).is_some();
    match arguments.keys().find(|name| !known(name)) {
        Some(name) => Err(Failure::new(format!("unknown argument {name:?}"), usage(schema))),
        None => Ok(()),
    }
}

fn check_sizes(arguments: &JsonObject) -> Result<(), Failure> {
    match arguments.iter().find(|(_, value)| text_bytes(value) > MOST_TEXT_BYTES) {
        Some((name, _)) => Err(Failure::new(
            format!("the argument {name:?} is longer than {MOST_TEXT_BYTES} bytes"),
            "send only the relevant part",
        )),
        None => Ok(()),
    }
}

/// Bytes of text in a value, nested values included.
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
    let arguments = properties.map(|(name, property)| {
        let r#type = property["type"].as_str().unwrap_or("value");
        let required = if is_required(name) { ", required" } else { "" };
        format!("{name} ({}{required})", allowed(property).unwrap_or_else(|| r#type.to_owned()))
    });
    format!("arguments: {}", arguments.collect::<Vec<_>>().join(", "))
}

/// The values of an enumeration.
fn allowed(property: &Value) -> Option<String> {
    let values = property["enum"].as_array()?;
    Some(values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_plainly_meant_is_taken() {
        let schema = json!({
            "required": ["query"],
            "properties": {
                "query": { "type": "string" }, "limit": { "type": "integer" }, "min_score": { "type": "number" },
                "content": { "type": "boolean" }, "language": { "type": "array", "items": { "type": "string" } },
                "cursor": { "type": "string" }, "kind": { "type": "string", "enum": ["code", "docs"] },
                "only": { "type": "object", "properties": { "line": { "type": "integer" } } },
            },
        });
        for (given, meant) in [
            (json!({ "limit": "5" }), json!({ "limit": 5 })),
            (json!({ "limit": 5.0 }), json!({ "limit": 5 })),
            (json!({ "limit": " 5.0 " }), json!({ "limit": 5 })),
            (json!({ "limit": 5.5 }), json!({ "limit": 5.5 })),
            (json!({ "limit": "many" }), json!({ "limit": "many" })),
            (json!({ "limit": 1e300 }), json!({ "limit": 1e300 })),
            (json!({ "limit": -1 }), json!({ "limit": -1 })),
            (json!({ "min_score": "0.5" }), json!({ "min_score": 0.5 })),
            (json!({ "content": "False" }), json!({ "content": false })),
            (json!({ "content": 0 }), json!({ "content": 0 })),
            (json!({ "language": "rust" }), json!({ "language": ["rust"] })),
            (json!({ "language": "[\"rust\", \"go\"]" }), json!({ "language": ["rust", "go"] })),
            (json!({ "language": null, "limit": null, "cursor": "" }), json!({})),
            (json!({ "query": "" }), json!({ "query": "" })),
            (json!({ "query": 7 }), json!({ "query": 7 })),
            (json!({ "only": { "line": "3" } }), json!({ "only": { "line": 3 } })),
            (json!({ "only": "{\"line\": 3}" }), json!({ "only": { "line": 3 } })),
            (json!({ "kind": " Code" }), json!({ "kind": "code" })),
            (json!({ "kind": "binary" }), json!({ "kind": "binary" })),
            (json!({ "unknown": "5" }), json!({ "unknown": "5" })),
        ] {
            let read = as_meant(given.as_object().unwrap(), schema.as_object().unwrap());
            assert_eq!(Value::Object(read), meant, "{given}");
        }
    }
}
