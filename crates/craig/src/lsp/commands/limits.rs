//! How much of an explanation an editor wants.

use craig_engine::Explanation;

/// Limits that an editor sets; none of them by default.
#[derive(Debug, Default)]
pub(super) struct Limits {
    /// Maximum number of sections of the documentation.
    pub(super) max_sources: Option<usize>,
    /// Minimum confidence, 0 to 1; what is less sure counts as not documented.
    pub(super) min_confidence: Option<f32>,
    /// Maximum total length of the quotes, in bytes; the first quote is always given.
    pub(super) max_length: Option<usize>,
}

impl Limits {
    /// What is left of an explanation: its first quotes, and the sections that they are from.
    pub(super) fn apply(&self, mut explanation: Explanation) -> Explanation {
        if explanation.confidence < self.min_confidence.unwrap_or_default() {
            let mut refusal =
                Explanation::not_documented(explanation.symbol.as_deref(), explanation.confidence);
            refusal.comment = explanation.comment.take();
            return refusal;
        }
        let kept = self.n_quotes(&explanation);
        if kept < explanation.bullets.len() {
            explanation.truncate(kept);
        }
        explanation
    }

    fn n_quotes(&self, explanation: &Explanation) -> usize {
        let max_sources = self.max_sources.unwrap_or(usize::MAX).max(1);
        let max_length = self.max_length.unwrap_or(usize::MAX);
        let mut length = 0;
        let fits = |bullet: &&craig_engine::Bullet| {
            let is_first = length == 0;
            length += bullet.text.len();
            bullet.citation < max_sources && (is_first || length <= max_length)
        };
        explanation.bullets.iter().take_while(fits).count()
    }
}

#[cfg(test)]
mod tests {
    use craig_engine::{Bullet, Citation, ExplanationKind};
    use expect_test::{Expect, expect};

    use super::*;

    fn three_quotes() -> Explanation {
        let bullet = |text: &str, citation, line| Bullet {
            text: text.to_owned(),
            kind: ExplanationKind::Documented,
            citation,
            line,
        };
        let citation = |file_path: &str, relevance_score| Citation {
            file_path: file_path.to_owned(),
            section_heading: "Client".to_owned(),
            heading_line: 1,
            relevance_score,
        };
        let mut explanation = Explanation::not_documented(Some("Client"), 0.8);
        explanation.has_relevant_docs = true;
        explanation.bullets =
            vec![bullet("Sends.", 0, 2), bullet("Waits.\nAgain.", 0, 3), bullet("Ends.", 1, 9)];
        explanation.citations = vec![citation("a.md", 0.8), citation("b.md", 0.5)];
        explanation
    }

    fn check(limits: &Limits, expected: &Expect) {
        let left = limits.apply(three_quotes());
        let sources: Vec<&str> = left.citations.iter().map(|citation| citation.file_path.as_str()).collect();
        expected.assert_eq(&format!("{}\n{sources:?}", left.explanation));
    }

    #[test]
    fn what_is_left_cites_what_it_quotes() {
        let expected = expect![[r#"
            - Sends.
            - Waits.
              Again.
            ["a.md"]"#]];
        check(&Limits { max_sources: Some(1), ..Limits::default() }, &expected);
        check(&Limits { max_length: Some(20), ..Limits::default() }, &expected);
        let expected = expect![[r#"
            - Sends.
            ["a.md"]"#]];
        check(&Limits { max_length: Some(1), ..Limits::default() }, &expected);
        let expected = expect![[r#"
            Not documented.
            []"#]];
        check(&Limits { min_confidence: Some(0.9), ..Limits::default() }, &expected);
    }

    #[test]
    fn without_limits_all_is_left() {
        assert_eq!(Limits::default().apply(three_quotes()), three_quotes());
    }
}
