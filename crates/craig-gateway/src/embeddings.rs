//! `POST /v1/embeddings`: the configured embedder with OpenAI's interface, or the model of a provider that lists it.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::response::Response;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bounded;
use crate::failure::{Problem, json_response};
use crate::gateway::Gateway;
use crate::intake::{WORK_COPIES, caller_of, parsed, reserved_body};
use crate::protocol::Operation;
use crate::proxy::pass_on;

/// Bytes of a token in the usage of an answer, an estimate: embedders have tokenizers of their own.
const BYTES_PER_TOKEN: usize = 3;

/// Most texts of one request, as OpenAI has it.
const MAX_TEXTS: usize = 2_048;

/// A name for whatever model is configured.
pub(crate) const ANY_MODEL: &str = "craig";

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "EmbeddingsRequest")]
pub(crate) struct EmbeddingsBody {
    #[serde(deserialize_with = "bounded::text_or_list::<_, MAX_TEXTS>")]
    #[schemars(with = "Input")]
    input: Vec<String>,
    /// 'craig', or the embedder's own id.
    model: Option<String>,
    encoding_format: Option<Encoding>,
    /// Must be what the model has.
    dimensions: Option<usize>,
}

/// The field that decides who embeds.
#[derive(Deserialize)]
struct Named {
    model: Option<String>,
}

/// A text, or a list of texts.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "the schema of a field that is read as a list")]
enum Input {
    One(String),
    Many(#[schemars(length(min = 1, max = MAX_TEXTS))] Vec<String>),
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Encoding {
    Float,
    Base64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EmbeddingsResponse")]
pub(crate) struct EmbeddingsAnswer {
    #[schemars(extend("const" = "list"))]
    object: &'static str,
    data: Vec<Embedding>,
    model: String,
    usage: EmbeddingsUsage,
}

#[derive(Serialize, JsonSchema)]
struct Embedding {
    #[schemars(extend("const" = "embedding"))]
    object: &'static str,
    /// Index of the text in the request.
    index: usize,
    embedding: Encoded,
}

/// Numbers, or their bytes as little-endian f32 in Base64.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Encoded {
    Float(Vec<f32>),
    Base64(String),
}

#[derive(Serialize, JsonSchema)]
struct EmbeddingsUsage {
    prompt_tokens: usize,
    total_tokens: usize,
}

pub(crate) async fn embed(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Problem> {
    let started = Instant::now();
    let caller = caller_of(&request)?;
    let headers = request.headers().clone();
    let (bytes, mut room) = reserved_body(request, &gateway).await?;
    if parsed::<Named>(&bytes)?
        .model
        .is_some_and(|model| gateway.providers.lists(Operation::Embeddings, &model))
    {
        return pass_on(&gateway, Operation::Embeddings, (caller, headers), (bytes, room), started).await;
    }
    if !room.grow_to(gateway.room_for(bytes.len(), WORK_COPIES)) {
        return Err(Problem::overloaded());
    }
    let body: EmbeddingsBody = parsed(&bytes)?;
    let texts = body.input;
    if texts.is_empty() || texts.len() > MAX_TEXTS {
        return Err(Problem::invalid_field("input", format!("'input' is 1 to {MAX_TEXTS} texts")));
    }
    let tokens: usize = texts.iter().map(|text| text.len().div_ceil(BYTES_PER_TOKEN)).sum();
    let embedded = gateway
        .with_engine(move |engine| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            engine.embed(&texts)
        })
        .await?;
    let is_other = |model: &&String| ![ANY_MODEL, embedded.model.as_str()].contains(&model.as_str());
    if body.model.as_ref().is_some_and(|model| is_other(&model)) {
        let message = format!(
            "this gateway embeds with {:?}, which 'craig' stands for; other models are those that a provider lists in \
             'models'",
            embedded.model
        );
        return Err(Problem::not_found("model_not_found", message));
    }
    let dimensions = embedded.vectors.first().map_or(0, Vec::len);
    if body.dimensions.is_some_and(|wanted| wanted != dimensions) {
        return Err(Problem::invalid_field(
            "dimensions",
            format!("vectors of this model have {dimensions} dimensions"),
        ));
    }
    let encoding = body.encoding_format.unwrap_or(Encoding::Float);
    let vectors = embedded.vectors.into_iter().enumerate();
    let data = vectors
        .map(|(index, vector)| Embedding { object: "embedding", index, embedding: encoded(vector, encoding) })
        .collect();
    let usage = EmbeddingsUsage { prompt_tokens: tokens, total_tokens: tokens };
    let answer = EmbeddingsAnswer { object: "list", data, model: embedded.model, usage };
    Ok(json_response(StatusCode::OK, &answer))
}

fn encoded(vector: Vec<f32>, encoding: Encoding) -> Encoded {
    match encoding {
        Encoding::Float => Encoded::Float(vector),
        Encoding::Base64 => {
            let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
            Encoded::Base64(BASE64_STANDARD.encode(bytes))
        }
    }
}
