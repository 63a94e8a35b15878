//! What the documentation says that may explain a name, piece by piece, and what speaks for each piece.

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
pub(crate) use self::statement::Form;
use self::statement::Statement;

/// A piece of documentation that may explain a subject.
#[derive(Clone, Debug)]
pub struct Passage {
    /// The place of its section in the library.
    pub at: usize,
    /// The piece itself.
    pub(crate) statement: Statement,
    /// Whether it stands below a heading that is the name, or is an entry that begins with it.
    pub(crate) is_definition: bool,
    /// What speaks for it.
    pub features: Features,
}

impl Passage {
    /// First and last line in its page, from 1.
    pub fn lines(&self, library: &Library) -> (usize, usize) {
        let text = &library.place(self.at).page.text;
        let line = |byte: usize| text.as_bytes()[..byte].iter().filter(|byte| **byte == b'\n').count() + 1;
        (line(self.statement.bytes.start), line(self.statement.bytes.end))
    }
}

/// All pieces that may explain a subject, by section, in order of the text.
pub fn passages(library: &Library, context: &CodeContext, subject: &Subject) -> Vec<Passage> {
    let reading = features::Reading::new(library, context, subject);
    let sections = candidates::sections(library, subject, reading.similarities());
    reading.passages(&sections)
}
