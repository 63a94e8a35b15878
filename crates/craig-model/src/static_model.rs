//! The built-in embedding: a table of word vectors, compiled into the binary. Format and recipe: `model/README.md`.

use std::collections::HashMap;
use std::sync::LazyLock;

use safetensors::{Dtype, SafeTensors};

use crate::{Embedder, Embedding, Expense, ModelError, words};

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

    /// Appends the row of each word of `run`, a run of letters and digits; unknown words give the rows of their pieces.
    fn rows_of_run(&self, run: &str, rows: &mut Vec<u32>) {
        let mut lower = String::new();
        for word in words(run) {
            lower.clear();
            lower.push_str(word.text);
            lower.make_ascii_lowercase();
            match self.rows.get(lower.as_str()) {
                Some(&row) => rows.push(row),
                None => self.rows_of_pieces(&lower, rows),
            }
        }
    }

    /// Cuts an unknown word greedily from the left into its longest known pieces.
    fn rows_of_pieces(&self, word: &str, rows: &mut Vec<u32>) {
        let mut at = 0;
        while at + PIECE_BYTES.start() <= word.len() {
            let longest = (word.len() - at).min(*PIECE_BYTES.end());
            let found = (*PIECE_BYTES.start()..=longest)
                .rev()
                .find_map(|len| self.rows.get(&word[at..at + len]).map(|&row| (row, len)));
            match found {
                Some((row, len)) => {
                    rows.push(row);
                    at += len;
                }
                None => at += 1,
            }
        }
    }

    #[inline(always)]
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
        for row in Tokens::new(self).rows(text) {
            self.add_row(&mut sum, *row, 1.0);
        }
        Embedding::normalized(sum)
    }

    /// Embeds a text to be found: each distinct row counts ln(1 + occurrences), scaled to unit length.
    pub fn document(&self, text: &str) -> Embedding {
        self.document_of(&mut Tokens::new(self), text)
    }

    /// Embeds several texts to be found, in order: quicker than one by one when they share words.
    pub fn documents<T: AsRef<str>>(&self, texts: &[T]) -> Vec<Embedding> {
        let mut tokens = Tokens::new(self);
        texts.iter().map(|text| self.document_of(&mut tokens, text.as_ref())).collect()
    }

    fn document_of<'t>(&self, tokens: &mut Tokens<'_, 't>, text: &'t str) -> Embedding {
        let weighted = tokens.weighted_rows(text);
        let mut sum = vec![0.0; self.dimensions];
        // The processor's widest vectors: most of the time of embedding is spent here.
        pulp::Arch::new().dispatch(|| {
            for &(row, weight) in weighted {
                self.add_row(&mut sum, row, weight);
            }
        });
        Embedding::normalized(sum)
    }
}

/// Finds the rows of texts; remembers those of each run of letters and digits, since code repeats its names.
struct Tokens<'m, 't> {
    model: &'m StaticModel,
    known: HashMap<&'t str, (u32, u32), foldhash::fast::FixedState>,
    rows_of_known: Vec<u32>,
    rows: Vec<u32>,
    weighted: Vec<(u32, f32)>,
    /// For each row of the model, 0 between two texts.
    counts: Vec<u32>,
}

impl<'m, 't> Tokens<'m, 't> {
    fn new(model: &'m StaticModel) -> Self {
        Self {
            model,
            known: HashMap::default(),
            rows_of_known: Vec::new(),
            rows: Vec::new(),
            weighted: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// The rows of the words of `text`, in order.
    fn rows(&mut self, text: &'t str) -> &[u32] {
        self.rows.clear();
        for run in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|run| !run.is_empty()) {
            let (start, end) = *self.known.entry(run).or_insert_with(|| {
                let start = self.rows_of_known.len() as u32;
                self.model.rows_of_run(run, &mut self.rows_of_known);
                (start, self.rows_of_known.len() as u32)
            });
            self.rows.extend_from_slice(&self.rows_of_known[start as usize..end as usize]);
        }
        &self.rows
    }

    /// The distinct rows of `text` in order of appearance, each with its weight in a document: ln(1 + occurrences).
    fn weighted_rows(&mut self, text: &'t str) -> &[(u32, f32)] {
        self.rows(text);
        self.counts.resize(self.model.scales.len(), 0);
        self.weighted.clear();
        for &row in &self.rows {
            let count = &mut self.counts[row as usize];
            if *count == 0 {
                self.weighted.push((row, 0.0));
            }
            *count += 1;
        }
        for (row, weight) in &mut self.weighted {
            *weight = (1.0 + std::mem::take(&mut self.counts[*row as usize]) as f32).ln();
        }
        &self.weighted
    }
}

impl Embedder for StaticModel {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> Result<usize, ModelError> {
        Ok(self.dimensions)
    }

    fn expense(&self) -> Expense {
        Expense::None
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        Ok(self.documents(texts))
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
        assert_eq!(Tokens::new(model).rows(text), rows, "rows of {text:?}");
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
