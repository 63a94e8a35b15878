//! The features that chunks are ranked by.

use crate::features::features;

features! {
    /// The features of a chunk for one query, in the order of [`CHUNK_FEATURE_NAMES`].
    ///
    /// What is "below the best" is compared with the other chunks of the pool.
    ChunkFeatures, CHUNK_FEATURE_NAMES:
    /// ln of the rank of its file, from 1.
    file_rank,
    /// Score of its file below that of the best file.
    file_gap,
    /// Softmax probability of its file among the candidates.
    file_share,
    /// Relevance of its file.
    file_relevance,
    /// Share of the query's idf covered by the text of its file.
    file_coverage,
    /// Cosine of the best chunk of its file.
    file_cosine,
    /// BM25 of its text over the sum of the query's idf.
    body,
    /// BM25 of the names that it defines, likewise.
    symbol,
    /// Share of the query's idf covered by its text.
    coverage,
    /// The same by its text, its path and the names of what it defines and what encloses it.
    coverage_all,
    /// Cosine.
    cosine,
    /// Cosine of its path and names.
    label,
    /// It defines a name that the query asks for: 1 if certainly, ½ if possibly.
    defines,
    /// Share of the words of its symbol that occur in the query.
    name_precision,
    /// Share of the query's idf covered by the name of what encloses it.
    parent_coverage,
    /// Largest BM25 of the pieces of its symbol.
    body_symbol,
    /// Largest cosine of the pieces of its symbol.
    cosine_symbol,
    /// BM25 of the chunk before it.
    body_before,
    /// BM25 of the chunk after it.
    body_after,
    /// The index of its kind among the kinds of chunks.
    kind,
    /// Pieces of its symbol.
    n_pieces,
    /// Lines.
    n_lines,
    /// ln(1 + body terms).
    log_tokens,
    /// Share of its lines that are comments.
    comment_share,
    /// Share of its file's chunks that come before it.
    position,
    /// ln(1 + chunks of its file).
    log_chunks,
    /// It is in a test.
    is_test,
    /// It is in documentation.
    is_docs,
    /// Words of the query.
    n_terms,
    /// Mean idf of the words of the query.
    mean_idf,
    /// Share of the query's idf that no text of the project covers.
    unknown_share,
    /// Largest coverage with path and names in the pool.
    best_coverage,
    /// Largest cosine in the pool.
    best_cosine,
    /// Largest relevance of a file.
    best_file_relevance,
    /// The score by which the pool was chosen: BM25, cosines and definitions combined.
    blend,
    /// The same below the best.
    blend_below,
    /// The same below the best of its file.
    blend_below_file,
    /// Coverage with path and names below the best.
    coverage_below,
    /// The same below the best of its file.
    coverage_below_file,
    /// BM25 of its symbol below the best.
    body_symbol_below,
    /// The same below the best of its file.
    body_symbol_below_file,
    /// Cosine of its symbol below the best.
    cosine_symbol_below,
    /// The same below the best of its file.
    cosine_symbol_below_file,
    /// Cosine of its path and names below the best.
    label_below,
    /// Longest run of words that the query and its text share, for the first chunks of a pasted message; else 0.
    phrase,
}
