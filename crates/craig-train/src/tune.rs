//! `tune`: fits the vectors that words have in questions, so that a question is near the code that answers it in other
//! words. The vectors of documents stay as they are. Recipe and results: `model/README.md`.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use craig_model::{Embedding, StaticModel};
use craig_text::dot;
use safetensors::tensor::{Dtype, TensorView};

use crate::corpus::outlines;
use crate::lines::{self, Grade, Question, Repository};
use crate::metrics::mean;
use crate::random::Random;
use crate::train::export::quantized;

#[derive(Args)]
pub(crate) struct TuneArguments {
    /// File of questions with labelled lines.
    #[arg(long)]
    questions: PathBuf,
    /// Folder with the folders of the sets, each with repositories checked out under their names.
    #[arg(long)]
    corpora: PathBuf,
    /// File to write the vectors to.
    #[arg(long)]
    out: Option<PathBuf>,
    /// File of questions on other repositories, to measure on.
    #[arg(long)]
    held_out: Option<PathBuf>,
    /// Decides the order, and what questions are compared with.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Times that every question is seen.
    #[arg(long, default_value_t = 2)]
    epochs: usize,
    /// Learning rate of the first step; from there it falls to 0.
    #[arg(long, default_value_t = 0.002)]
    rate: f32,
    /// Divisor of similarities in the loss.
    #[arg(long, default_value_t = 0.05)]
    temperature: f32,
}

/// Number of other chunks that the right one is compared with.
const N_OTHERS: usize = 1000;

/// Share of the words of a question that are left out each time.
const LEFT_OUT: f32 = 0.15;

/// Ranks up to which the right chunks are counted.
const RANKS: [usize; 4] = [1, 5, 20, 96];

/// The questions about a repository, and its chunks.
struct Asked {
    chunks: Vec<Embedding>,
    questions: Vec<Rows>,
}

/// A question: the rows of its words, and the chunks that answer.
struct Rows {
    words: Vec<u32>,
    right: Vec<usize>,
}

pub(crate) fn run(arguments: &TuneArguments) -> Result<()> {
    let model = StaticModel::builtin();
    let load = |file: &Path| -> Result<Vec<Asked>> {
        let repositories = lines::load(file)?;
        repositories.iter().map(|repository| Asked::load(model, repository, &arguments.corpora)).collect()
    };
    let held_out = arguments.held_out.as_deref().map_or(Ok(Vec::new()), load)?;
    report("before", &Vectors::new(model), &held_out);
    let vectors = fit(arguments, model, &load(&arguments.questions)?);
    report("after", &vectors, &held_out);
    arguments.out.as_deref().map_or(Ok(()), |file| vectors.write(file))
}

impl Asked {
    fn load(model: &StaticModel, repository: &Repository, corpora: &Path) -> Result<Self> {
        let files = outlines(&repository.folder(corpora), |path, outline, text| {
            let texts: Vec<&str> = outline.chunks.iter().map(|chunk| chunk.text(text)).collect();
            let places = outline.chunks.iter().map(|chunk| (chunk.line_start, chunk.line_end));
            let chunks: Vec<((u32, u32), Embedding)> = places.zip(model.documents(&texts)).collect();
            (path.to_owned(), chunks)
        })?;
        let (mut places, mut chunks) = (Vec::new(), Vec::new());
        for (path, (lines, vector)) in
            files.iter().flat_map(|(path, of_file)| of_file.iter().map(move |chunk| (path, chunk)))
        {
            places.push((path.as_str(), *lines));
            chunks.push(vector.clone());
        }
        let rows = |question: &Question| {
            let is_right = |place: &(&str, (u32, u32))| {
                question.targets.iter().any(|t| t.grade == Grade::Answers && t.is_touched(*place))
            };
            let right: Vec<usize> = (0..places.len()).filter(|&at| is_right(&places[at])).collect();
            let text = question.history.join("\n") + "\n" + &question.query;
            (!right.is_empty()).then(|| Rows { words: model.query_rows(&text), right })
        };
        let questions = repository.queries.iter().filter_map(rows).collect();
        Ok(Self { chunks, questions })
    }
}

/// The vectors of words in questions: those of the model, and what has become of some.
struct Vectors {
    model: &'static StaticModel,
    fitted: BTreeMap<u32, Row>,
}

/// A vector with the moments of its gradients.
struct Row {
    vector: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
}

impl Vectors {
    fn new(model: &'static StaticModel) -> Self {
        Self { model, fitted: BTreeMap::new() }
    }

    /// The sum of the vectors of words, not scaled.
    fn sum(&self, words: &[u32]) -> Vec<f32> {
        let vector = |word: &u32| match self.fitted.get(word) {
            Some(row) => row.vector.clone(),
            None => self.model.query_row(*word),
        };
        let add =
            |sum: Vec<f32>, of_word: Vec<f32>| sum.iter().zip(of_word).map(|(sum, x)| sum + x).collect();
        words.iter().map(vector).reduce(add).unwrap_or_default()
    }

    /// One step of Adam, with the constants of the `Adam` of other fits, whose start is not corrected.
    fn step(&mut self, gradients: HashMap<u32, Vec<f32>>, rate: f32) {
        for (word, gradient) in gradients {
            let model = self.model;
            let row = self.fitted.entry(word).or_insert_with(|| Row::new(model.query_row(word)));
            for (at, x) in gradient.into_iter().enumerate() {
                row.mean[at] = 0.9 * row.mean[at] + 0.1 * x;
                row.square[at] = 0.99 * row.square[at] + 0.01 * x * x;
                row.vector[at] -= rate * row.mean[at] / (row.square[at].sqrt() + 1e-8);
            }
        }
    }

    /// Writes the vectors that were fitted, in the format that `craig-model` compiles in.
    fn write(&self, file: &Path) -> Result<()> {
        let rows: Vec<u8> = self.fitted.keys().flat_map(|word| word.to_le_bytes()).collect();
        let (codes, scales) = quantized(self.fitted.values().map(|row| row.vector.as_slice()));
        let n = self.fitted.len();
        let tensors = [
            ("row", TensorView::new(Dtype::U32, vec![n], &rows)?),
            ("embedding", TensorView::new(Dtype::I8, vec![n, codes.len() / n.max(1)], &codes)?),
            ("scale", TensorView::new(Dtype::F32, vec![n], &scales)?),
        ];
        let bytes = safetensors::serialize(tensors, None::<HashMap<String, String>>)?;
        std::fs::write(file, bytes).with_context(|| format!("cannot write {}", file.display()))
    }
}

impl Row {
    fn new(vector: Vec<f32>) -> Self {
        let zeros = vec![0.0; vector.len()];
        Self { vector, mean: zeros.clone(), square: zeros }
    }
}

/// Fits the vectors with the cross-entropy of the right chunk among others of its repository, one step a repository.
fn fit(arguments: &TuneArguments, model: &'static StaticModel, asked: &[Asked]) -> Vectors {
    let mut vectors = Vectors::new(model);
    let mut random = Random::new(arguments.seed);
    let n_steps = (arguments.epochs * asked.len()) as f32;
    let mut n_done = 0.0;
    for _ in 0..arguments.epochs {
        let mut order: Vec<&Asked> = asked.iter().filter(|asked| !asked.questions.is_empty()).collect();
        random.shuffle(&mut order);
        for asked in order {
            n_done += 1.0;
            let gradients = gradients(&vectors, asked, arguments.temperature, &mut random);
            vectors.step(gradients, arguments.rate * (1.0 - n_done / (n_steps + 1.0)));
        }
    }
    vectors
}

/// The mean gradient over the questions of a repository, for each word.
fn gradients(
    vectors: &Vectors,
    asked: &Asked,
    temperature: f32,
    random: &mut Random,
) -> HashMap<u32, Vec<f32>> {
    let mut others: Vec<usize> = (0..asked.chunks.len()).collect();
    random.shuffle(&mut others);
    others.truncate(N_OTHERS);
    let mut gradients: HashMap<u32, Vec<f32>> = HashMap::new();
    let share = 1.0 / asked.questions.len() as f32;
    for question in &asked.questions {
        let words: Vec<u32> = question.words.iter().copied().filter(|_| random.unit() >= LEFT_OUT).collect();
        let right = question.right[random.below(question.right.len())];
        let compared = others.iter().filter(|other| !question.right.contains(other));
        let compared: Vec<&[f32]> =
            [&right].into_iter().chain(compared).map(|&at| asked.chunks[at].as_slice()).collect();
        let Some((_, of_sum)) = loss(&vectors.sum(&words), &compared, temperature) else { continue };
        for word in words {
            let of_word = gradients.entry(word).or_insert_with(|| vec![0.0; of_sum.len()]);
            of_word.iter_mut().zip(&of_sum).for_each(|(of_word, x)| *of_word += share * x);
        }
    }
    gradients
}

/// The cross-entropy of the first of `chunks`, each of length 1, by their cosines with `sum`, and its gradient by `sum`; none where
/// that is zero.
fn loss(sum: &[f32], chunks: &[&[f32]], temperature: f32) -> Option<(f32, Vec<f32>)> {
    let length = dot(sum, sum).sqrt();
    if length == 0.0 {
        return None;
    }
    let query: Vec<f32> = sum.iter().map(|x| x / length).collect();
    let similarities: Vec<f32> = chunks.iter().map(|chunk| dot(&query, chunk) / temperature).collect();
    let largest = similarities.iter().copied().fold(f32::MIN, f32::max);
    let exponentials: Vec<f32> = similarities.iter().map(|x| (x - largest).exp()).collect();
    let total: f32 = exponentials.iter().sum();
    // By the query: what it is too near to, less the right one.
    let mut pull = vec![0.0f32; query.len()];
    for (at, (chunk, x)) in chunks.iter().zip(&exponentials).enumerate() {
        let excess = (x / total - if at == 0 { 1.0 } else { 0.0 }) / temperature;
        pull.iter_mut().zip(*chunk).for_each(|(pull, x)| *pull += excess * x);
    }
    let along = dot(&pull, &query);
    let by_sum = pull.iter().zip(&query).map(|(pull, x)| (pull - along * x) / length).collect();
    Some((total.ln() + largest - similarities[0], by_sum))
}

/// Prints how often a right chunk is among the first by cosine alone.
#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
fn report(when: &str, vectors: &Vectors, asked: &[Asked]) {
    let ranks: Vec<usize> = asked.iter().flat_map(|asked| asked.ranks(vectors)).collect();
    if !ranks.is_empty() {
        let share = |rank: &usize| mean(ranks.iter().map(|found| f64::from(u8::from(found < rank))));
        let shares: Vec<String> = RANKS.iter().map(|rank| format!("{rank}: {:.3}", share(rank))).collect();
        println!("{when}, {} questions on {} repositories: {}", ranks.len(), asked.len(), shares.join(", "));
    }
}

impl Asked {
    /// For each question, the number of chunks that are nearer than the nearest right one.
    fn ranks(&self, vectors: &Vectors) -> Vec<usize> {
        let rank = |question: &Rows| {
            let query = Embedding::normalized(vectors.sum(&question.words));
            let cosines: Vec<f32> = self.chunks.iter().map(|chunk| query.cosine(chunk)).collect();
            let best = question.right.iter().map(|&at| cosines[at]).fold(f32::MIN, f32::max);
            cosines.iter().filter(|&&cosine| cosine > best).count()
        };
        self.questions.iter().map(rank).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let chunks: [&[f32]; 3] = [&[0.6, 0.8, 0.0], &[0.0, 0.6, 0.8], &[1.0, 0.0, 0.0]];
        let sum = [0.5, -0.3, 0.9];
        let of = |sum: &[f32]| loss(sum, &chunks, 0.5).expect("the sum is not zero");
        let (at_sum, gradient) = of(&sum);
        assert!(at_sum > 0.0);
        for (at, slope) in gradient.into_iter().enumerate() {
            let moved = |by: f32| {
                let mut moved = sum;
                moved[at] += by;
                of(&moved).0
            };
            let measured = (moved(0.01) - moved(-0.01)) / 0.02;
            assert!((slope - measured).abs() < 1e-3, "{at}: {slope} and {measured}");
        }
        assert_eq!(loss(&[0.0; 3], &chunks, 0.5), None);
    }
}
