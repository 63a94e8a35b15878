//! `POST /v1/embeddings`: the configured embedder, in OpenAI's words.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::failure::{Problem, json_response};
use crate::gateway::Gateway;
use crate::intake::{caller_of, json_body};
use crate::snippet::BYTES_A_TOKEN;

/// Most texts of one request, as OpenAI has it.
const MAX_TEXTS: usize = 2_048;

/// A name by which any client may ask for whatever is configured.
pub(crate) const ANY_MODEL: &str = "craig";

#[derive(Deserialize)]
struct EmbeddingsBody {
    input: Input,
    model: Option<String>,
    encoding_format: Option<Encoding>,
    dimensions: Option<usize>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Input {
    One(String),
    Many(Vec<String>),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Encoding {
    Float,
    Base64,
}

pub(crate) async fn embed(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Problem> {
    caller_of(&request)?;
    let (body, _room) = json_body::<EmbeddingsBody>(request, &gateway).await?;
    let texts = match body.input {
        Input::One(text) => vec![text],
        Input::Many(texts) => texts,
    };
    if texts.is_empty() || texts.len() > MAX_TEXTS {
        return Err(Problem::invalid_field("input", format!("'input' is 1 to {MAX_TEXTS} texts")));
    }
    let tokens: usize = texts.iter().map(|text| text.len().div_ceil(BYTES_A_TOKEN)).sum();
    let embedded = gateway
        .with_models(move |models| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            models.embed(&texts)
        })
        .await?;
    let is_other = |model: &&String| ![ANY_MODEL, embedded.model.as_str()].contains(&model.as_str());
    if body.model.as_ref().is_some_and(|model| is_other(&model)) {
        let message = format!("this gateway embeds with {:?}, which 'craig' stands for", embedded.model);
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
    let data: Vec<Value> = (0..)
        .zip(&embedded.vectors)
        .map(|(index, vector): (usize, _)| {
            json!({ "object": "embedding", "index": index, "embedding": encoded(vector, encoding) })
        })
        .collect();
    let usage = json!({ "prompt_tokens": tokens, "total_tokens": tokens });
    let answer = json!({ "object": "list", "data": data, "model": embedded.model, "usage": usage });
    Ok(json_response(StatusCode::OK, &answer))
}

/// Numbers, or their bytes as little-endian f32 in base 64.
fn encoded(vector: &[f32], encoding: Encoding) -> Value {
    match encoding {
        Encoding::Float => json!(vector),
        Encoding::Base64 => {
            let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
            json!(BASE64_STANDARD.encode(bytes))
        }
    }
}
