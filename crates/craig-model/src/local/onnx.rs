//! Transformers in ONNX, run by `rten`.

use rten::{Model, NodeId, Value, ValueOrView};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use super::pooling::Pooling;
use super::tokens::Tokenized;
use crate::ModelError;

/// Texts that are run together at most, and their tokens with padding.
const MAX_BATCH_TEXTS: usize = 16;
const MAX_BATCH_TOKENS: usize = 2048;

/// A transformer in ONNX.
pub(super) struct OnnxModel {
    model: Model,
    inputs: Vec<(NodeId, Input)>,
    output: NodeId,
}

/// What a model wants to know of a batch, by the names that exporters give it.
#[derive(Clone, Copy)]
enum Input {
    Ids,
    Mask,
    Types,
    Places,
}

impl Input {
    fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "input_ids" => Self::Ids,
            "attention_mask" => Self::Mask,
            "token_type_ids" => Self::Types,
            "position_ids" => Self::Places,
            _ => return None,
        })
    }

    fn of_token(self, text: &Tokenized, at: usize) -> i32 {
        match self {
            Self::Ids => text.ids.get(at).map_or(0, |&id| id as i32),
            Self::Mask => i32::from(at < text.ids.len()),
            Self::Types => text.types.get(at).map_or(0, |&kind| kind as i32),
            Self::Places => at as i32,
        }
    }
}

/// Outputs that are better than the first one, when there are any: the pooled vector, a classifier's numbers.
const PREFERRED_OUTPUTS: [&str; 3] = ["sentence_embedding", "logits", "last_hidden_state"];

impl OnnxModel {
    pub(super) fn new(bytes: Vec<u8>) -> Result<Self, ModelError> {
        let model = Model::load(bytes).map_err(|error| ModelError::Malformed(format!("ONNX: {error}")))?;
        let name =
            |id: &NodeId| model.node_info(*id).and_then(|info| info.name()).unwrap_or_default().to_owned();
        let inputs = model.input_ids().iter().map(|id| {
            let name = name(id);
            let input = Input::of_name(&name).ok_or_else(|| ModelError::Unsupported {
                reason: format!(
                    "it wants the input {name:?}; token ids, mask, types and positions are known"
                ),
            });
            Ok((*id, input?))
        });
        let inputs = inputs.collect::<Result<_, ModelError>>()?;
        let outputs = model.output_ids();
        let preferred =
            PREFERRED_OUTPUTS.iter().find_map(|wanted| outputs.iter().find(|id| name(id) == *wanted));
        let output = preferred.or_else(|| outputs.first()).copied();
        let output = output.ok_or_else(|| ModelError::Malformed("ONNX: there is no output".into()))?;
        Ok(Self { model, inputs, output })
    }

    /// Runs texts of about one length; gives the shape and numbers of the output.
    fn run(&self, texts: &[&Tokenized]) -> Result<(Vec<usize>, Vec<f32>), ModelError> {
        let longest = texts.iter().map(|text| text.ids.len()).max().unwrap_or_default();
        let inputs = self.inputs.iter().map(|&(id, input)| {
            let values =
                NdTensor::from_fn([texts.len(), longest], |[text, at]| input.of_token(texts[text], at));
            (id, ValueOrView::Value(Value::from(values)))
        });
        let failed = |error: String| ModelError::Malformed(format!("ONNX: {error}"));
        let outputs = self.model.run(inputs.collect(), &[self.output], None);
        let output = outputs.map_err(|error| failed(error.to_string()))?.into_iter().next();
        let output = output.and_then(Value::into_tensor::<f32>);
        let output = output.ok_or_else(|| failed("the output is not made of f32".into()))?;
        Ok((output.shape().to_vec(), output.into_data()))
    }

    /// Runs all texts, those of like length together; `each` gets a text, the output's inner shape and its numbers.
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

    /// One vector a text, in order, not normalised.
    pub(super) fn embed(&self, texts: &[Tokenized], pooling: Pooling) -> Result<Vec<Vec<f32>>, ModelError> {
        self.run_all(texts, |text, shape, numbers| match shape {
            [_] => Ok(numbers.to_vec()),
            // What is behind the text's tokens is padding.
            [_, dimensions] => Ok(pooling.pool(&numbers[..text.ids.len() * dimensions], *dimensions)),
            _ => Err(ModelError::Unsupported { reason: format!("its output has {} axes", shape.len() + 1) }),
        })
    }

    /// One logit a pair of texts, in order: how well they fit.
    pub(super) fn judge(&self, pairs: &[Tokenized]) -> Result<Vec<f32>, ModelError> {
        self.run_all(pairs, |_, _, numbers| {
            logit(numbers).ok_or_else(|| ModelError::Unsupported {
                reason: format!("it gives {} numbers for a pair: a reranker gives 1 or 2", numbers.len()),
            })
        })
    }
}

/// A pair's logit from the numbers that a classifier gives: one is it, of two the second is for "fits".
pub(super) fn logit(outputs: &[f32]) -> Option<f32> {
    match outputs {
        [logit] => Some(*logit),
        [against, in_favour] => Some(in_favour - against),
        _ => None,
    }
}
