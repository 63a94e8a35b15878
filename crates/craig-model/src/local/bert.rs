//! BERT's forward pass, for weights in safetensors.
//!
//! Texts of a batch lie one behind the other without padding: only attention looks at them one by one. Layout and names
//! of the weights: Hugging Face's `BertModel` and `BertForSequenceClassification`.

use rayon::prelude::*;
use rten_gemm::{BiasVector, GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_simd::{SimdOp as _, SimdUnaryOp as _};
use rten_tensor::NdTensorView;
use rten_vecmath::{Gelu, Normalize, NormalizeOptions, Softmax, Sum, SumSquareSub};

use super::config::ModelConfig;
use super::encoder::{Encoder, Pooling, logit};
use super::tensors::Tensors;
use super::tokens::Tokenized;
use crate::ModelError;

/// Tokens that go through the layers together, so that what is between them stays in the processor's cache.
const MAX_BATCH_TOKENS: usize = 1024;

/// A BERT model.
pub(super) struct Bert {
    words: Vec<f32>,
    places: Vec<f32>,
    types: Vec<f32>,
    after_embedding: LayerNorm,
    layers: Vec<Layer>,
    classifier: Option<Classifier>,
    dimensions: usize,
    n_heads: usize,
}

struct Layer {
    /// Queries, keys and values beside each other.
    attention_input: Linear,
    attention_output: Linear,
    after_attention: LayerNorm,
    up: Linear,
    down: Linear,
    after_feed_forward: LayerNorm,
}

/// What a cross-encoder has on top: first token → tanh → logits.
struct Classifier {
    pooler: Linear,
    head: Linear,
}

impl Bert {
    pub(super) fn new(tensors: Tensors<'_>, config: &ModelConfig) -> Result<Self, ModelError> {
        if !matches!(config.activation.as_str(), "gelu" | "") {
            let reason = format!("its activation is {:?}, only gelu is known", config.activation);
            return Err(ModelError::Unsupported { reason });
        }
        let loader = Loader::new(&tensors, config.layer_norm_eps);
        let words = loader.matrix("embeddings.word_embeddings.weight")?;
        let dimensions = words.shape[1];
        if config.n_heads == 0 || dimensions % config.n_heads != 0 {
            return Err(ModelError::Malformed("config.json: num_attention_heads does not fit".into()));
        }
        let n_layers = (0..).take_while(|layer| loader.has_layer(*layer)).count();
        let layers = (0..n_layers).map(|layer| loader.layer(layer, dimensions)).collect::<Result<_, _>>()?;
        Ok(Self {
            words: words.values,
            places: loader.matrix("embeddings.position_embeddings.weight")?.values,
            types: loader.matrix("embeddings.token_type_embeddings.weight")?.values,
            after_embedding: loader.layer_norm("embeddings.LayerNorm", dimensions)?,
            layers,
            classifier: loader.classifier(dimensions)?,
            dimensions,
            n_heads: config.n_heads,
        })
    }

    /// The states of all tokens after the last layer, text after text.
    fn states(&self, texts: &[Tokenized]) -> Result<Vec<f32>, ModelError> {
        let lengths: Vec<usize> = texts.iter().map(|text| text.ids.len()).collect();
        let mut states = self.embedded(texts)?;
        for layer in &self.layers {
            let projected = layer.attention_input.apply(&states)?;
            let attended = self.attended(&projected, &lengths)?;
            let attended = layer.attention_output.apply(&attended)?;
            layer.after_attention.apply(&mut states, &attended);
            let mut inner = layer.up.apply(&states)?;
            Gelu {}.map_mut(&mut inner);
            let fed_forward = layer.down.apply(&inner)?;
            layer.after_feed_forward.apply(&mut states, &fed_forward);
        }
        Ok(states)
    }

    /// Sums of the vectors of each token's word, place and type.
    fn embedded(&self, texts: &[Tokenized]) -> Result<Vec<f32>, ModelError> {
        let row = |table: &'_ [f32], at: usize| -> Result<std::ops::Range<usize>, ModelError> {
            let range = at * self.dimensions..(at + 1) * self.dimensions;
            let is_inside = range.end <= table.len();
            is_inside
                .then_some(range)
                .ok_or_else(|| ModelError::Malformed("the tokenizer is another model's".into()))
        };
        let mut states = Vec::new();
        for text in texts {
            for (place, (&id, &kind)) in text.ids.iter().zip(&text.types).enumerate() {
                let word = &self.words[row(&self.words, id as usize)?];
                let place = &self.places[row(&self.places, place)?];
                let kind = &self.types[row(&self.types, kind as usize)?];
                states.extend(word.iter().zip(place).zip(kind).map(|((a, b), c)| a + b + c));
            }
        }
        let nothing = vec![0.0; states.len()];
        self.after_embedding.apply(&mut states, &nothing);
        Ok(states)
    }

    /// Attention of each text to itself.
    fn attended(&self, projected: &[f32], lengths: &[usize]) -> Result<Vec<f32>, ModelError> {
        let mut attended = vec![0.0; projected.len() / 3];
        let mut parts = Vec::with_capacity(lengths.len());
        let (mut input, mut output) = (projected, attended.as_mut_slice());
        for length in lengths {
            let (own_input, rest) = input.split_at(length * 3 * self.dimensions);
            let (own_output, rest_of_output) =
                std::mem::take(&mut output).split_at_mut(length * self.dimensions);
            parts.push((own_input, own_output));
            (input, output) = (rest, rest_of_output);
        }
        parts.into_par_iter().try_for_each(|(input, output)| self.attend(input, output))?;
        Ok(attended)
    }

    /// Attention of one text, head by head: softmax(Q · Kᵀ / √size) · V.
    fn attend(&self, projected: &[f32], attended: &mut [f32]) -> Result<(), ModelError> {
        let (width, size) = (self.dimensions, self.dimensions / self.n_heads);
        let n_tokens = attended.len() / width;
        let gemm = GemmExecutor::new();
        let mut weights = vec![0.0; n_tokens * n_tokens];
        let mut mixed = vec![0.0; n_tokens * size];
        for head in 0..self.n_heads {
            let part = |third: usize| {
                let start = (third * width + head * size).min(projected.len());
                strided(&projected[start..], [n_tokens, size], [3 * width, 1])
            };
            let (queries, keys, values) = (part(0)?, part(1)?, part(2)?);
            let scaled = GemmOptions { alpha: (size as f32).sqrt().recip(), ..GemmOptions::default() };
            let keys = GemmInputB::Unpacked(keys.transposed());
            gemm.gemm(&mut weights, GemmInputA::Unpacked(queries), keys, scaled).map_err(failed)?;
            for row in weights.chunks_exact_mut(n_tokens) {
                Softmax::new_mut(row).dispatch();
            }
            let rows = strided(&weights, [n_tokens, n_tokens], [n_tokens, 1])?;
            let values = GemmInputB::Unpacked(values);
            gemm.gemm(&mut mixed, GemmInputA::Unpacked(rows), values, GemmOptions::default())
                .map_err(failed)?;
            for (row, mixed) in attended.chunks_exact_mut(width).zip(mixed.chunks_exact(size)) {
                row[head * size..(head + 1) * size].copy_from_slice(mixed);
            }
        }
        Ok(())
    }
}

impl Encoder for Bert {
    fn embed(&self, texts: &[Tokenized], pooling: Pooling) -> Result<Vec<Vec<f32>>, ModelError> {
        let pooled = |batch: &&[Tokenized]| -> Result<Vec<Vec<f32>>, ModelError> {
            let states = self.states(batch)?;
            let mut rest = states.as_slice();
            let mut vectors = Vec::with_capacity(batch.len());
            for text in *batch {
                let (own, others) = rest.split_at(text.ids.len() * self.dimensions);
                vectors.push(pooling.pool(own, self.dimensions));
                rest = others;
            }
            Ok(vectors)
        };
        let vectors: Vec<Vec<Vec<f32>>> = batches(texts).par_iter().map(pooled).collect::<Result<_, _>>()?;
        Ok(vectors.into_iter().flatten().collect())
    }

    fn judge(&self, pairs: &[Tokenized]) -> Result<Vec<f32>, ModelError> {
        let Some(classifier) = &self.classifier else {
            let reason = "it has no classifier: a reranker is a model for sequence classification".to_owned();
            return Err(ModelError::Unsupported { reason });
        };
        let first_tokens = self.embed(pairs, Pooling::FirstToken)?.concat();
        let mut pooled = classifier.pooler.apply(&first_tokens)?;
        pooled.iter_mut().for_each(|x| *x = x.tanh());
        let outputs = classifier.head.apply(&pooled)?;
        let n_labels = outputs.len() / pairs.len().max(1);
        let logits: Option<Vec<f32>> = outputs.chunks(n_labels.max(1)).map(logit).collect();
        logits.ok_or_else(|| ModelError::Unsupported {
            reason: format!("it has {n_labels} labels, not 1 or 2"),
        })
    }
}

/// Consecutive texts with so many tokens at most, one text at least.
fn batches(texts: &[Tokenized]) -> Vec<&[Tokenized]> {
    let mut rest = texts;
    let mut batches = Vec::new();
    while !rest.is_empty() {
        let mut n_tokens = 0;
        let fits = |text: &&Tokenized| {
            n_tokens += text.ids.len();
            n_tokens <= MAX_BATCH_TOKENS
        };
        let n_texts = rest.iter().take_while(fits).count().max(1);
        let (batch, others) = rest.split_at(n_texts);
        batches.push(batch);
        rest = others;
    }
    batches
}

/// x · Wᵀ + b.
struct Linear {
    weights: PackedBMatrix<f32>,
    bias: Vec<f32>,
    n_inputs: usize,
}

impl Linear {
    /// `weights` are one row an output, as PyTorch keeps them.
    fn new(weights: &[f32], bias: Vec<f32>) -> Result<Self, ModelError> {
        let n_inputs = weights.len() / bias.len().max(1);
        let matrix = strided(weights, [bias.len(), n_inputs], [n_inputs, 1])?;
        Ok(Self { weights: GemmExecutor::new().prepack_b(matrix.transposed()), bias, n_inputs })
    }

    fn apply(&self, inputs: &[f32]) -> Result<Vec<f32>, ModelError> {
        let n_rows = inputs.len() / self.n_inputs;
        let mut outputs = vec![0.0; n_rows * self.bias.len()];
        let options = GemmOptions { bias: Some(BiasVector::Row(&self.bias)), ..GemmOptions::default() };
        let rows = GemmInputA::Unpacked(strided(inputs, [n_rows, self.n_inputs], [self.n_inputs, 1])?);
        GemmExecutor::new()
            .gemm(&mut outputs, rows, GemmInputB::Packed(&self.weights), options)
            .map_err(failed)?;
        Ok(outputs)
    }
}

/// (x − mean) / √(variance + ε) · γ + β, over each row.
struct LayerNorm {
    gamma: Vec<f32>,
    beta: Vec<f32>,
    epsilon: f32,
}

impl LayerNorm {
    /// Adds `added` to `states` and normalises the rows.
    fn apply(&self, states: &mut [f32], added: &[f32]) {
        let width = self.gamma.len();
        for (row, added) in states.chunks_exact_mut(width).zip(added.chunks_exact(width)) {
            row.iter_mut().zip(added).for_each(|(x, y)| *x += y);
            let mean = Sum::new(row).dispatch() / width as f32;
            let variance = SumSquareSub::new(row, mean).dispatch() / width as f32;
            let options = NormalizeOptions {
                pre_scale_bias: mean,
                scale: (variance + self.epsilon).sqrt().recip(),
                element_scale: Some(&self.gamma),
                element_bias: Some(&self.beta),
                ..NormalizeOptions::default()
            };
            Normalize::new_mut(row, options).dispatch();
        }
    }
}

/// Finds weights by name, with or without the prefix that models with a head have.
struct Loader<'t, 'b> {
    tensors: &'t Tensors<'b>,
    prefix: &'static str,
    epsilon: f32,
}

impl<'t, 'b> Loader<'t, 'b> {
    fn new(tensors: &'t Tensors<'b>, epsilon: f32) -> Self {
        let prefix = if tensors.has("bert.embeddings.word_embeddings.weight") { "bert." } else { "" };
        Self { tensors, prefix, epsilon }
    }

    fn matrix(&self, name: &str) -> Result<super::tensors::Tensor, ModelError> {
        let found = self.tensors.optional(&format!("{}{name}", self.prefix))?;
        let found = found.ok_or_else(|| ModelError::Malformed(format!("there is no {name}")))?;
        if found.shape.len() == 2 {
            Ok(found)
        } else {
            Err(ModelError::Malformed(format!("{name} is no matrix")))
        }
    }

    fn has_layer(&self, layer: usize) -> bool {
        self.tensors.has(&format!("{}encoder.layer.{layer}.output.dense.weight", self.prefix))
    }

    fn layer(&self, layer: usize, width: usize) -> Result<Layer, ModelError> {
        let name = |rest: &str| format!("encoder.layer.{layer}.{rest}");
        let inner = self.matrix(&name("intermediate.dense.weight"))?.shape[0];
        Ok(Layer {
            attention_input: self.stacked(&name("attention.self"), width)?,
            attention_output: self.linear(&name("attention.output.dense"), width, width)?,
            after_attention: self.layer_norm(&name("attention.output.LayerNorm"), width)?,
            up: self.linear(&name("intermediate.dense"), inner, width)?,
            down: self.linear(&name("output.dense"), width, inner)?,
            after_feed_forward: self.layer_norm(&name("output.LayerNorm"), width)?,
        })
    }

    /// Queries, keys and values as one.
    fn stacked(&self, name: &str, width: usize) -> Result<Linear, ModelError> {
        let (mut weights, mut bias) = (Vec::new(), Vec::new());
        for part in ["query", "key", "value"] {
            weights.extend(self.shaped(&format!("{name}.{part}.weight"), &[width, width])?);
            bias.extend(self.shaped(&format!("{name}.{part}.bias"), &[width])?);
        }
        Linear::new(&weights, bias)
    }

    fn linear(&self, name: &str, n_outputs: usize, n_inputs: usize) -> Result<Linear, ModelError> {
        let weights = self.shaped(&format!("{name}.weight"), &[n_outputs, n_inputs])?;
        Linear::new(&weights, self.shaped(&format!("{name}.bias"), &[n_outputs])?)
    }

    fn layer_norm(&self, name: &str, width: usize) -> Result<LayerNorm, ModelError> {
        Ok(LayerNorm {
            gamma: self.shaped(&format!("{name}.weight"), &[width])?,
            beta: self.shaped(&format!("{name}.bias"), &[width])?,
            epsilon: self.epsilon,
        })
    }

    fn classifier(&self, width: usize) -> Result<Option<Classifier>, ModelError> {
        let Some(head) = self.tensors.optional("classifier.weight")? else { return Ok(None) };
        let bias = self.tensors.shaped("classifier.bias", &head.shape[..1])?;
        let pooler = self.linear("pooler.dense", width, width)?;
        Ok(Some(Classifier { pooler, head: Linear::new(&head.values, bias)? }))
    }

    fn shaped(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        self.tensors.shaped(&format!("{}{name}", self.prefix), shape)
    }
}

/// A matrix that lies in `values` with these steps from row to row and from column to column.
fn strided(
    values: &[f32],
    shape: [usize; 2],
    strides: [usize; 2],
) -> Result<NdTensorView<'_, f32, 2>, ModelError> {
    NdTensorView::from_data_with_strides(shape, values, strides)
        .map_err(|error| ModelError::Malformed(format!("weights of an unexpected size: {error}")))
}

fn failed(error: rten_gemm::GemmError) -> ModelError {
    ModelError::Malformed(format!("weights of an unexpected size: {error}"))
}
