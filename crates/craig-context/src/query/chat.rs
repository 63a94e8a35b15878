//! What a chat message asks for.

use craig_text::is_conversational;

use super::prose::prose;
use super::words::{Token, tokens};

/// What a chat message asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatQuery {
    /// The question without what only makes it polite; what it points back to is put in.
    pub text: String,
    /// The same without what it points back to.
    pub question: String,
    /// Telling words, lower-cased, each once, in order of appearance; of a follow-up, those of its subject come last.
    pub keywords: Vec<String>,
    /// Names written as code, as they are written: `fetchUser`, `config.load`.
    pub names: Vec<String>,
    /// Its subject was taken from earlier messages.
    pub is_follow_up: bool,
}

/// Most words that a follow-up takes from earlier messages.
const MAX_SUBJECT_WORDS: usize = 6;

/// An earlier message says what it is about at its beginning: the rest of a long answer is not read.
const MAX_HISTORY_BYTES: usize = 400;

/// Shorter words are left out, as they rarely tell anything.
const MIN_KEYWORD_CHARS: usize = 3;

impl ChatQuery {
    /// Reads `message`; `history` holds the earlier messages, oldest first.
    pub fn new(message: &str, history: &[&str]) -> Self {
        let cleaned = without_courtesy(&prose(message));
        let found = tokens(&cleaned);
        let own = Words::from_tokens(&found);
        let subject = points_back(&found, &own).then(|| subject_of(history)).flatten();
        let code = Words::from_tokens(&tokens(message));
        let mut query = Self {
            text: cleaned.clone(),
            question: cleaned.clone(),
            keywords: own.keywords,
            names: code.names,
            is_follow_up: false,
        };
        if let Some(subject) = subject {
            query.text = with_subject(&cleaned, &found, &subject.as_written.join(" "));
            query.is_follow_up = true;
            query.keywords.extend(subject.keywords);
            query.names.extend(subject.names);
        }
        dedup(&mut query.keywords);
        dedup(&mut query.names);
        if query.keywords.is_empty() {
            // All that was told is code.
            query.keywords = code.keywords;
            query.text = if query.text.is_empty() { message.trim().to_owned() } else { query.text };
        }
        query
    }
}

/// Telling words of a text.
#[derive(Clone, Default)]
struct Words {
    keywords: Vec<String>,
    /// The same as they are written.
    as_written: Vec<String>,
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
                words.as_written.push(token.text.to_owned());
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

fn dedup(words: &mut Vec<String>) {
    let mut seen = std::collections::HashSet::new();
    words.retain(|word| seen.insert(word.clone()));
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

/// Takes courtesies out, wherever they stand.
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

/// Words that stand for what was spoken of.
const PRONOUNS: &[&str] = &["it", "its", "this", "that", "these", "those", "they", "them", "their", "itself"];

/// Beginnings of questions that go on with the last one.
const GOES_ON: &[&[&str]] = &[
    &["and"],
    &["but"],
    &["also"],
    &["so"],
    &["then"],
    &["what", "about"],
    &["how", "about"],
    &["what", "else"],
    &["why", "not"],
    &["any", "other"],
    &["anything", "else"],
];

/// Most own words of a question that goes on with the last one because of how it begins.
const MAX_OWN_WORDS: usize = 3;

/// Whether the message needs earlier ones to be understood.
fn points_back(tokens: &[Token<'_>], own: &Words) -> bool {
    let begins = |phrase: &&[&str]| {
        tokens.len() >= phrase.len() && phrase.iter().zip(tokens).all(|(word, token)| token.lower == *word)
    };
    let goes_on = GOES_ON.iter().any(begins) && own.keywords.len() <= MAX_OWN_WORDS;
    own.keywords.is_empty() || goes_on || pronoun(tokens).is_some()
}

/// The first word that stands for something of an earlier message: nothing in this one comes before it that it could mean.
fn pronoun(tokens: &[Token<'_>]) -> Option<usize> {
    let at = tokens.iter().position(|token| PRONOUNS.contains(&token.lower.as_str()))?;
    let is_first = !tokens[..at].iter().any(is_telling);
    // "Who calls that?": what tells something before it is what is done with it.
    let is_object = at == 2 && ["who", "what", "which", "where"].contains(&tokens[0].lower.as_str());
    let is_relative =
        tokens[at].lower == "that" && at > 0 && at + 1 < tokens.len() && is_telling(&tokens[at - 1]);
    ((is_first || is_object) && !is_relative).then_some(at)
}

/// What the latest message was about that was about something.
fn subject_of(history: &[&str]) -> Option<Words> {
    (0..history.len()).rev().find_map(|at| {
        let message = history[at];
        let message = &message[..message.floor_char_boundary(MAX_HISTORY_BYTES)];
        let cleaned = without_courtesy(&prose(message));
        let found = tokens(&cleaned);
        let mut words = Words::from_tokens(&found);
        if points_back(&found, &words)
            && let Some(earlier) = subject_of(&history[..at])
        {
            // "And how is it tested?" after it was about authentication is about authentication first.
            let own = std::mem::replace(&mut words, earlier);
            words.keywords.extend(own.keywords);
            words.as_written.extend(own.as_written);
            words.names.extend(own.names);
        }
        words.keywords.truncate(MAX_SUBJECT_WORDS);
        words.as_written.truncate(MAX_SUBJECT_WORDS);
        (!words.keywords.is_empty()).then_some(words)
    })
}

/// Puts the subject where a word stands for it, else behind the message.
fn with_subject(text: &str, tokens: &[Token<'_>], subject: &str) -> String {
    let text_and_subject = match pronoun(tokens) {
        Some(at) => {
            // `this function` keeps its noun.
            let bytes = &tokens[at].bytes;
            format!("{}{subject}{}", &text[..bytes.start], &text[bytes.end..])
        }
        None => format!("{} {subject}", text.trim_end_matches(['?', '.', '!', ' '])),
    };
    let first = tokens.first().filter(|token| ["and", "but", "also", "so", "then"].contains(&&*token.lower));
    let skipped = first.map_or(0, |token| token.bytes.end);
    text_and_subject.get(skipped..).unwrap_or(&text_and_subject).trim_start_matches([',', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "as expect! makes it")]
    fn check(history: &[&str], message: &str, expected: Expect) {
        let query = ChatQuery::new(message, history);
        let back = if query.is_follow_up { " (follow-up)" } else { "" };
        let names =
            if query.names.is_empty() { String::new() } else { format!(" names {}", query.names.join(" ")) };
        expected.assert_eq(&format!("{} | {}{names}{back}", query.text, query.keywords.join(" ")));
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
    fn follow_ups_take_their_subject_from_the_conversation() {
        check(
            &["How does authentication work?"],
            "and how is it tested?",
            expect!["how is authentication tested? | tested authentication (follow-up)"],
        );
        check(
            &["How does authentication work?", "and how is it tested?"],
            "where are its errors handled?",
            expect![
                "where are authentication tested errors handled? | errors handled authentication tested (follow-up)"
            ],
        );
        check(
            &["Where is `SessionStore` defined?"],
            "who calls that?",
            expect![
                "who calls SessionStore defined? | calls sessionstore defined names SessionStore (follow-up)"
            ],
        );
        check(
            &["How does authentication work?"],
            "what about refresh tokens?",
            expect!["what about refresh tokens authentication | refresh tokens authentication (follow-up)"],
        );
        check(
            &["How does authentication work?"],
            "why?",
            expect!["why authentication | authentication (follow-up)"],
        );
        check(
            &["How does authentication work?", "thanks!"],
            "and what does this module export?",
            expect!["what does authentication module export? | module export authentication (follow-up)"],
        );
    }

    #[test]
    fn questions_of_their_own_stay_as_they_are() {
        check(
            &["How does authentication work?"],
            "where does the cache live and when is it cleared?",
            expect!["where does the cache live and when is it cleared? | cache live cleared"],
        );
        check(
            &["How does authentication work?"],
            "the function that parses dates",
            expect!["the function that parses dates | function parses dates"],
        );
        check(&[], "and how is it tested?", expect!["and how is it tested? | tested"]);
    }
}
