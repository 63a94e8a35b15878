//! Whether a message follows up on earlier ones of its conversation.

use craig_text::{is_conversational, lower_words};

/// Words that stand for what an earlier message named.
const PRONOUNS: [&str; 12] =
    ["it", "its", "one", "ones", "that", "their", "them", "there", "these", "they", "this", "those"];

/// Content words of a message that count, at most.
const MOST_WORDS: usize = 6;

/// Shorter words rarely tell anything.
const MIN_CHARS: usize = 3;

/// Log-odds that a message without words follows up, and what a pronoun, each content word and words that the project lacks
/// add: a logistic regression on 134 follow-ups and 1,619 about something else (decision 036).
const BIAS: f32 = 2.1;
const PRONOUN: f32 = 2.4;
const WORD: f32 = -0.4;
const UNKNOWN: f32 = -4.0;

/// Whether `message` follows up on the earlier ones: it has a pronoun or few words of its own, and most of them occur in the
/// project. `unknown_share` is the share of its words' idf that no text of the project covers.
pub(crate) fn follows_up(message: &str, unknown_share: f32) -> bool {
    let words: Vec<String> = lower_words(message).collect();
    let is_content = |word: &&String| word.len() >= MIN_CHARS && !is_conversational(word);
    let n_words = words.iter().filter(is_content).count().min(MOST_WORDS);
    let has_pronoun = words.iter().any(|word| PRONOUNS.contains(&word.as_str()));
    let pronoun = if has_pronoun { PRONOUN } else { 0.0 };
    BIAS + pronoun + WORD * n_words as f32 + UNKNOWN * unknown_share > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_messages_and_pronouns_follow_up() {
        for message in
            ["why?", "jitter?", "and upper/lower case?", "what happens when the other side is down?"]
        {
            assert!(follows_up(message, 0.0), "{message}");
        }
        let long = "does it retry when the upstream server closes the connection early with a reset";
        assert!(follows_up(long, 0.2));
    }

    #[test]
    fn messages_that_stand_alone_do_not() {
        assert!(!follows_up("where are the metrics of the running workers sent to the statsd server", 0.0));
        assert!(!follows_up("write a haiku about autumn", 0.85));
        assert!(!follows_up("is it rude to arrive late to a dinner party", 0.8));
    }
}
