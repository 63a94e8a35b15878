//! The built-in reranker: needs no index, no files and no network, so it works on any texts.

use std::collections::HashSet;

use craig_text::{is_character, runs, stems};

use super::{Ranking, RerankRequest, Reranker, logistic};
use crate::{ModelError, StaticModel};

/// Scores documents by how near their vectors are to the query's, and by how much of the query they hold.
///
/// score = σ(b + c₁·cosine + c₂·words + c₃·names): `words` is the share of the query's words, by the weight that the
/// built-in embedding learnt for each, that the document holds; `names` the share of its identifiers of several words.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltinReranker;

/// Weights of the sum. They put what answers a question above ½ and what has nothing to do with it below ⅒ on the texts
/// of this file's tests; nothing is fitted to more than that, so scores are to be compared, not believed.
const BIAS: f32 = -4.5;
const COSINE: f32 = 6.0;
const WORDS: f32 = 4.0;
const NAMES: f32 = 1.5;

/// What counts for the cosine of a text with all words of the query, where they are of scripts that have no vectors.
const UNREAD_COSINE: f32 = 0.6;

impl Reranker for BuiltinReranker {
    fn name(&self) -> &str {
        "built-in"
    }

    fn rerank(&self, request: &RerankRequest<'_>) -> Result<Ranking, ModelError> {
        let model = StaticModel::builtin();
        let query = model.query(request.query);
        let words = model.query_words(request.query);
        let names = names(request.query);
        let unread = unread_words(request.query);
        let unread_share = unread.len() as f32 / (unread.len() + words.len()).max(1) as f32;
        let mut tokens = model.tokens();
        let scores = request.documents.iter().map(|document| {
            let counted = tokens.counted(document.text);
            let held: HashSet<u32> = counted.iter().map(|(row, _)| *row).collect();
            let (cosine, words) = (
                query.cosine(&model.document_of(counted)),
                share(&words, |(row, _)| held.contains(row), |(_, weight)| *weight),
            );
            let unread = match unread.is_empty() {
                true => 0.0,
                false => {
                    let held: HashSet<String> = unread_words(document.text).into_iter().collect();
                    share(&unread, |word| held.contains(word), |_| 1.0)
                }
            };
            let mixed = |read: f32, unread: f32| (1.0 - unread_share) * read + unread_share * unread;
            let sum = BIAS
                + COSINE * mixed(cosine, UNREAD_COSINE * unread)
                + WORDS * mixed(words, unread)
                + NAMES * share(&names, |name| document.text.contains(*name), |_| 1.0);
            logistic(sum)
        });
        Ok(Ranking::from_scores(scores))
    }
}

/// Words of scripts that the built-in embedding has none of: pairs of characters where no spaces are written.
fn unread_words(text: &str) -> Vec<String> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut words: Vec<String> = stems(text).filter(|word| !word.is_ascii() && !is_character(word)).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Identifiers that join several words, as they are written: nobody types those by accident.
fn names(query: &str) -> Vec<&str> {
    let joins =
        |name: &&str| name.len() > 3 && (name.contains('_') || name.chars().skip(1).any(char::is_uppercase));
    runs(query).map(|word| word.text).filter(joins).collect()
}

/// Weight of the items that are held over the weight of all; 0 when there are none.
fn share<T>(items: &[T], is_held: impl Fn(&T) -> bool, weight: impl Fn(&T) -> f32) -> f32 {
    let all: f32 = items.iter().map(&weight).sum();
    let held: f32 = items.iter().filter(|item| is_held(item)).map(&weight).sum();
    if all > 0.0 { held / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::Document;

    fn scores(query: &str, texts: &[&str]) -> Vec<f32> {
        let documents: Vec<_> = texts.iter().map(|text| Document { path: None, text, score: 0.0 }).collect();
        let request = RerankRequest::new(query, &documents, Duration::from_secs(60));
        BuiltinReranker.rerank(&request).unwrap().scores(texts.len())
    }

    #[test]
    fn what_answers_is_above_what_does_not() {
        let scores = scores(
            "how are passwords checked at login",
            &[
                "fn multiply(a: &Matrix, b: &Matrix) -> Matrix { rows * columns }",
                "/// Checks the password of a login.\nfn verify_password(user: &User, secret: &str) -> bool { hash(secret) == user.hash }",
                "# Changelog\n\nThe format follows Keep a Changelog.",
            ],
        );
        assert!(scores[1] > 0.3 && scores[0] < 0.1 && scores[2] < 0.1, "{scores:?}");
    }

    #[test]
    fn words_of_other_scripts_are_compared() {
        let scores = scores(
            "会话什么时候过期",
            &["// 新用户注册后发送欢迎邮件", "// 会话在三十分钟无操作后过期", "fn expire() {}"],
        );
        assert!(scores[1] > scores[0] && scores[1] > scores[2], "{scores:?}");
    }

    #[test]
    fn a_name_is_found_as_it_is_written() {
        let scores = scores(
            "where is parseHttpResponse",
            &["function parseHttpResponse(text) {}", "parse an http response"],
        );
        assert!(scores[0] > scores[1], "{scores:?}");
    }

    #[test]
    fn scores_are_probabilities_for_any_text() {
        for (query, text) in [("", ""), ("日本語", "日本語"), ("a", "\u{0}"), ("x", "x")] {
            let scores = scores(query, &[text]);
            assert!((0.0..=1.0).contains(&scores[0]), "{query:?} {scores:?}");
        }
    }
}
