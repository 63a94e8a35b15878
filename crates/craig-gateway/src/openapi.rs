//! The OpenAPI document: paths from the table of routes, schemas from the types that are read and written, the rest from
//! `openapi.json`.

use std::sync::LazyLock;

use craig_engine::{ContextAnswer, References};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

use crate::browse::{FileAnswer, FileBody, FilesAnswer, FilesBody, ProjectList, ReferencesBody};
use crate::context::ContextBody;
use crate::embeddings::{EmbeddingsAnswer, EmbeddingsBody};
use crate::failure::ErrorBody;
use crate::models::{Model, ModelList};
use crate::protocol::ProtocolName;
use crate::ranking::{BatchAnswer, BatchBody, RerankAnswer, RerankBody};
use crate::routes::{Access, Content, LIMITS, ROUTES, Route};
use crate::search::{SearchBody, SearchResponse};
use crate::snippet::Snippet;
use crate::status::Status;

/// The served document.
pub(crate) static DOCUMENT: LazyLock<String> = LazyLock::new(|| document().to_string());

fn document() -> Value {
    // A test reads it.
    let mut document: Value = serde_json::from_str(include_str!("../openapi.json")).unwrap_or_default();
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        schemas.extend(requests());
        schemas.extend(responses());
    }
    for route in &ROUTES {
        let method = route.method.as_str().to_ascii_lowercase();
        document["paths"][route.path.replace('*', "")][method] = operation(route);
    }
    document
}

/// Errors of all routes, of those that need a key, and of those with a body.
const ALWAYS: &[(u16, &str)] = &[(431, "The headers are too large")];
const KEYED: &[(u16, &str)] =
    &[(401, "A key is needed"), (403, "Requests from this origin, or to this host name, are not served")];
const WITH_BODY: &[(u16, &str)] = &[
    (400, "The request is invalid; 'param' names the field"),
    (408, "The request came too slowly"),
    (413, "The request is too large"),
    (415, "The body is compressed"),
];

fn operation(route: &Route) -> Value {
    let mut operation = json!({ "summary": route.summary, "responses": answers(route) });
    if !route.description.is_empty() {
        operation["description"] = route.description.into();
    }
    if !route.parameters.is_empty() {
        let parameters = route.parameters.iter().map(|name| reference("parameters", name));
        operation["parameters"] = parameters.collect();
    }
    if let Some(schema) = route.request {
        let content = json!({ "application/json": { "schema": reference("schemas", schema) } });
        operation["requestBody"] = json!({ "required": true, "content": content });
    }
    if route.access == Access::Everybody {
        operation["security"] = json!([]);
    }
    operation
}

/// The answers of a route by their status.
fn answers(route: &Route) -> Value {
    let (what, content) = route.answer;
    let headers = route.headers.iter().copied().flatten().copied();
    let mut answers = json!({ "200": answer(what, content, headers) });
    let error =
        Content::Schema(if route.protocol == ProtocolName::Messages { "AnthropicError" } else { "Error" });
    let keyed = if route.access == Access::Everybody { &[] } else { KEYED };
    let with_body = if route.request.is_some() { WITH_BODY } else { &[] };
    for (status, what) in [ALWAYS, keyed, with_body, route.errors].into_iter().flatten() {
        let limits = if *status == 429 && route.headers.contains(&LIMITS) { LIMITS } else { &[] };
        // An open route has its own content whatever its status.
        let error = if *status == 503 && route.access == Access::Everybody { content } else { error };
        let wait = matches!(status, 429 | 503).then_some("retry-after");
        answers[status.to_string()] = answer(what, error, limits.iter().copied().chain(wait));
    }
    answers
}

fn answer<'h>(what: &str, content: Content, headers: impl Iterator<Item = &'h str>) -> Value {
    let object = json!({ "schema": { "type": "object" } });
    let content = match content {
        Content::Schema(name) => json!({ "application/json": { "schema": reference("schemas", name) } }),
        Content::Provider => json!({ "application/json": object, "text/event-stream": object }),
        Content::Object => json!({ "application/json": object }),
        Content::Text => json!({ "text/plain": { "schema": { "type": "string" } } }),
    };
    let mut answer = json!({ "description": what, "content": content });
    let headers: Schemas = headers.map(|name| (name.to_owned(), reference("headers", name))).collect();
    if !headers.is_empty() {
        answer["headers"] = headers.into();
    }
    answer
}

fn reference(kind: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{kind}/{name}") })
}

type Schemas = serde_json::Map<String, Value>;

fn requests() -> Schemas {
    let mut generator = generator(SchemaSettings::draft2020_12().for_deserialize());
    add::<RerankBody>(&mut generator);
    add::<BatchBody>(&mut generator);
    add::<SearchBody>(&mut generator);
    add::<ContextBody>(&mut generator);
    add::<EmbeddingsBody>(&mut generator);
    add::<Snippet>(&mut generator);
    add::<FilesBody>(&mut generator);
    add::<FileBody>(&mut generator);
    add::<ReferencesBody>(&mut generator);
    generator.take_definitions(true)
}

fn responses() -> Schemas {
    let mut generator = generator(SchemaSettings::draft2020_12().for_serialize());
    add::<RerankAnswer>(&mut generator);
    add::<BatchAnswer<'_>>(&mut generator);
    add::<SearchResponse<'_>>(&mut generator);
    add::<ProjectList>(&mut generator);
    add::<FilesAnswer>(&mut generator);
    add::<FileAnswer>(&mut generator);
    add::<References>(&mut generator);
    add::<ContextAnswer>(&mut generator);
    add::<EmbeddingsAnswer>(&mut generator);
    add::<ModelList<'_>>(&mut generator);
    add::<Model<'_>>(&mut generator);
    add::<Status<'_>>(&mut generator);
    add::<ErrorBody<'_>>(&mut generator);
    generator.take_definitions(true)
}

fn generator(settings: SchemaSettings) -> SchemaGenerator {
    settings.with(|settings| settings.definitions_path = "/components/schemas".into()).into_generator()
}

fn add<T: JsonSchema>(generator: &mut SchemaGenerator) {
    generator.subschema_for::<T>();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn references<'a>(value: &'a Value, into: &mut Vec<&'a str>) {
        match value {
            Value::Object(fields) => {
                into.extend(fields.get("$ref").and_then(Value::as_str));
                fields.values().for_each(|value| references(value, into));
            }
            Value::Array(values) => values.iter().for_each(|value| references(value, into)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_resolves_and_every_component_is_used() {
        let document = document();
        let mut found = Vec::new();
        references(&document, &mut found);
        for reference in &found {
            assert!(document.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
        }
        for kind in ["schemas", "headers", "parameters"] {
            for name in document["components"][kind].as_object().unwrap().keys() {
                let reference = format!("#/components/{kind}/{name}");
                assert!(found.contains(&reference.as_str()), "{reference} is not used");
            }
        }
    }
}
