//! The built-in embedding: a table of word vectors, compiled into the binary. Format and recipe: `model/README.md`.

use std::collections::HashMap;
use std::sync::LazyLock;

use safetensors::{Dtype, SafeTensors};

use crate::{Embedder, Embedding, ModelError, words};

/// Longest and shortest piece that an unknown word is cut into, in bytes.
const PIECE_BYTES: std::ops::RangeInclusive<usize> = 3..=16;

static WEIGHTS: &[u8] = include_bytes!("../../../model/static.safetensors");
static VOCABULARY: &str = include_str!("../../../model/vocab.txt");

/// A static embedding: a text's vector is the weighted sum of its words' rows.
pub struct StaticModel {
    id: String,
    rows: HashMap<&'static str, u32, foldhash::fast::FixedState>,
    codes: &'static [u8],
    scales: Vec<f32>,
    dimensions: usize,
}

impl StaticModel {
    /// The model that ships inside the binary.
    pub fn builtin() -> &'static Self {
        static MODEL: LazyLock<StaticModel> = LazyLock::new(|| {
            StaticModel::parse(WEIGHTS, VOCABULARY).expect("the compiled-in weights are checked by a test")
        });
        &MODEL
    }

    fn parse(weights: &'static [u8], vocabulary: &'static str) -> Result<Self, ModelError> {
        let malformed = |what: &str| ModelError::Malformed(what.to_owned());
        let tensors = SafeTensors::deserialize(weights).map_err(|e| ModelError::Malformed(e.to_string()))?;
        let embedding = tensors.tensor("embedding").map_err(|e| ModelError::Malformed(e.to_string()))?;
        let scale = tensors.tensor("scale").map_err(|e| ModelError::Malformed(e.to_string()))?;
        let &[n_rows, dimensions] = embedding.shape() else {
            return Err(malformed("embedding is not a matrix"));
        };
        if (embedding.dtype(), scale.dtype()) != (Dtype::I8, Dtype::F32) || scale.shape() != [n_rows] {
            return Err(malformed("expected int8 rows and one f32 scale a row"));
        }
        let rows: HashMap<_, _, _> = vocabulary.lines().zip(0..).collect();
        if rows.len() != n_rows {
            return Err(malformed("vocabulary and rows differ in number"));
        }
        let scales = scale.data().as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        let id = format!("craig-static-{dimensions}-{:08x}", fingerprint(weights));
        Ok(Self { id, rows, codes: embedding.data(), scales, dimensions })
    }

    /// Calls `emit` with the row of each word of `text`, in order; unknown words give the rows of their known pieces.
    fn tokens(&self, text: &str, mut emit: impl FnMut(u32)) {
        let mut buffer = String::new();
        for word in words(text) {
            buffer.clear();
            buffer.push_str(word.text);
            buffer.make_ascii_lowercase();
            match self.rows.get(buffer.as_str()) {
                Some(&row) => emit(row),
                None => self.pieces(&buffer, &mut emit),
            }
        }
    }

    /// Cuts an unknown word greedily from the left into its longest known pieces.
    fn pieces(&self, word: &str, emit: &mut impl FnMut(u32)) {
        let mut at = 0;
        while at + PIECE_BYTES.start() <= word.len() {
            let longest = (word.len() - at).min(*PIECE_BYTES.end());
            let found = (*PIECE_BYTES.start()..=longest)
                .rev()
                .find_map(|len| self.rows.get(&word[at..at + len]).map(|&row| (row, len)));
            match found {
                Some((row, len)) => {
                    emit(row);
                    at += len;
                }
                None => at += 1,
            }
        }
    }

    fn add_row(&self, sum: &mut [f32], row: u32, weight: f32) {
        let row = row as usize;
        let factor = weight * self.scales[row];
        let codes = &self.codes[row * self.dimensions..(row + 1) * self.dimensions];
        for (component, &code) in sum.iter_mut().zip(codes) {
            *component += factor * f32::from(code as i8);
        }
    }

    /// Embeds a text to search with: the sum of its words' rows, scaled to unit length.
    pub fn query(&self, text: &str) -> Embedding {
        let mut sum = vec![0.0; self.dimensions];
        self.tokens(text, |row| self.add_row(&mut sum, row, 1.0));
        Embedding::normalized(sum)
    }

    /// Embeds a text to be found: each distinct row counts ln(1 + occurrences), scaled to unit length.
    pub fn document(&self, text: &str) -> Embedding {
        let mut rows = Vec::with_capacity(text.len() / 5);
        self.tokens(text, |row| rows.push(row));
        rows.sort_unstable();
        let mut sum = vec![0.0; self.dimensions];
        for run in rows.chunk_by(|a, b| a == b) {
            self.add_row(&mut sum, run[0], (1.0 + run.len() as f32).ln());
        }
        Embedding::normalized(sum)
    }
}

impl Embedder for StaticModel {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        Ok(texts.iter().map(|text| self.document(text)).collect())
    }

    fn embed_query(&self, text: &str) -> Result<Embedding, ModelError> {
        Ok(self.query(text))
    }
}

/// FNV-1a over a sample of the weights: names the version, so that a retrained model gets another id.
fn fingerprint(weights: &[u8]) -> u32 {
    weights
        .iter()
        .step_by(97)
        .fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, rows: &[u32], start: [f32; 4]) {
        let model = StaticModel::builtin();
        let mut found = Vec::new();
        model.tokens(text, |row| found.push(row));
        assert_eq!(found, rows, "rows of {text:?}");
        let query = model.query(text);
        for (got, want) in query.as_slice().iter().zip(start) {
            assert!((got - want).abs() < 1e-4, "{text:?}: {:?}", &query.as_slice()[..4]);
        }
    }

    /// The table of `model/README.md`.
    #[test]
    fn tokens_and_vectors_are_those_of_the_trained_model() {
        check("how does authentication work", &[978, 287, 1360, 821], [0.00858, 0.03526, -0.10291, -0.06988]);
        check("parseHTTPResponse", &[176, 117, 166], [0.00712, -0.12368, 0.04649, -0.03779]);
        check("SELECT * FROM users_v2", &[428, 20, 1336, 138, 48], [0.00789, -0.01438, -0.07080, -0.06618]);
    }

    #[test]
    fn a_text_without_words_is_the_zero_vector() {
        assert!(StaticModel::builtin().document("日本語 —").is_zero());
    }

    #[test]
    fn related_texts_are_nearer_than_others() {
        let model = StaticModel::builtin();
        let dot = |a: &Embedding, b: &Embedding| -> f32 {
            a.as_slice().iter().zip(b.as_slice()).map(|(x, y)| x * y).sum()
        };
        let query = model.query("how are passwords checked");
        let login = model
            .document("fn verify_password(user: &User, secret: &str) -> bool { hash(secret) == user.hash }");
        let matrix = model.document("fn multiply(a: &Matrix, b: &Matrix) -> Matrix { rows * columns }");
        assert!(dot(&query, &login) > dot(&query, &matrix) + 0.1);
    }
}
