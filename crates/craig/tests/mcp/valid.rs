//! Holds answers against their output schemas: as much of JSON Schema as these use.

use serde_json::Value;

/// What of `value` is not as `schema` says; `root` has the definitions.
pub(crate) fn violations(value: &Value, schema: &Value, root: &Value, at: &str) -> Vec<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.trim_start_matches('#')).expect("references lead somewhere");
        return violations(value, target, root, at);
    }
    if let Some(any) = schema["anyOf"].as_array() {
        let fits = any.iter().any(|schema| violations(value, schema, root, at).is_empty());
        return if fits { Vec::new() } else { vec![format!("{at} fits none of {schema}")] };
    }
    let mut wrong = Vec::new();
    if !is_of_type(value, &schema["type"]) {
        wrong.push(format!("{at} is {value}, not {}", schema["type"]));
    }
    if schema["enum"].as_array().is_some_and(|values| !values.contains(value)) {
        wrong.push(format!("{at} is {value}, not one of {}", schema["enum"]));
    }
    for (n, item) in value.as_array().into_iter().flatten().enumerate() {
        if schema.get("items").is_some() {
            wrong.extend(violations(item, &schema["items"], root, &format!("{at}[{n}]")));
        }
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.is_object() && value.get(name).is_none() {
            wrong.push(format!("{at} lacks {name}"));
        }
    }
    for (name, field) in value.as_object().into_iter().flatten() {
        let at = format!("{at}.{name}");
        match (schema["properties"].get(name), &schema["additionalProperties"]) {
            (Some(schema), _) => wrong.extend(violations(field, schema, root, &at)),
            (None, Value::Bool(false)) => wrong.push(format!("{at} is not in the schema")),
            (None, more @ Value::Object(_)) => wrong.extend(violations(field, more, root, &at)),
            _ => {}
        }
    }
    wrong
}

fn is_of_type(value: &Value, r#type: &Value) -> bool {
    match r#type {
        Value::String(name) => match name.as_str() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "null" => value.is_null(),
            other => panic!("the type {other} is not known here"),
        },
        Value::Array(types) => types.iter().any(|r#type| is_of_type(value, r#type)),
        _ => true,
    }
}
