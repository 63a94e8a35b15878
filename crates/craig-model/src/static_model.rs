//! The built-in embedding: a table of word vectors, compiled into the binary. Format and recipe: `model/README.md`.

use std::collections::HashMap;
use std::sync::LazyLock;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};

use crate::vocabulary::{Tokens, Vocabulary};
use crate::{Embedder, Embedding, Expense, ModelError};

static WEIGHTS: &[u8] = include_bytes!("../../../model/static.safetensors");
static VOCABULARY: &str = include_str!("../../../model/vocab.txt");
static QUESTIONS: &[u8] = include_bytes!("../../../model/questions.safetensors");

/// A static embedding: a text's vector is the weighted sum of its words' rows.
pub struct StaticModel {
    id: String,
    vocabulary: Vocabulary,
    codes: &'static [u8],
    scales: Vec<f32>,
    /// Weight of each row in a query times its scale.
    query_scales: Vec<f32>,
    dimensions: usize,
    questions: QuestionRows,
}

/// What words count in questions, where that differs from other queries: vectors with their weights.
#[derive(Default)]
struct QuestionRows {
    /// The place of each row that differs.
    places: HashMap<u32, usize>,
    codes: &'static [u8],
    scales: Vec<f32>,
}

impl StaticModel {
    /// The model that is compiled into the binary.
    pub fn builtin() -> &'static Self {
        static MODEL: LazyLock<StaticModel> = LazyLock::new(|| {
            StaticModel::parse(WEIGHTS, VOCABULARY)
                .and_then(|model| model.with_questions(QUESTIONS))
                .expect("the compiled-in weights are checked by a test")
        });
        &MODEL
    }

    /// Parses a model: weights in the format of `model/README.md`, and one word per line.
    pub fn parse(weights: &'static [u8], vocabulary: &'static str) -> Result<Self, ModelError> {
        let [embedding, scale, query_weight] = tensors(weights, ["embedding", "scale", "query_weight"])?;
        let &[n_rows, dimensions] = embedding.shape() else {
            return Err(malformed("embedding is not a matrix"));
        };
        let is_weight = |tensor: &TensorView<'_>| tensor.dtype() == Dtype::F32 && tensor.shape() == [n_rows];
        if embedding.dtype() != Dtype::I8 || !is_weight(&scale) || !is_weight(&query_weight) {
            return Err(malformed("expected int8 rows, and one f32 scale and one f32 query weight per row"));
        }
        let vocabulary = Vocabulary::new(vocabulary);
        if vocabulary.len() != n_rows {
            return Err(malformed("the vocabulary has another number of words than the table has rows"));
        }
        let scales = floats(&scale);
        let query_scales =
            floats(&query_weight).iter().zip(&scales).map(|(weight, scale)| weight * scale).collect();
        let id = format!("craig-static-{dimensions}-{:08x}", fingerprint(weights));
        let questions = QuestionRows::default();
        Ok(Self { id, vocabulary, codes: embedding.data(), scales, query_scales, dimensions, questions })
    }

    /// The same model with other vectors for words of questions, in the format of `model/README.md`.
    pub fn with_questions(self, rows: &'static [u8]) -> Result<Self, ModelError> {
        let [row, embedding, scale] = tensors(rows, ["row", "embedding", "scale"])?;
        let n = scale.shape().iter().product::<usize>();
        let is_whole =
            row.dtype() == Dtype::U32 && embedding.dtype() == Dtype::I8 && scale.dtype() == Dtype::F32;
        if !is_whole || row.shape() != [n] || embedding.shape() != [n, self.dimensions] {
            return Err(malformed("expected u32 rows, and an int8 vector and an f32 scale for each"));
        }
        let numbers = row.data().as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        let places: HashMap<u32, usize> = numbers.zip(0..).collect();
        if places.keys().any(|&row| row as usize >= self.scales.len()) {
            return Err(malformed("a vector is of a row that the table does not have"));
        }
        let questions = QuestionRows { places, codes: embedding.data(), scales: floats(&scale) };
        Ok(Self { questions, ..self })
    }

    /// Whether its vocabulary has a word, given in lower case: a usual word, or one that is common in code.
    pub fn knows(&self, word: &str) -> bool {
        self.vocabulary.contains(word)
    }

    #[inline(always)]
    fn add_row(&self, sum: &mut [f32], row: u32, factor: f32) {
        add(sum, self.codes, row as usize, factor);
    }

    /// Embeds a question: as a query, with the vectors that its words have in questions.
    pub fn question(&self, text: &str) -> Embedding {
        let mut sum = vec![0.0; self.dimensions];
        for row in self.tokens().rows(text) {
            self.add_question_row(&mut sum, row);
        }
        Embedding::normalized(sum)
    }

    fn add_question_row(&self, sum: &mut [f32], row: u32) {
        match self.questions.places.get(&row) {
            Some(&place) => add(sum, self.questions.codes, place, self.questions.scales[place]),
            None => self.add_row(sum, row, self.query_scales[row as usize]),
        }
    }

    /// The rows of the words of a query, in order, to fit their vectors.
    pub fn query_rows(&self, text: &str) -> Vec<u32> {
        self.tokens().rows(text).collect()
    }

    /// The vector of a row in a query, times its weight.
    pub fn query_row(&self, row: u32) -> Vec<f32> {
        let mut sum = vec![0.0; self.dimensions];
        self.add_row(&mut sum, row, self.query_scales[row as usize]);
        sum
    }

    /// Embeds a query: the sum of its words' rows times their query weights, scaled to unit length.
    pub fn query(&self, text: &str) -> Embedding {
        let mut sum = vec![0.0; self.dimensions];
        for row in self.tokens().rows(text) {
            self.add_row(&mut sum, row, self.query_scales[row as usize]);
        }
        Embedding::normalized(sum)
    }

    /// A tokenizer with the vocabulary of this model.
    pub(crate) fn tokens<'t>(&self) -> Tokens<'_, 't> {
        Tokens::new(&self.vocabulary)
    }

    /// The distinct words of a query, each with its row and query weight.
    pub(crate) fn query_words(&self, text: &str) -> Vec<(u32, f32)> {
        let mut rows: Vec<u32> = self.tokens().rows(text).collect();
        rows.sort_unstable();
        rows.dedup();
        let weight =
            |row: u32| self.query_scales[row as usize] / self.scales[row as usize].max(f32::MIN_POSITIVE);
        rows.into_iter().map(|row| (row, weight(row))).collect()
    }

    /// Embeds a document: the sum of its words' distinct rows times ln(1 + occurrences), scaled to unit length.
    pub fn document(&self, text: &str) -> Embedding {
        self.document_of(self.tokens().counted(text))
    }

    /// Embeds documents, in order: faster than one by one if they share words.
    pub fn documents<T: AsRef<str>>(&self, texts: &[T]) -> Vec<Embedding> {
        let mut tokens = self.tokens();
        texts.iter().map(|text| self.document_of(tokens.counted(text.as_ref()))).collect()
    }

    /// The vector of a document from its distinct rows and their numbers of occurrences.
    pub(crate) fn document_of(&self, counted: &[(u32, u32)]) -> Embedding {
        let mut sum = vec![0.0; self.dimensions];
        // With the processor's widest vectors, since most of the time of embedding is spent here.
        pulp::Arch::new().dispatch(|| {
            for &(row, count) in counted {
                self.add_row(&mut sum, row, (1.0 + count as f32).ln() * self.scales[row as usize]);
            }
        });
        Embedding::normalized(sum)
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

/// The tensors of a file by their names.
fn tensors<const N: usize>(
    file: &'static [u8],
    names: [&str; N],
) -> Result<[TensorView<'static>; N], ModelError> {
    let fault = |error: SafeTensorError| ModelError::Malformed(error.to_string());
    let all = SafeTensors::deserialize(file).map_err(fault)?;
    let found: Vec<TensorView<'static>> =
        names.into_iter().map(|name| all.tensor(name)).collect::<Result<_, _>>().map_err(fault)?;
    Ok(found.try_into().expect("one tensor for each name"))
}

fn malformed(what: &str) -> ModelError {
    ModelError::Malformed(what.to_owned())
}

/// Adds a row of `codes`, whose length is that of `sum`, times `factor`.
#[inline(always)]
fn add(sum: &mut [f32], codes: &[u8], row: usize, factor: f32) {
    let codes = &codes[row * sum.len()..(row + 1) * sum.len()];
    for (component, &code) in sum.iter_mut().zip(codes) {
        *component += factor * f32::from(code as i8);
    }
}

fn floats(tensor: &TensorView<'_>) -> Vec<f32> {
    tensor.data().as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
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
        let found: Vec<u32> = model.tokens().rows(text).collect();
        assert_eq!(found, rows, "rows of {text:?}");
        let query = model.query(text);
        for (got, want) in query.as_slice().iter().zip(start) {
            assert!((got - want).abs() < 1e-4, "{text:?}: {:?}", &query.as_slice()[..4]);
        }
    }

    /// The table of `model/README.md`.
    #[test]
    fn tokens_and_vectors_are_those_of_the_trained_model() {
        check(
            "how does authentication work",
            &[295, 134, 1970, 319],
            [-0.01291, 0.11553, -0.10304, -0.10364],
        );
        check("parseHTTPResponse", &[193, 471, 785], [-0.00696, -0.07315, 0.09684, 0.03805]);
        check("SELECT * FROM users_v2", &[385, 19, 861, 89, 7], [-0.05136, -0.01380, 0.00997, 0.02280]);
    }

    #[test]
    fn words_of_questions_are_near_other_words_of_code() {
        let model = StaticModel::builtin();
        let code =
            model.document("fn evict_expired(cache: &mut Cache) { cache.retain(|entry| !entry.expired()) }");
        let text = "when do we throw out stuff that is too old";
        assert!(model.question(text).cosine(&code) > model.query(text).cosine(&code));
        // A model without vectors of questions has those of queries.
        let plain = StaticModel::parse(WEIGHTS, VOCABULARY).unwrap();
        assert_eq!(plain.question(text), plain.query(text));
    }

    #[test]
    fn vectors_of_questions_of_another_length_are_refused() {
        let codes = [0u8; 16];
        let tensors = [
            ("row", TensorView::new(Dtype::U32, vec![1], &[0; 4]).unwrap()),
            ("embedding", TensorView::new(Dtype::I8, vec![1, 16], &codes).unwrap()),
            ("scale", TensorView::new(Dtype::F32, vec![1], &[0; 4]).unwrap()),
        ];
        let rows = safetensors::serialize(tensors, None::<HashMap<String, String>>).unwrap();
        let model = StaticModel::parse(WEIGHTS, VOCABULARY).unwrap();
        assert!(model.with_questions(rows.leak()).is_err());
    }

    #[test]
    fn a_text_without_words_is_the_zero_vector() {
        assert!(StaticModel::builtin().document("日本語 —").is_zero());
    }

    #[test]
    fn related_texts_are_nearer_than_others() {
        let model = StaticModel::builtin();
        let query = model.query("how are passwords checked");
        let login = model
            .document("fn verify_password(user: &User, secret: &str) -> bool { hash(secret) == user.hash }");
        let matrix = model.document("fn multiply(a: &Matrix, b: &Matrix) -> Matrix { rows * columns }");
        assert!(query.cosine(&login) > query.cosine(&matrix) + 0.1);
    }
}
