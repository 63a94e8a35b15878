//! The query of a chat message.

use craig_text::{distinct, is_conversational};

use super::prose::prose;
use super::words::{Token, tokens};

/// The query of a chat message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatQuery {
    /// The question without what only makes it polite.
    pub text: String,
    /// The earlier messages, likewise; none if they have no content words.
    pub history: Option<String>,
    /// Content words, lower-cased, each once, in order of appearance; if there are none, those of the earlier messages.
    pub keywords: Vec<String>,
    /// Names written as code, as they are written: `fetchUser`, `config.load`.
    pub names: Vec<String>,
}

/// Earlier messages that count, and bytes of each: the beginning of a long answer shows its subject.
const N_EARLIER: usize = 2;
const MAX_EARLIER_BYTES: usize = 400;

/// Shorter words are left out, as they rarely tell anything.
const MIN_KEYWORD_CHARS: usize = 3;

impl ChatQuery {
    /// Reads `message`; `history` holds the earlier messages, oldest first.
    pub fn new(message: &str, history: &[&str]) -> Self {
        let cleaned = without_courtesy(&prose(message));
        let own = Words::from_tokens(&tokens(&cleaned));
        let code = Words::from_tokens(&tokens(message));
        let before = before(history);
        let mut query = Self { text: cleaned, history: None, keywords: own.keywords, names: code.names };
        if query.keywords.is_empty()
            && let Some(before) = &before
        {
            query.keywords = Words::from_tokens(&tokens(before)).keywords;
        }
        if query.keywords.is_empty() {
            // The whole message is code.
            query.keywords = code.keywords;
            query.text = if query.text.is_empty() { message.trim().to_owned() } else { query.text };
        }
        query.history = before;
        query.keywords = distinct(query.keywords).collect();
        query.names = distinct(query.names).collect();
        query
    }
}

/// The latest earlier messages with telling words.
fn before(history: &[&str]) -> Option<String> {
    let found = history.iter().rev().filter_map(|message| {
        let message = &message[..message.floor_char_boundary(MAX_EARLIER_BYTES)];
        let cleaned = without_courtesy(&prose(message));
        tokens(&cleaned).iter().any(is_telling).then_some(cleaned)
    });
    let mut found: Vec<String> = found.take(N_EARLIER).collect();
    found.reverse();
    (!found.is_empty()).then(|| found.join("\n"))
}

/// Telling words of a text.
#[derive(Default)]
struct Words {
    keywords: Vec<String>,
    names: Vec<String>,
}

impl Words {
    fn from_tokens(tokens: &[Token<'_>]) -> Self {
        let mut words = Self::default();
        for token in tokens.iter().filter(|token| is_telling(token)) {
            if token.is_name() {
                words.names.push(token.text.to_owned());
            }
            if !words.keywords.contains(&token.lower) {
                words.keywords.push(token.lower.clone());
            }
        }
        words
    }
}

fn is_telling(token: &Token<'_>) -> bool {
    let is_long = token.text.chars().count() >= MIN_KEYWORD_CHARS || !token.text.is_ascii();
    let is_number = token.text.chars().all(|c| c.is_ascii_digit() || c == '.');
    token.is_name() || is_long && !is_number && !is_conversational(&token.lower)
}

/// Phrases that make a question polite, or say that it is about the project; longest first where they begin alike.
const COURTESIES: &[&str] = &[
    "can you please",
    "could you please",
    "would you please",
    "can you",
    "could you",
    "would you mind",
    "would you",
    "can i ask",
    "can we",
    "i would like to know",
    "i'd like to know",
    "i want to know",
    "i would like to understand",
    "i'd like to understand",
    "i want to understand",
    "i am trying to understand",
    "i'm trying to understand",
    "i am trying to",
    "i'm trying to",
    "i was wondering",
    "i am wondering",
    "i'm wondering",
    "i need to know",
    "do you know",
    "help me understand",
    "help me",
    "explain to me",
    "explain me",
    "tell me more about",
    "tell me about",
    "tell me",
    "show me",
    "let me know",
    "i am new here",
    "i'm new here",
    "i am new to this project",
    "i'm new to this project",
    "i am new to this codebase",
    "i'm new to this codebase",
    "thank you",
    "thanks in advance",
    "thanks a lot",
    "thanks",
    "please",
    "hello",
    "hi there",
    "hi",
    "hey",
    "good morning",
    "ok so",
    "okay so",
    "quick question",
    "in this project",
    "in this repository",
    "in this repo",
    "in this codebase",
    "in this code base",
    "in this workspace",
    "in our project",
    "in our codebase",
    "in our code base",
    "in our repo",
    "in the codebase",
    "in the code base",
    "in the project",
    "in the repo",
    "in the repository",
    "in my project",
    "of this project",
    "of this repo",
    "of this repository",
    "of this codebase",
];

/// Removes polite phrases anywhere in the text.
fn without_courtesy(text: &str) -> String {
    let found = tokens(text);
    let mut kept = String::new();
    let mut from = 0;
    let mut at = 0;
    while at < found.len() {
        match courtesy_at(&found[at..]) {
            0 => at += 1,
            n_words => {
                kept += &text[from..found[at].bytes.start];
                from = found[at + n_words - 1].bytes.end;
                at += n_words;
            }
        }
    }
    kept += &text[from..];
    let kept = kept.split_whitespace().collect::<Vec<_>>().join(" ");
    kept.replace(" ?", "?").trim_start_matches([',', '.', ';', ':', '!', '?', '-', ' ', '\'']).to_owned()
}

/// Words of the courtesy that begins here; 0 when none does.
fn courtesy_at(tokens: &[Token<'_>]) -> usize {
    let fits = |phrase: &str| {
        let words: Vec<&str> = phrase.split([' ', '\'']).collect();
        let is_it = words.len() <= tokens.len()
            && words.iter().zip(tokens).all(|(word, token)| token.lower == *word && !token.is_marked);
        is_it.then_some(words.len())
    };
    COURTESIES.iter().filter_map(|phrase| fits(phrase)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "as expect! makes it")]
    fn check(history: &[&str], message: &str, expected: Expect) {
        let query = ChatQuery::new(message, history);
        let before = query.history.map(|before| format!(" after {before}")).unwrap_or_default();
        let names =
            if query.names.is_empty() { String::new() } else { format!(" names {}", query.names.join(" ")) };
        expected.assert_eq(&format!("{} | {}{names}{before}", query.text, query.keywords.join(" ")));
    }

    #[test]
    fn keywords_are_the_telling_words() {
        check(
            &[],
            "How does authentication work?",
            expect!["How does authentication work? | authentication"],
        );
        check(
            &[],
            "How does user authentication work in this project?",
            expect!["How does user authentication work? | user authentication"],
        );
        check(
            &[],
            "Hi! Can you please tell me where the retry logic is, thanks",
            expect!["where the retry logic is, | retry logic"],
        );
        check(
            &[],
            "what does fetchUser() do with the SESSION_KEY and `id`?",
            expect![
                "what does fetchUser() do with the SESSION_KEY and `id`? | fetchuser session_key id names fetchUser SESSION_KEY id"
            ],
        );
        check(
            &[],
            "Where are Tokens, tokens and TOKENS checked",
            expect!["Where are Tokens, tokens and TOKENS checked | tokens checked"],
        );
        check(
            &[],
            "Wo wird die Größe geprüft? 認証 はどこ",
            expect!["Wo wird die Größe geprüft? 認証 はどこ | wird die größe geprüft 認証 はどこ"],
        );
        check(&[], "hello there, thanks!", expect!["there, ! | "]);
        check(
            &[],
            "why is this slow?\n```\nlet x = parse_all(input);\n```",
            expect!["why is this slow? | slow names parse_all"],
        );
        check(&[], "", expect![" | "]);
    }

    #[test]
    fn earlier_messages_with_telling_words_count() {
        check(
            &["How does authentication work?", "thanks!", "Hi, where is `SessionStore` defined?"],
            "and how is it tested?",
            expect![
                "and how is it tested? | tested after How does authentication work?\nwhere is `SessionStore` defined?"
            ],
        );
        check(
            &["How does authentication work?"],
            "why?",
            expect!["why? | authentication after How does authentication work?"],
        );
        check(&["thanks!"], "and how is it tested?", expect!["and how is it tested? | tested"]);
    }
}
