//! The built-in ranking of texts that anybody hands in: what a search would say if they were all that there is.

use std::time::Instant;

use craig_model::{
    BuiltinReranker, Document, Embedding, ModelError, RerankRequest, Reranker as _, StaticModel,
};
use craig_search::{Index, has_words};
use craig_source::FileType;
use craig_store::{FileId, FileRecord, StoredChunk, StoredFile, TextHash};
use rayon::prelude::*;

use crate::EngineError;

/// How relevant each document is to the query, 0 to 1, in their order.
///
/// Each is cut as the file of its path would be, indexed, and ranked as a search ranks the files of a project: by names and
/// definitions as well as by words and vectors. Without all paths neither languages nor the parts that files play are
/// known, and texts alone are compared, see [`BuiltinReranker`].
///
/// Gives up at the deadline.
pub(crate) fn relevances(request: &RerankRequest<'_>) -> Result<Vec<f32>, EngineError> {
    let known = |document: &Document<'_>| document.path.is_some_and(|path| !path.is_empty());
    if !has_words(request.query) || !request.documents.iter().all(known) {
        return Ok(BuiltinReranker.rerank(request)?);
    }
    let started = Instant::now();
    let files = request.documents.par_iter().enumerate().map(|(at, document)| {
        if Instant::now() >= request.deadline {
            let provider = BuiltinReranker.name().to_owned();
            return Err(ModelError::TimedOut { provider, waited: started.elapsed() });
        }
        Ok(file(FileId::from_u64(at as u64), document.path.unwrap_or_default(), document.text))
    });
    let index = Index::from_files(files.collect::<Result<_, _>>()?)?;
    let mut relevances = vec![0.0; request.documents.len()];
    for (id, relevance) in index.relevances(request.query, StaticModel::builtin())? {
        relevances[id.to_u64() as usize] = relevance;
    }
    Ok(relevances)
}

/// What the store would hold of a file at `path` with this text.
fn file(id: FileId, path: &str, text: &str) -> StoredFile {
    let language = craig_source::language(path, text);
    let outline = craig_chunk::chunk(language, text);
    let texts: Vec<&str> = outline.chunks.iter().map(|chunk| chunk.text(text)).collect();
    let vectors = StaticModel::builtin().documents(&texts);
    let chunks = outline.chunks.iter().zip(texts.iter().zip(&vectors));
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
            modified_date: None,
            file_hash: String::new(),
            text_hash: None,
        },
        chunks: chunks.map(|(chunk, (text, vector))| stored(chunk, text, vector)).collect(),
        text: text.to_owned(),
        symbols: outline.symbols,
        imports: outline.imports,
        parsed: outline.parsed,
    }
}

fn stored(chunk: &craig_chunk::Chunk, text: &str, vector: &Embedding) -> StoredChunk {
    StoredChunk {
        start_byte: chunk.bytes.start as u32,
        end_byte: chunk.bytes.end as u32,
        overlap_bytes: chunk.overlap_bytes as u32,
        line_start: chunk.line_start,
        line_end: chunk.line_end,
        kind: chunk.kind,
        symbol_name: chunk.symbol_name.clone(),
        parent: chunk.parent.clone(),
        text_hash: TextHash::new(text),
        vector: Some(vector.quantized()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn relevances_of(query: &str, documents: &[(Option<&str>, &str)]) -> Vec<f32> {
        let documents: Vec<Document<'_>> =
            documents.iter().map(|&(path, text)| Document { path, text, score: 0.0 }).collect();
        let deadline = Instant::now() + Duration::from_secs(60);
        relevances(&RerankRequest { query, documents: &documents, deadline }).unwrap()
    }

    const CODE: &str =
        "/// Takes a token back.\npub fn revoke(token: &Token) {\n    store.remove(token);\n}\n";
    const TEST: &str = "#[test]\nfn revoke_token() {\n    let token = issue();\n    revoke(&token);\n}\n";

    #[test]
    fn code_stands_above_its_test_and_what_has_nothing_to_do_with_it_is_unlikely() {
        let other = "pub fn area(circle: &Circle) -> f64 {\n    PI * circle.radius * circle.radius\n}\n";
        let told = relevances_of(
            "how is a token revoked",
            &[(Some("tests/revoke.rs"), TEST), (Some("src/shapes.rs"), other), (Some("src/token.rs"), CODE)],
        );
        assert!(told[2] > told[0] && told[0] > told[1] && told[1] < 0.3, "{told:?}");
    }

    #[test]
    fn documents_of_one_path_are_told_apart() {
        let told = relevances_of("revoke", &[(Some("a.rs"), "fn issue() {}"), (Some("a.rs"), CODE)]);
        assert!(told[1] > told[0], "{told:?}");
    }

    #[test]
    fn the_time_is_kept() {
        let documents = [Document { path: Some("a.rs"), text: CODE, score: 0.0 }];
        let request = RerankRequest { query: "token", documents: &documents, deadline: Instant::now() };
        let error = relevances(&request).unwrap_err();
        assert!(matches!(error, EngineError::Model(ModelError::TimedOut { .. })), "{error}");
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
                let told = relevances_of(query, documents);
                assert_eq!(told.len(), documents.len());
                assert!(told.iter().all(|one| (0.0..=1.0).contains(one)), "{query:?} {told:?}");
            }
        }
    }
}
