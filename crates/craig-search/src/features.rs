//! The ranker's features.

macro_rules! features {
    ($(#[$of:meta])* $features:ident, $names:ident: $($(#[$doc:meta])* $name:ident),* $(,)?) => {
        $(#[$of])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $features { $($(#[$doc])* pub $name: f32),* }

        /// Names of the features, in order.
        pub const $names: &[&str] = &[$(stringify!($name)),*];

        impl $features {
            /// The values in the order of their names.
            pub fn to_array(self) -> [f32; $names.len()] {
                [$(self.$name),*]
            }

            /// The features of values in the order of their names.
            pub fn from_array([$($name),*]: [f32; $names.len()]) -> Self {
                Self { $($name),* }
            }

            /// The same with the features of these names set to 0.
            pub fn without(self, names: &[&str]) -> Self {
                let ablated = |name, value| if names.contains(&name) { 0.0 } else { value };
                Self { $($name: ablated(stringify!($name), self.$name)),* }
            }
        }
    };
}

pub(crate) use features;

features! {
    /// The features of a candidate file for one query, in the order of [`FEATURE_NAMES`].
    Features, FEATURE_NAMES:
    /// BM25 of its best chunk's text over the sum of the query's idf.
    body_best,
    /// Sum of BM25 of its three best chunks, likewise.
    body_three,
    /// BM25 of the file as one text, likewise.
    body_file,
    /// TopK BM25 of the names that one chunk defines, likewise.
    symbol_best,
    /// BM25 of all names that the file defines, likewise.
    symbol_file,
    /// Share of the query's path idf covered by its path.
    path_coverage,
    /// Share of the query's path idf covered by the name of its folder.
    folder_coverage,
    /// Share of the query's path idf covered by its name.
    name_coverage,
    /// Share of its name's words that occur in the query.
    name_precision,
    /// Share of its name's words that are a prefix of a word of the query, or that have one as a prefix.
    name_prefix,
    /// Number of words in its name.
    name_words,
    /// ln(1 + chunks of the project that contain its name).
    name_used,
    /// Its whole name is a name that the query asks for: 1 if certainly, ½ if possibly.
    name_exact,
    /// It defines a name that the query asks for: 1 if certainly, ½ if possibly, over the root of the number of chunks that define it.
    definition_exact,
    /// It defines a type or module that the query asks for, likewise.
    type_exact,
    /// Number of names that it defines and the query may ask for.
    n_defined,
    /// Idf of the compounds of query words that its text contains, over the sum of the query's idf.
    compound_body,
    /// The same for the names that it defines.
    compound_symbol,
    /// Share of the query's idf covered by its text.
    coverage_file,
    /// Largest share of the query's idf covered by one chunk.
    coverage_chunk,
    /// Share of the query's idf covered by its first chunk.
    coverage_head,
    /// Cosine of its best chunk.
    dense_best,
    /// Mean cosine of its three best chunks.
    dense_three,
    /// Cosine of its best chunk's path and names.
    label_best,
    /// Mean cosine of its three best chunks' paths and names.
    label_three,
    /// Cosine of its path.
    dense_path,
    /// Cosine of its name.
    dense_name,
    /// Cosine of the names that it defines.
    dense_symbols,
    /// Cosine of its first lines.
    dense_head,
    /// Cosine of its text.
    dense_whole,
    /// It is a test.
    is_test,
    /// It is an example.
    is_example,
    /// It is vendored or generated, not written for the project.
    is_vendored,
    /// It contains declarations only.
    is_stub,
    /// It only re-exports the names of other modules.
    is_barrel,
    /// It is the variant of one platform other than Unix.
    is_other_platform,
    /// Its path marks it as internal.
    is_internal,
    /// Its path marks it as old: deprecated, legacy, kept for compatibility.
    is_legacy,
    /// It is named like an entry point of a program or library: `main`, `app`, `lib`, `core`.
    is_entry,
    /// It is named like a collection of types.
    is_types,
    /// It is documentation.
    is_docs,
    /// It is configuration or data.
    is_config,
    /// ln(1 + body terms).
    log_tokens,
    /// ln(1 + definitions).
    log_definitions,
    /// ln(1 + chunks).
    log_chunks,
    /// ln(1 + imports).
    log_imports,
    /// Largest ln(1 + chunks of the project that contain the name) of its main definitions.
    used_most,
    /// Mean of the same values.
    used_mean,
    /// Number of folders above it.
    depth,
    /// ln(1 + other candidates in the folder of its own name).
    hub,
    /// ln(1 + other candidates in its folder).
    siblings,
    /// The query is one identifier.
    asks_symbol,
    /// The query is a question.
    asks_question,
    /// The query is a report, as the text of an issue.
    asks_report,
    /// Words of the query.
    n_terms,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ablated_features_are_zero() {
        let features = Features { body_best: 0.5, is_test: 1.0, ..Features::default() };
        let ablated = Features { body_best: 0.5, ..Features::default() };
        assert_eq!(features.without(&["is_test", "depth"]), ablated);
        assert_eq!(features.without(&[]), features);
    }
}
