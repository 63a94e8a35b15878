//! The OpenAPI document: paths and statuses from `openapi.json`, schemas from the types that are read and written.

use std::sync::LazyLock;

use craig_engine::ContextAnswer;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;

use crate::context::ContextBody;
use crate::embeddings::{EmbeddingsAnswer, EmbeddingsBody};
use crate::failure::ErrorBody;
use crate::ranking::{BatchAnswer, BatchBody, RerankAnswer, RerankBody};
use crate::search::{SearchBody, SearchResponse};
use crate::snippet::Snippet;
use crate::status::{ModelList, Status};

/// The document as it is served.
pub(crate) static DOCUMENT: LazyLock<String> = LazyLock::new(|| document().to_string());

fn document() -> Value {
    // A test reads it.
    let mut document: Value = serde_json::from_str(include_str!("../openapi.json")).unwrap_or_default();
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        schemas.extend(requests());
        schemas.extend(responses());
    }
    document
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
    generator.take_definitions(true)
}

fn responses() -> Schemas {
    let mut generator = generator(SchemaSettings::draft2020_12().for_serialize());
    add::<RerankAnswer>(&mut generator);
    add::<BatchAnswer<'_>>(&mut generator);
    add::<SearchResponse<'_>>(&mut generator);
    add::<ContextAnswer>(&mut generator);
    add::<EmbeddingsAnswer>(&mut generator);
    add::<ModelList<'_>>(&mut generator);
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
        for kind in ["schemas", "headers", "responses"] {
            for name in document["components"][kind].as_object().unwrap().keys() {
                let reference = format!("#/components/{kind}/{name}");
                assert!(found.contains(&reference.as_str()), "{reference} is not used");
            }
        }
    }
}
