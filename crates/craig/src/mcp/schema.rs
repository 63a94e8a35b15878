//! JSON schemas: of arguments, from their types; of answers, written with a few words each.

use std::sync::Arc;

use rmcp::model::JsonObject;
use rmcp::schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// The schema of a tool's arguments, without what only says how Rust keeps them.
pub(super) fn of_arguments<T: JsonSchema>() -> Arc<JsonObject> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    simplify(&mut schema);
    let mut object = schema.as_object().cloned().unwrap_or_default();
    object.remove("description");
    object.entry("properties").or_insert_with(|| json!({}));
    object.insert("additionalProperties".into(), false.into());
    Arc::new(object)
}

/// Takes out titles, formats, nulls and defaults of null: optional is what is not required.
fn simplify(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            for keyword in ["title", "format"] {
                if object.get(keyword).is_some_and(Value::is_string) {
                    object.remove(keyword);
                }
            }
            if object.get("default").is_some_and(Value::is_null) {
                object.remove("default");
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|r#type| r#type != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    object.insert("type".into(), only);
                }
            }
            if let Some(Value::Array(values)) = object.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
            object.values_mut().for_each(simplify);
        }
        Value::Array(values) => values.iter_mut().for_each(simplify),
        _ => {}
    }
}

/// A property that may be missing.
pub(super) struct Optional(pub(super) Value);

/// A property of an object.
pub(super) trait Property {
    /// Its schema, and whether it is always there.
    fn parts(self) -> (Value, bool);
}

impl Property for Value {
    fn parts(self) -> (Value, bool) {
        (self, true)
    }
}

impl Property for Optional {
    fn parts(self) -> (Value, bool) {
        (self.0, false)
    }
}

/// The fields of an object that is described field by field.
#[derive(Default)]
pub(super) struct Fields {
    properties: Map<String, Value>,
    required: Vec<Value>,
}

impl Fields {
    /// One more field.
    pub(super) fn with(mut self, name: &str, property: impl Property) -> Self {
        let (schema, is_required) = property.parts();
        self.properties.insert(name.to_owned(), schema);
        if is_required {
            self.required.push(name.into());
        }
        self
    }

    /// With what every answer that comes in pages says.
    pub(super) fn paged(self) -> Self {
        self.with("truncated", boolean("More follows: ask with next_cursor"))
            .with("next_cursor", or_null(text("Ask with it for the rest")))
            .with("note", or_null(text("What to know of this answer")))
    }

    /// The schema: nothing but these fields.
    pub(super) fn object(self) -> Value {
        json!({
            "type": "object", "properties": self.properties, "required": self.required,
            "additionalProperties": false,
        })
    }
}

/// The first field of an object.
pub(super) fn with(name: &str, property: impl Property) -> Fields {
    Fields::default().with(name, property)
}

/// The repository of a project that was cloned.
pub(super) fn git_origin() -> Value {
    with("url", text("Repository, without credentials"))
        .with(
            "reference",
            or_null(text("Branch, tag or commit that is followed; null for the default branch")),
        )
        .with("commit", or_null(text("Commit whose files are in the index")))
        .object()
}

pub(super) fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

pub(super) fn number(description: &str) -> Value {
    json!({ "type": "number", "description": description })
}

pub(super) fn integer(description: &str) -> Value {
    json!({ "type": "integer", "description": description })
}

pub(super) fn boolean(description: &str) -> Value {
    json!({ "type": "boolean", "description": description })
}

pub(super) fn one_of(description: &str, values: &[&str]) -> Value {
    json!({ "type": "string", "enum": values, "description": description })
}

pub(super) fn list(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}

/// Texts, such as paths.
pub(super) fn texts(description: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description": description })
}

/// A schema, or null.
pub(super) fn or_null(mut schema: Value) -> Value {
    if schema["type"].is_string() && schema.get("enum").is_none() {
        schema["type"] = json!([schema["type"], "null"]);
        return schema;
    }
    json!({ "anyOf": [schema, { "type": "null" }] })
}
