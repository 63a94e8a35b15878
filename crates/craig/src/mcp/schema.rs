//! JSON schemas of tools, generated from the types that are read and written.

use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// The schema of a tool's arguments: what is optional is not required instead of nullable. That no other argument is read is not
/// part of it: a model that invents one learns it from the answer, and every tool of every conversation would say so.
pub(super) fn of_arguments<T: JsonSchema>() -> Arc<JsonObject> {
    let mut schema = generated::<T>(SchemaSettings::draft2020_12().for_deserialize());
    each_object(&mut schema, &|object| {
        without_null(object);
        plain(object);
        // The range of a Rust type is checked when it is read.
        object.retain(|keyword, value| {
            !(keyword == "minimum" && value == 0 || keyword == "maximum" && value == u8::MAX)
        });
    });
    Arc::new(root(schema))
}

/// The schema of a tool's answer: every object in it is closed.
pub(super) fn of_answer<T: JsonSchema>() -> Arc<JsonObject> {
    let mut schema = generated::<T>(SchemaSettings::draft2020_12().for_serialize());
    each_object(&mut schema, &|object| {
        plain(object);
        if object.get("properties").is_some_and(Value::is_object) && object.contains_key("type") {
            object.entry("additionalProperties").or_insert(Value::Bool(false));
        }
    });
    Arc::new(root(schema))
}

fn generated<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// The outermost object, without the description of the Rust type.
fn root(schema: Value) -> JsonObject {
    let Value::Object(mut object) = schema else { return JsonObject::new() };
    object.remove("description");
    object.entry("properties").or_insert_with(|| json!({}));
    object
}

/// Changes all objects of a schema, the innermost first.
fn each_object(schema: &mut Value, change: &impl Fn(&mut JsonObject)) {
    match schema {
        Value::Object(object) => {
            object.values_mut().for_each(|value| each_object(value, change));
            change(object);
        }
        Value::Array(values) => values.iter_mut().for_each(|value| each_object(value, change)),
        _ => {}
    }
}

/// Takes out titles and number formats, and writes alternatives of one text each as an enumeration.
fn plain(object: &mut JsonObject) {
    object.retain(|keyword, value| !(["title", "format"].contains(&keyword.as_str()) && value.is_string()));
    let constants = object.get("oneOf").and_then(Value::as_array);
    let constants: Option<Vec<Value>> =
        constants.and_then(|all| all.iter().map(|one| one.get("const").cloned()).collect());
    if let Some(constants) = constants {
        object.remove("oneOf");
        object.extend([("type".to_owned(), json!("string")), ("enum".to_owned(), constants.into())]);
    }
}

/// Removes `null` from types, alternatives and enumerations, and defaults that are empty.
fn without_null(object: &mut JsonObject) {
    let empty = [json!(null), json!([]), json!(""), json!(false), json!(0)];
    if object.get("default").is_some_and(|value| empty.contains(value)) {
        object.remove("default");
    }
    for keyword in ["type", "enum", "anyOf"] {
        let Some(Value::Array(values)) = object.get_mut(keyword) else { continue };
        values.retain(|value| !(value.is_null() || value == "null" || *value == json!({ "type": "null" })));
        match (keyword, values.as_mut_slice()) {
            ("type", [only]) => {
                let only = only.take();
                object.insert("type".into(), only);
            }
            ("anyOf", [Value::Object(only)]) => {
                let only = std::mem::take(only);
                object.remove("anyOf");
                for (name, value) in only {
                    object.entry(name).or_insert(value);
                }
            }
            _ => {}
        }
    }
}
