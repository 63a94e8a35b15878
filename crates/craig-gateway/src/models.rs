//! `GET /v1/models`: the models of all providers that the caller may use.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::task::JoinSet;

use crate::embeddings::ANY_MODEL;
use crate::failure::{Problem, json_response};
use crate::gateway::Gateway;
use crate::intake::caller_of;
use crate::keys::Policy;

/// The models that a client may name, with the fields that OpenAI's clients read and those that Anthropic's do.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ModelList<'a> {
    #[schemars(extend("const" = "list"))]
    object: &'static str,
    data: Vec<Model<'a>>,
    /// Always false: the list is whole.
    has_more: bool,
    first_id: Option<&'a str>,
    last_id: Option<&'a str>,
}

/// A model.
#[derive(Clone, Copy, Serialize, JsonSchema)]
pub(crate) struct Model<'a> {
    id: &'a str,
    #[schemars(extend("const" = "model"))]
    object: &'static str,
    /// Always 0.
    created: u64,
    /// Preferred provider of the model.
    owned_by: &'a str,
    #[schemars(extend("const" = "model"))]
    r#type: &'static str,
    display_name: &'a str,
    /// Always the beginning of 1970.
    created_at: &'static str,
}

impl<'a> Model<'a> {
    fn new(id: &'a str, owned_by: &'a str) -> Self {
        Self {
            id,
            object: "model",
            created: 0,
            owned_by,
            r#type: "model",
            display_name: id,
            created_at: "1970-01-01T00:00:00Z",
        }
    }
}

/// The models that the caller may use: those of the configuration, those that providers list, and the embedder.
pub(crate) async fn models(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Problem> {
    let owners = owners(&gateway, &caller_of(&request)?.policy).await;
    let data: Vec<Model<'_>> = owners.iter().map(|(id, owner)| Model::new(id, owner)).collect();
    let (first_id, last_id) = (data.first().map(|model| model.id), data.last().map(|model| model.id));
    let list = ModelList { object: "list", data, has_more: false, first_id, last_id };
    Ok(json_response(StatusCode::OK, &list))
}

/// One of them.
pub(crate) async fn model(
    State(gateway): State<Arc<Gateway>>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let unknown = || Problem::not_found("model_not_found", "no such model: GET /v1/models lists them");
    let owners = owners(&gateway, &caller_of(&request)?.policy).await;
    let owner = owners.get(&id).ok_or_else(unknown)?;
    Ok(json_response(StatusCode::OK, &Model::new(&id, owner)))
}

/// The models that `policy` allows, each with the preferred one of its providers.
async fn owners(gateway: &Arc<Gateway>, policy: &Policy) -> BTreeMap<String, String> {
    let providers = gateway.providers.list();
    let mut asked = JoinSet::new();
    for (index, provider) in providers.iter().enumerate() {
        if policy.allows_provider(&provider.upstream.name) {
            let gateway = Arc::clone(gateway);
            asked.spawn(async move { (index, gateway.providers.models_of(index).await) });
        }
    }
    let mut listed = asked.join_all().await;
    listed.sort_by_key(|(index, _)| *index);
    let mut owners = BTreeMap::new();
    for (index, models) in listed {
        for model in models.into_iter().filter(|model| policy.allows_model(model)) {
            owners.entry(model).or_insert_with(|| providers[index].upstream.name.clone());
        }
    }
    owners.entry(ANY_MODEL.to_owned()).or_insert_with(|| "craig".to_owned());
    owners
}
