//! Transformers in ONNX, run by `rten`.

use rten::{Model, NodeId, Value, ValueOrView};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use super::pooling::Pooling;
use super::tokens::Tokenized;
use crate::ModelError;

/// Most texts of a batch, and most tokens with padding.
const MAX_BATCH_TEXTS: usize = 16;
const MAX_BATCH_TOKENS: usize = 2048;

/// A transformer in ONNX.
pub(super) struct OnnxModel {
    model: Model,
    inputs: Vec<(NodeId, Input)>,
    output: NodeId,
}

/// The inputs of a model, which exporters name.
#[derive(Clone, Copy)]
enum Input {
    Ids,
    Mask,
    Types,
    Positions,
}

impl Input {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "input_ids" => Self::Ids,
            "attention_mask" => Self::Mask,
            "token_type_ids" => Self::Types,
            "position_ids" => Self::Positions,
            _ => return None,
        })
    }

    fn value(self, text: &Tokenized, at: usize) -> i32 {
        match self {
            Self::Ids => text.ids.get(at).map_or(0, |&id| id as i32),
            Self::Mask => i32::from(at < text.ids.len()),
            Self::Types => text.types.get(at).map_or(0, |&kind| kind as i32),
            Self::Positions => at as i32,
        }
    }
}

/// Outputs that are preferred to the first one: the pooled vector, a classifier's logits.
const PREFERRED_OUTPUTS: [&str; 3] = ["sentence_embedding", "logits", "last_hidden_state"];

impl OnnxModel {
    pub(super) fn new(bytes: Vec<u8>) -> Result<Self, ModelError> {
        let model = Model::load(bytes).map_err(|error| ModelError::Malformed(format!("ONNX: {error}")))?;
        let name =
            |id: &NodeId| model.node_info(*id).and_then(|info| info.name()).unwrap_or_default().to_owned();
        let inputs = model.input_ids().iter().map(|id| {
            let name = name(id);
            let input = Input::from_name(&name).ok_or_else(|| ModelError::Unsupported {
                reason: format!(
                    "it needs the input {name:?}; only token ids, mask, types and positions are supported"
                ),
            });
            Ok((*id, input?))
        });
        let inputs = inputs.collect::<Result<_, ModelError>>()?;
        let outputs = model.output_ids();
        let preferred =
            PREFERRED_OUTPUTS.iter().find_map(|wanted| outputs.iter().find(|id| name(id) == *wanted));
        let output = preferred.or_else(|| outputs.first()).copied();
        let output = output.ok_or_else(|| ModelError::Malformed("ONNX: it has no output".into()))?;
        Ok(Self { model, inputs, output })
    }

    /// Runs a batch of texts of similar lengths; returns the shape and numbers of the output.
    fn run(&self, texts: &[&Tokenized]) -> Result<(Vec<usize>, Vec<f32>), ModelError> {
        let longest = texts.iter().map(|text| text.ids.len()).max().unwrap_or_default();
        let inputs = self.inputs.iter().map(|&(id, input)| {
            let values = NdTensor::from_fn([texts.len(), longest], |[text, at]| input.value(texts[text], at));
            (id, ValueOrView::Value(Value::from(values)))
        });
        let failed = |error: String| ModelError::Malformed(format!("ONNX: {error}"));
        let outputs = self.model.run(inputs.collect(), &[self.output], None);
        let output = outputs.map_err(|error| failed(error.to_string()))?.into_iter().next();
        let output = output.and_then(Value::into_tensor::<f32>);
        let output = output.ok_or_else(|| failed("its output is not f32".into()))?;
        Ok((output.shape().to_vec(), output.into_data()))
    }

    /// Runs all texts in batches of similar lengths; `each` gets a text, the output's inner shape and its numbers.
    fn run_all<T: Default + Clone>(
        &self,
        texts: &[Tokenized],
        each: impl Fn(&Tokenized, &[usize], &[f32]) -> Result<T, ModelError>,
    ) -> Result<Vec<T>, ModelError> {
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&at| texts[at].ids.len());
        let longest = texts.iter().map(|text| text.ids.len()).max().unwrap_or(1).max(1);
        let mut results = vec![T::default(); texts.len()];
        for batch in order.chunks((MAX_BATCH_TOKENS / longest).clamp(1, MAX_BATCH_TEXTS)) {
            let batch_texts: Vec<&Tokenized> = batch.iter().map(|&at| &texts[at]).collect();
            let (shape, numbers) = self.run(&batch_texts)?;
            let per_text = numbers.len() / batch.len();
            if shape.first() != Some(&batch.len()) || per_text == 0 {
                return Err(ModelError::Unsupported {
                    reason: format!("its output has the shape {shape:?}"),
                });
            }
            for (&at, own) in batch.iter().zip(numbers.chunks_exact(per_text)) {
                results[at] = each(&texts[at], &shape[1..], own)?;
            }
        }
        Ok(results)
    }

    /// One vector per text, in order, not normalized.
    pub(super) fn embed(&self, texts: &[Tokenized], pooling: Pooling) -> Result<Vec<Vec<f32>>, ModelError> {
        self.run_all(texts, |text, shape, numbers| match shape {
            [_] => Ok(numbers.to_vec()),
            // The rest is padding.
            [_, dimensions] => Ok(pooling.pool(&numbers[..text.ids.len() * dimensions], *dimensions)),
            _ => Err(ModelError::Unsupported { reason: format!("its output has {} axes", shape.len() + 1) }),
        })
    }

    /// The relevance of each pair of texts, in order, as a logit.
    pub(super) fn score_pairs(&self, pairs: &[Tokenized]) -> Result<Vec<f32>, ModelError> {
        self.run_all(pairs, |_, _, numbers| {
            logit(numbers).ok_or_else(|| ModelError::Unsupported {
                reason: format!("it returns {} numbers for a pair: a reranker returns 1 or 2", numbers.len()),
            })
        })
    }
}

/// A pair's logit from the outputs of a classifier with one label, or with two, the second of which is "relevant".
fn logit(outputs: &[f32]) -> Option<f32> {
    match outputs {
        [logit] => Some(*logit),
        [irrelevant, relevant] => Some(relevant - irrelevant),
        _ => None,
    }
}
