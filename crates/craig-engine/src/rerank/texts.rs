//! The built-in ranking of texts: as a search would rank them if they were all files of a project.

use std::time::Instant;

use craig_model::{BuiltinReranker, Document, ModelError, Ranking, RerankRequest, Reranker, StaticModel};
use craig_search::{Index, has_words};
use craig_source::{FileType, Language};
use craig_store::{FileId, FileRecord, StoredChunk, StoredFile, TextHash};
use rayon::prelude::*;

use crate::EngineError;

/// Ranks texts by how relevant each is to the query, 0 to 1.
///
/// Each is chunked as the file of its path would be, indexed in memory, and ranked as a search ranks the files of a project:
/// by names and definitions as well as by words and vectors. Unless all paths are known, neither languages nor tests and
/// documentation can be distinguished, and only texts are compared: [`BuiltinReranker`].
pub(crate) struct TextRanking;

impl Reranker for TextRanking {
    fn name(&self) -> &str {
        "built-in"
    }

    fn rerank(&self, request: &RerankRequest<'_>) -> Result<Ranking, ModelError> {
        let is_known = |document: &Document<'_>| document.path.is_some_and(|path| !path.is_empty());
        if !has_words(request.query) || !request.documents.iter().all(is_known) {
            return BuiltinReranker.rerank(request);
        }
        let documents = request.documents.par_iter().enumerate();
        let files = documents.map(|(at, document)| self.file(request, at, document));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let scores =
            scores(files, request).map_err(|error| ModelError::Ranking { reason: error.to_string() })?;
        Ok(Ranking::from_scores(scores))
    }
}

impl TextRanking {
    fn file(
        &self,
        request: &RerankRequest<'_>,
        at: usize,
        document: &Document<'_>,
    ) -> Result<StoredFile, ModelError> {
        let provider = || self.name().to_owned();
        if request.cancellation.is_cancelled() {
            return Err(ModelError::Cancelled { provider: provider() });
        }
        if Instant::now() >= request.deadline {
            return Err(ModelError::TimedOut { provider: provider(), waited: request.started.elapsed() });
        }
        Ok(file(FileId::from_u64(at as u64), document.path.unwrap_or_default(), document.text))
    }
}

fn scores(files: Vec<StoredFile>, request: &RerankRequest<'_>) -> Result<Vec<f32>, EngineError> {
    let index = Index::from_files(files)?;
    let mut scores = vec![0.0; request.documents.len()];
    for (id, relevance) in index.relevances(request.query, StaticModel::builtin())? {
        scores[id.to_u64() as usize] = relevance;
    }
    Ok(scores)
}

/// Longer texts are chunked by lines: what is ranked are parts of files, and a parse takes up to 300 bytes of memory for each
/// byte of a text such as `((((`.
const MAX_PARSED_BYTES: usize = 64 << 10;

/// The stored form of a file at `path` with this text.
fn file(id: FileId, path: &str, text: &str) -> StoredFile {
    let language = craig_source::language(path, text);
    let outline = match text.len() <= MAX_PARSED_BYTES {
        true => craig_chunk::chunk(language, text),
        false => craig_chunk::chunk(Language::Text, text),
    };
    StoredFile {
        record: FileRecord {
            id,
            path: path.to_owned(),
            is_binary: false,
            language,
            kind: language.kind(),
            file_type: FileType::Text,
            withheld: None,
            size: text.len() as u64,
            file_hash: String::new(),
            text_hash: None,
        },
        chunks: outline.chunks.iter().map(|chunk| stored(chunk, text)).collect(),
        text: text.to_owned(),
        symbols: outline.symbols,
        imports: outline.imports,
        parsed: outline.parsed,
    }
}

fn stored(chunk: &craig_chunk::Chunk, text: &str) -> StoredChunk {
    StoredChunk {
        start_byte: chunk.bytes.start as u32,
        end_byte: chunk.bytes.end as u32,
        overlap_bytes: chunk.overlap_bytes as u32,
        line_start: chunk.line_start,
        line_end: chunk.line_end,
        kind: chunk.kind,
        symbol_name: chunk.symbol_name.clone(),
        parent: chunk.parent.clone(),
        text_hash: TextHash::new(chunk.text(text)),
        vector: None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn scores_of(query: &str, documents: &[(Option<&str>, &str)]) -> Vec<f32> {
        let documents: Vec<Document<'_>> =
            documents.iter().map(|&(path, text)| Document { path, text, score: 0.0 }).collect();
        let request = RerankRequest::new(query, &documents, Duration::from_secs(60));
        TextRanking.rerank(&request).unwrap().scores(documents.len())
    }

    const CODE: &str =
        "/// Takes a token back.\npub fn revoke(token: &Token) {\n    store.remove(token);\n}\n";
    const TEST: &str = "#[test]\nfn revoke_token() {\n    let token = issue();\n    revoke(&token);\n}\n";

    #[test]
    fn code_stands_above_its_test_and_what_has_nothing_to_do_with_it_is_unlikely() {
        let other = "pub fn area(circle: &Circle) -> f64 {\n    PI * circle.radius * circle.radius\n}\n";
        let scores = scores_of(
            "how is a token revoked",
            &[(Some("tests/revoke.rs"), TEST), (Some("src/shapes.rs"), other), (Some("src/token.rs"), CODE)],
        );
        assert!(scores[2] > scores[0] && scores[0] > scores[1] && scores[1] < 0.3, "{scores:?}");
    }

    #[test]
    fn documents_of_one_path_are_ranked_apart() {
        let scores = scores_of("revoke", &[(Some("a.rs"), "fn issue() {}"), (Some("a.rs"), CODE)]);
        assert!(scores[1] > scores[0], "{scores:?}");
    }

    #[test]
    fn the_time_is_kept() {
        let documents = [Document { path: Some("a.rs"), text: CODE, score: 0.0 }];
        let request = RerankRequest::new("token", &documents, Duration::ZERO);
        let error = TextRanking.rerank(&request).unwrap_err();
        assert!(matches!(error, ModelError::TimedOut { .. }), "{error}");
    }

    #[test]
    fn any_query_and_any_documents_have_an_answer() {
        for query in ["", "???", "token"] {
            for documents in [
                &[][..],
                &[(None, "")],
                &[(Some(""), ""), (Some("a.rs"), "\u{0}")],
                &[(None, CODE), (Some("a"), CODE)],
            ] {
                let scores = scores_of(query, documents);
                assert_eq!(scores.len(), documents.len());
                assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)), "{query:?} {scores:?}");
            }
        }
    }
}
