//! Facts about texts and paths that every crate has to agree on: words and identifiers, test files, vendored and
//! generated code, control tokens of language models. No input or output, no state, no other crate of the workspace.

mod distinct;
mod dot;
pub mod generated;
mod model_input;
pub mod path;
mod role;
mod script;
mod shell;
mod stem;
mod stop_words;
mod translation;
mod words;

pub use distinct::distinct;
pub use dot::{dot, dot_i8, dot_i8_f32};
pub use model_input::{DATA_NOTICE, fence, fenced, longest_backticks, without_control_tokens};
pub use role::{PathRole, PathTraits, is_test, is_test_module};
pub use script::{columns, composed, is_character, is_mark, is_unspaced, is_unspaced_stop};
pub use shell::shell_word;
pub use stem::{root, stem, stems};
pub use stop_words::{is_conversational, is_stop_word};
pub use translation::{is_latin, originals};
pub use words::{
    Word, compact, compact_into, count_words, identifiers, is_identifier_char, is_prefix_of_other,
    lower_words, prose_words, runs, whole_words, words, words_of_run,
};
