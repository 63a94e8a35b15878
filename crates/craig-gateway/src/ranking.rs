//! `POST /v1/rerank`, with the fields of Cohere, Jina and vLLM or with those of Voyage, and batches of such requests.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::allowance::{Allowance, Resource};
use crate::bounded;
use crate::budget::Reservation;
use crate::call::CallFailure;
use crate::caller::Caller;
use crate::failure::{ErrorBody, Problem, json_response};
use crate::gateway::Gateway;
use crate::intake::{caller_of, json_body};
use crate::journal::{Event, SearchCompleted};
use crate::metrics::ms;
use crate::rerank::{RerankDocument, Source};
use crate::retrieval::{MAX_RESULTS, write_order_headers};

/// Most requests of a batch.
const MAX_BATCH: usize = 100;

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "RerankRequest")]
pub(crate) struct RerankBody {
    query: String,
    #[serde(deserialize_with = "bounded::list::<_, _, MAX_RESULTS>")]
    #[schemars(length(max = MAX_RESULTS))]
    documents: Vec<Given>,
    /// Most documents of the answer, which has `results`.
    top_n: Option<usize>,
    // `Some(None)` for a `null`: Voyage's own client writes it so.
    /// Most documents of the answer, which has `data`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Option<usize>")]
    top_k: Option<Option<usize>>,
    /// Whether the answer repeats the documents' texts.
    #[serde(default)]
    return_documents: bool,
}

/// Reads a field that is there, whatever it holds.
fn present<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Option<usize>>, D::Error> {
    Option::deserialize(field).map(Some)
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "RerankBatchRequest")]
pub(crate) struct BatchBody {
    #[serde(deserialize_with = "bounded::list::<_, _, MAX_BATCH>")]
    #[schemars(length(max = MAX_BATCH))]
    requests: Vec<RerankBody>,
}

/// A document: its text, or an object with its text and optionally its path and score.
#[derive(JsonSchema)]
#[schemars(rename = "Document")]
#[serde(untagged)]
enum Given {
    Text(String),
    Object {
        /// Text; also called `content`.
        text: String,
        /// Path of its file; also called `file`. If all documents have paths and no other reranker is configured, they are
        /// ranked as Craig ranks the files of a project.
        path: Option<String>,
        /// If all documents have scores, these order them when reranking fails.
        score: Option<f32>,
    },
}

/// Serde would keep a copy of a whole document, its unknown fields included, to find out which of the two it is.
impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(document: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Fields {
            #[serde(alias = "content")]
            text: String,
            #[serde(alias = "file")]
            path: Option<String>,
            score: Option<f32>,
        }
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Given;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a text or an object with a text")
            }

            fn visit_str<E>(self, text: &str) -> Result<Given, E> {
                Ok(Given::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Given, A::Error> {
                let Fields { text, path, score } = Fields::deserialize(MapAccessDeserializer::new(fields))?;
                Ok(Given::Object { text, path, score })
            }
        }
        document.deserialize_any(Reader)
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RerankResponse")]
pub(crate) struct RerankAnswer {
    #[schemars(extend("const" = "list"))]
    object: &'static str,
    /// The configured model, whatever the request names.
    model: String,
    usage: RerankUsage,
    /// Documents, best first, unless only `top_n` was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Vec<RankedDocument>>,
    /// The same, unless `top_k` was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<RankedDocument>>,
    /// The source of the order; only in batches, which have no header for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
struct RerankUsage {
    total_tokens: u64,
}

#[derive(Serialize, JsonSchema)]
struct RankedDocument {
    /// Index in the request's documents.
    index: usize,
    relevance_score: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<RankedText>,
}

/// A document's text: by itself in `data`, in an object in `results`.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum RankedText {
    Text(String),
    Object { text: String },
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RerankBatchResponse")]
pub(crate) struct BatchAnswer<'a> {
    #[schemars(extend("const" = "list"))]
    object: &'static str,
    /// An answer or an error for each request, in order.
    responses: Vec<BatchItem<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum BatchItem<'a> {
    Answer(&'a RerankAnswer),
    Error(ErrorBody<'a>),
}

impl Given {
    fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Object { text, .. } => text,
        }
    }

    fn to_document(&self) -> RerankDocument {
        let path = match self {
            Self::Text(_) => None,
            Self::Object { path, .. } => path.clone(),
        };
        RerankDocument { path, text: self.text().to_owned() }
    }

    fn score(&self) -> Option<f32> {
        match self {
            Self::Text(_) => None,
            Self::Object { score, .. } => *score,
        }
    }
}

/// An answer, and what goes into its headers.
struct Ranked {
    body: RerankAnswer,
    source: Source,
    trouble: Option<&'static str>,
}

pub(crate) async fn rerank(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Problem> {
    let caller = caller_of(&request)?;
    let (body, room) = json_body::<RerankBody>(request, &gateway).await?;
    body.check()?;
    let allowance = gateway.charge(Resource::Rerank, &caller).await?;
    let ranked = ranked(&gateway, &caller, &body, Arc::new(room)).await?;
    let mut response = json_response(StatusCode::OK, &ranked.body);
    write_order_headers(&mut response, ranked.source, ranked.trouble.as_slice(), allowance.as_slice());
    Ok(response)
}

/// Counts, queues and answers each request of a batch on its own; an error takes the place of its response.
pub(crate) async fn rerank_batch(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Problem> {
    let caller = caller_of(&request)?;
    let (batch, room) = json_body::<BatchBody>(request, &gateway).await?;
    if batch.requests.len() > MAX_BATCH {
        return Err(Problem::invalid_field("requests", format!("more than {MAX_BATCH} requests")));
    }
    let (admitted, allowance) = admitted(&gateway, &caller, batch.requests).await;
    let answers = batch_of(&gateway, &caller, admitted, &Arc::new(room)).await;
    let item = |answer| match answer {
        Ok(answer) => BatchItem::Answer(answer),
        Err(problem) => BatchItem::Error(Problem::body(problem)),
    };
    let responses = answers.iter().map(|answer| item(answer.as_ref())).collect();
    let mut response = json_response(StatusCode::OK, &BatchAnswer { object: "list", responses });
    allowance.iter().for_each(|allowance| allowance.write_headers(&mut response));
    Ok(response)
}

/// Checks and counts each request; gives each or its error, and what is left to the client.
async fn admitted(
    gateway: &Gateway,
    caller: &Caller,
    bodies: Vec<RerankBody>,
) -> (Vec<Result<RerankBody, Problem>>, Option<Allowance>) {
    let mut left = None;
    let mut admitted = Vec::with_capacity(bodies.len());
    for body in bodies {
        let charged = match body.check() {
            Ok(()) => gateway.charge(Resource::Rerank, caller).await,
            Err(problem) => Err(problem),
        };
        left = match &charged {
            Ok(allowance) => *allowance,
            Err(problem) => problem.allowance.as_deref().copied().or(left),
        };
        admitted.push(charged.map(|_| body));
    }
    (admitted, left)
}

/// Answers in the order of the requests. Only as many run at once as may be reranked at once: a large batch would fill the
/// queue of an idle gateway.
async fn batch_of(
    gateway: &Arc<Gateway>,
    caller: &Caller,
    bodies: Vec<Result<RerankBody, Problem>>,
    room: &Arc<Reservation>,
) -> Vec<Result<RerankAnswer, Problem>> {
    let mut answers: Vec<_> = bodies.iter().map(|_| Err(Problem::internal())).collect();
    let places = Arc::new(Semaphore::new(gateway.config.engine.rerank.max_running));
    let mut work = JoinSet::new();
    for (at, body) in bodies.into_iter().enumerate() {
        let (gateway, caller, places) = (Arc::clone(gateway), caller.clone(), Arc::clone(&places));
        let room = Arc::clone(room);
        work.spawn(async move {
            let done = async {
                let body = body?;
                let _place = places.acquire().await.map_err(|_| Problem::internal())?;
                ranked(&gateway, &caller, &body, room).await
            };
            (at, done.await.map(Ranked::with_source))
        });
    }
    while let Some(done) = work.join_next().await {
        if let Ok((at, answer)) = done {
            answers[at] = answer;
        }
    }
    answers
}

async fn ranked(
    gateway: &Gateway,
    caller: &Caller,
    body: &RerankBody,
    room: Arc<Reservation>,
) -> Result<Ranked, Problem> {
    let documents = body.documents.iter().map(Given::to_document).collect();
    let started = std::time::Instant::now();
    let reranked = gateway.rerank(body.query.clone(), documents, body.top(), Some(room)).await;
    let (order, source, trouble, tokens) = match reranked {
        Ok(ranking) => (ranking.ranked, Source::Reranker(ranking.source), None, ranking.total_tokens),
        Err(failure) => match body.order_as_found() {
            Some(order) => (order, Source::Fallback, Some(failure.label()), None),
            None => return Err(body.problem(&failure)),
        },
    };
    gateway.journal.log(Event::SearchCompleted(SearchCompleted {
        num_candidates: body.documents.len(),
        num_results: order.len(),
        rerank_latency_ms: ms(started.elapsed()),
        rerank: source.name(),
        rerank_error: trouble,
        cache_hit: source.is_cache(),
        user: Some(caller.user.to_string()),
        ..SearchCompleted::default()
    }));
    Ok(Ranked { body: body.answer(&gateway.reranker_model(), &order, tokens), source, trouble })
}

impl RerankBody {
    fn check(&self) -> Result<(), Problem> {
        if self.documents.len() > MAX_RESULTS {
            return Err(Problem::invalid_field("documents", format!("more than {MAX_RESULTS} documents")));
        }
        if self.query.trim().is_empty() {
            return Err(Problem::invalid_field("query", "'query' is empty"));
        }
        Ok(())
    }

    /// The error for the client when there is no order.
    fn problem(&self, failure: &CallFailure) -> Problem {
        let documents = self.documents.iter().map(|given| given.text().as_bytes());
        let sent: Vec<&[u8]> = documents.chain([self.query.as_bytes()]).collect();
        failure.problem(&sent)
    }

    fn top(&self) -> usize {
        self.top_k.flatten().or(self.top_n).unwrap_or(usize::MAX).min(self.documents.len())
    }

    /// The order of the scores that came with the documents; `None` if one has no score.
    fn order_as_found(&self) -> Option<Vec<craig_engine::RankedDocument>> {
        let scores: Option<Vec<f32>> = self.documents.iter().map(Given::score).collect();
        let ranked = scores?
            .into_iter()
            .enumerate()
            .map(|(index, score)| craig_engine::RankedDocument { index, score });
        let mut order: Vec<craig_engine::RankedDocument> = ranked.collect();
        order.sort_by(|a, b| b.score.total_cmp(&a.score));
        order.truncate(self.top());
        Some(order)
    }

    /// Voyage's `data` for `top_k`, the others' `results` for `top_n`; if neither is given, both are returned.
    fn answer(
        &self,
        model: &str,
        order: &[craig_engine::RankedDocument],
        tokens: Option<u64>,
    ) -> RerankAnswer {
        let has_data = self.top_k.is_some() || self.top_n.is_none();
        let has_results = self.top_k.is_none();
        RerankAnswer {
            object: "list",
            model: model.to_owned(),
            usage: RerankUsage { total_tokens: tokens.unwrap_or_default() },
            data: has_data.then(|| self.ranked(order, RankedText::Text)),
            results: has_results.then(|| self.ranked(order, |text| RankedText::Object { text })),
            source: None,
        }
    }

    /// Documents in their order, with their texts if requested.
    fn ranked(
        &self,
        order: &[craig_engine::RankedDocument],
        text: impl Fn(String) -> RankedText,
    ) -> Vec<RankedDocument> {
        let document = |index: usize| {
            let document = self.documents.get(index).filter(|_| self.return_documents);
            document.map(|document| text(document.text().to_owned()))
        };
        let ranked = |&craig_engine::RankedDocument { index, score }: &craig_engine::RankedDocument| {
            RankedDocument { index, relevance_score: score, document: document(index) }
        };
        order.iter().map(ranked).collect()
    }
}

impl Ranked {
    /// The body with the fields that a single response has in its header.
    fn with_source(self) -> RerankAnswer {
        RerankAnswer { source: Some(self.source.name()), ..self.body }
    }
}
