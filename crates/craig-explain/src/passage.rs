//! The passages of the documentation that may explain a symbol, with the features by which they are ranked.

mod candidates;
mod changes;
mod features;
mod mention;
mod ranker;
mod statement;
mod whose;

use crate::context::{CodeContext, Subject};
use crate::library::Library;

pub use self::features::{FEATURES, Features, N_FEATURES};
pub use self::ranker::{PassageRanker, PassageWeights};
pub(crate) use self::statement::{Form, Statement};

/// A passage of the documentation that may explain a subject.
#[derive(Clone, Debug)]
pub struct Passage {
    /// Index of its section in the library.
    pub at: usize,
    /// Its text.
    pub(crate) statement: Statement,
    /// Whether its heading is the name, or it is a list entry or table row that begins with the name.
    pub(crate) is_definition: bool,
    /// The features by which it is ranked.
    pub features: Features,
}

impl Passage {
    /// Its first and last line in the page, 1-based.
    pub fn lines(&self, library: &Library) -> (usize, usize) {
        let text = &library.place(self.at).page.text;
        let line = |byte: usize| text.as_bytes()[..byte].iter().filter(|byte| **byte == b'\n').count() + 1;
        (line(self.statement.bytes.start), line(self.statement.bytes.end))
    }
}

/// All passages that may explain a subject, in the order of the library.
pub fn passages(library: &Library, context: &CodeContext, subject: &Subject) -> Vec<Passage> {
    let reading = features::Reading::new(library, context, subject);
    reading.passages()
}
