//! A language model in the process, from a GGUF file: run by llama.cpp where that is built in.

#[cfg(feature = "local-llm")]
mod llama;

use std::path::Path;
use std::sync::Arc;

use crate::{LanguageModel, ModelError};

/// What every GGUF file begins with.
const MAGIC: &[u8] = b"GGUF";

/// Loads the language model in `file`, whose first bytes are `head`: at least four of them, or all that there are.
///
/// llama.cpp opens the file by itself and maps it; whoever configures the model looks at it first. The model answers one
/// request after the other, each with all cores. Fails when the file is no GGUF, is one that llama.cpp cannot run, or Craig
/// was built without the feature `local-llm`.
pub fn gguf_language_model(file: &Path, head: &[u8]) -> Result<Arc<dyn LanguageModel>, ModelError> {
    if !head.starts_with(MAGIC) {
        return Err(unusable(file, "it is not a GGUF file".to_owned()));
    }
    load(file)
}

#[cfg(feature = "local-llm")]
fn load(file: &Path) -> Result<Arc<dyn LanguageModel>, ModelError> {
    Ok(Arc::new(llama::GgufModel::load(file)?))
}

#[cfg(not(feature = "local-llm"))]
fn load(_: &Path) -> Result<Arc<dyn LanguageModel>, ModelError> {
    Err(ModelError::NotBuiltIn)
}

fn unusable(file: &Path, reason: String) -> ModelError {
    ModelError::UnusableFile { file: file.display().to_string(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(head: &[u8]) -> String {
        gguf_language_model("/models/tiny.gguf".as_ref(), head).err().unwrap().to_string()
    }

    #[test]
    fn only_a_gguf_file_is_loaded() {
        for head in [b"".as_slice(), b"GGU", b"\x7fELF\x02", b"PK\x03\x04"] {
            assert_eq!(refusal(head), "cannot use /models/tiny.gguf: it is not a GGUF file");
        }
    }

    #[cfg(not(feature = "local-llm"))]
    #[test]
    fn without_the_feature_it_is_said_that_it_is_missing() {
        let error = gguf_language_model("/models/tiny.gguf".as_ref(), b"GGUF\x03").err().unwrap();
        assert!(error.to_string().contains("built without local-llm"), "{error}");
        assert!(error.hint().unwrap().contains("--features local-llm"));
    }
}
