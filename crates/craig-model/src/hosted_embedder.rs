//! Embedders over HTTP: Voyage, and servers with OpenAI's `/v1/embeddings`.

use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::http::without_credentials;
use crate::{Embedder, Embedding, Endpoint, Expense, ModelError, Patience};

/// The request format of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddingDialect {
    /// `input`, `dimensions`; at most a prefix distinguishes queries from documents.
    OpenAi,
    /// `output_dimension`; `input_type` distinguishes queries from documents.
    Voyage,
}

/// Most texts of a request, and most bytes: Voyage accepts 120,000 tokens in one, OpenAI 300,000.
const MAX_TEXTS: usize = 128;
const MAX_BYTES: usize = 200_000;

/// Longer texts are truncated: no provider reads more than 32,000 tokens of one.
const MAX_TEXT_BYTES: usize = 64_000;

/// A provider's model.
#[derive(Clone, Debug)]
pub struct HostedModel {
    /// Where it is served.
    pub endpoint: Endpoint,
    /// Format of its requests.
    pub dialect: EmbeddingDialect,
    /// Name of the model.
    pub model: String,
    /// Length of the vectors to request; the model's default if `None`.
    pub dimensions: Option<usize>,
    /// Prepended to queries.
    pub query_prefix: String,
    /// Prepended to documents.
    pub document_prefix: String,
    /// Price in US dollars, if it differs from the known list price.
    pub usd_per_million_tokens: Option<f64>,
}

/// An embedder over HTTP.
pub struct HostedEmbedder {
    hosted: HostedModel,
    id: String,
    dimensions: OnceLock<usize>,
}

impl HostedEmbedder {
    /// Creates the embedder without sending anything.
    pub fn new(hosted: HostedModel) -> Self {
        let id = id(&hosted);
        Self { hosted, id, dimensions: OnceLock::new() }
    }

    fn embed(&self, role: Role, texts: &[&str], patience: &Patience) -> Result<Vec<Embedding>, ModelError> {
        let sent: Vec<usize> = (0..texts.len()).filter(|&at| !texts[at].trim().is_empty()).collect();
        let mut vectors = vec![Vec::new(); texts.len()];
        for batch in batches(&sent, texts) {
            let inputs: Vec<String> = batch.iter().map(|&at| self.input(role, texts[at])).collect();
            let answer = self.hosted.endpoint.post(&self.body(role, &inputs), patience)?;
            let found =
                embeddings(&answer, inputs.len()).map_err(|why| self.hosted.endpoint.bad_answer(why))?;
            batch.iter().zip(found).for_each(|(&at, vector)| vectors[at] = vector);
        }
        self.checked(vectors)
    }

    /// Vectors of the same length, zero for texts that were not sent; fails if the provider's lengths differ.
    fn checked(&self, vectors: Vec<Vec<f32>>) -> Result<Vec<Embedding>, ModelError> {
        let Some(first) = vectors.iter().map(Vec::len).find(|&len| len > 0) else {
            let dimensions = if vectors.is_empty() { 0 } else { self.dimensions()? };
            return Ok(vectors.iter().map(|_| Embedding::normalized(vec![0.0; dimensions])).collect());
        };
        let dimensions = *self.dimensions.get_or_init(|| self.hosted.dimensions.unwrap_or(first));
        let wrong = vectors.iter().map(Vec::len).find(|&len| len > 0 && len != dimensions);
        if let Some(len) = wrong {
            let reason = format!("a vector has {len} numbers instead of {dimensions}");
            return Err(self.hosted.endpoint.bad_answer(reason));
        }
        let filled = |vector: Vec<f32>| if vector.is_empty() { vec![0.0; dimensions] } else { vector };
        Ok(vectors.into_iter().map(filled).map(Embedding::normalized).collect())
    }

    fn input(&self, role: Role, text: &str) -> String {
        let prefix = match role {
            Role::Query => &self.hosted.query_prefix,
            Role::Document => &self.hosted.document_prefix,
        };
        format!("{prefix}{}", &text[..text.floor_char_boundary(MAX_TEXT_BYTES)])
    }

    fn body(&self, role: Role, inputs: &[String]) -> Value {
        let mut body = json!({ "model": self.hosted.model, "input": inputs });
        let length_key = match self.hosted.dialect {
            EmbeddingDialect::OpenAi => {
                body["encoding_format"] = json!("float");
                "dimensions"
            }
            EmbeddingDialect::Voyage => {
                body["input_type"] = json!(role.name());
                body["truncation"] = json!(true);
                "output_dimension"
            }
        };
        if let Some(dimensions) = self.hosted.dimensions {
            body[length_key] = json!(dimensions);
        }
        body
    }
}

#[derive(Clone, Copy)]
enum Role {
    Query,
    Document,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Document => "document",
        }
    }
}

impl Embedder for HostedEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> Result<usize, ModelError> {
        if let Some(&known) = self.dimensions.get() {
            return Ok(known);
        }
        match self.hosted.dimensions.or_else(|| known_dimensions(&self.hosted.model)) {
            Some(dimensions) => Ok(dimensions),
            None => Ok(self.embed_query("length of a vector")?.as_slice().len()),
        }
    }

    fn expense(&self) -> Expense {
        let known = || known_price(&self.hosted.model);
        Expense::Provider { usd_per_million_tokens: self.hosted.usd_per_million_tokens.or_else(known) }
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        self.embed(Role::Document, texts, &Patience::for_bulk())
    }

    fn embed_query(&self, text: &str) -> Result<Embedding, ModelError> {
        let embedded = self.embed(Role::Query, &[text], &Patience::for_query())?;
        embedded.into_iter().next().ok_or_else(|| self.hosted.endpoint.bad_answer("it is empty"))
    }
}

/// Everything that changes a vector changes the id; the same name on another server may be another model.
fn id(hosted: &HostedModel) -> String {
    let HostedModel { endpoint, model, dimensions, query_prefix, document_prefix, .. } = hosted;
    let url = without_credentials(&endpoint.url);
    let place = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
    let place = place.strip_suffix("/v1/embeddings").unwrap_or(place);
    let mut id = format!("{place}/{model}");
    if let Some(dimensions) = dimensions {
        id += &format!("-{dimensions}");
    }
    if !query_prefix.is_empty() || !document_prefix.is_empty() {
        let prefixes = blake3::hash(format!("{query_prefix}\0{document_prefix}").as_bytes());
        id += &format!("-{}", &prefixes.to_hex()[..8]);
    }
    id
}

/// Batches of texts within the limits of a request.
fn batches<'a>(sent: &'a [usize], texts: &'a [&str]) -> impl Iterator<Item = &'a [usize]> {
    let mut rest = sent;
    std::iter::from_fn(move || {
        let mut n_bytes = 0;
        let fits = |at: &&usize| {
            n_bytes += texts[**at].len().min(MAX_TEXT_BYTES);
            n_bytes <= MAX_BYTES
        };
        let n_texts = rest.iter().take(MAX_TEXTS).take_while(fits).count().max(1).min(rest.len());
        let (batch, others) = rest.split_at(n_texts);
        rest = others;
        (!batch.is_empty()).then_some(batch)
    })
}

/// The vectors of a response in the order of the inputs.
fn embeddings(answer: &Value, n_inputs: usize) -> Result<Vec<Vec<f32>>, String> {
    let data = answer["data"].as_array().ok_or("it has no 'data'")?;
    if data.len() != n_inputs {
        return Err(format!("it has {} vectors for {n_inputs} texts", data.len()));
    }
    let mut vectors = vec![Vec::new(); n_inputs];
    for (at, item) in data.iter().enumerate() {
        let index = item["index"].as_u64().map_or(at, |index| index as usize);
        let vector =
            vector(&item["embedding"]).ok_or_else(|| format!("vector {index} is not a list of numbers"))?;
        match vectors.get_mut(index) {
            Some(place) if place.is_empty() => *place = vector,
            Some(_) => return Err(format!("it has vector {index} twice")),
            None => return Err(format!("it has a vector {index} for {n_inputs} texts")),
        }
    }
    Ok(vectors)
}

fn vector(value: &Value) -> Option<Vec<f32>> {
    let numbers = value.as_array().filter(|numbers| !numbers.is_empty())?;
    let number = |value: &Value| value.as_f64().map(|x| x as f32).filter(|x| x.is_finite());
    numbers.iter().map(number).collect()
}

/// Models with the length of their vectors and their price, so that their providers need not be asked.
const KNOWN: &[(&str, usize, f64)] = &[
    ("voyage-code-3", 1024, 0.18),
    ("voyage-code-2", 1536, 0.12),
    ("voyage-3-large", 1024, 0.18),
    ("voyage-3.5", 1024, 0.06),
    ("voyage-3.5-lite", 1024, 0.02),
    ("text-embedding-3-small", 1536, 0.02),
    ("text-embedding-3-large", 3072, 0.13),
    ("text-embedding-ada-002", 1536, 0.10),
];

fn known_dimensions(model: &str) -> Option<usize> {
    KNOWN.iter().find(|(name, ..)| *name == model).map(|&(_, dimensions, _)| dimensions)
}

/// The providers' list prices of November 2025: an estimate that a setting can override.
fn known_price(model: &str) -> Option<f64> {
    KNOWN.iter().find(|(name, ..)| *name == model).map(|&(.., price)| price)
}
