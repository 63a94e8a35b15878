//! Words and identifiers of code and prose, in every script.

use crate::script::{Script, fold, is_character, is_mark, is_unspaced, respelled};

/// A part of an identifier, as it stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'t> {
    /// The part as written, without change of case.
    pub text: &'t str,
    /// Byte offset in the text.
    pub start: usize,
}

/// The words of a text in order: runs of ASCII letters and digits, split at changes of case and between letters and digits.
///
/// `parseHTTPResponse2` gives `parse`, `HTTP`, `Response`, `2`. Anything else separates. This is the tokenisation that
/// the built-in embedding is trained with: changing it means training again.
pub fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !bytes[at].is_ascii_alphanumeric() {
            at += 1;
        }
        let start = at;
        at += word_len(&bytes[start..]);
        (at > start).then(|| Word { text: &text[start..at], start })
    })
}

/// The words of a text in lower case, in order.
pub fn lower_words(text: &str) -> impl Iterator<Item = String> {
    words(text).map(|word| word.text.to_ascii_lowercase())
}

/// The words of prose in any script, in lower case and in order, to compare texts by.
///
/// Of a text in ASCII these are its [`lower_words`]; of other alphabets, words without accents; of a script without spaces,
/// pairs of neighbouring characters.
pub fn prose_words(text: &str) -> Vec<String> {
    if text.is_ascii() {
        return lower_words(text).collect();
    }
    let mut found = Vec::new();
    for run in runs(text).filter(|run| run.text.starts_with(is_identifier_char)) {
        let folded = fold(run.text);
        if run.text.starts_with(is_unspaced) {
            let is_alone = is_character(&folded);
            characters_and_pairs(&folded, &mut |word| {
                if is_alone || !is_character(word) {
                    found.push(word.to_owned());
                }
            });
        } else {
            each_word_of_letters(&folded, &mut |word| found.push(word.to_owned()));
        }
    }
    found
}

/// Number of words of prose: what stands between spaces, a word for two characters of a script without them.
pub fn count_words(text: &str) -> usize {
    if text.is_ascii() {
        return text.split_whitespace().count();
    }
    let n_words = |piece: &str| {
        let is_counted = |c: &char| c.is_alphanumeric() && !is_mark(*c);
        let (unspaced, spaced): (Vec<char>, Vec<char>) =
            piece.chars().filter(is_counted).partition(|&c| is_unspaced(c));
        (unspaced.len().div_ceil(CHARACTERS_OF_WORD) + spaced.len().min(1)).max(1)
    };
    text.split_whitespace().map(n_words).sum()
}

/// Characters of an average word of Chinese, and about those of Japanese and Korean.
const CHARACTERS_OF_WORD: usize = 2;

/// The identifiers of a text in order: runs of letters and digits of any script, `_` and `$`. Numbers are among them.
pub fn identifiers(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at = start_of_run(text, at, is_identifier_char);
        let start = at;
        at = end_of_run(text, start);
        (at > start).then(|| Word { text: &text[start..at], start })
    })
}

/// What is indexed of a text, in order: its identifiers, cut where a script without spaces meets another one, and its
/// symbols, each for itself.
///
/// `调用fetchUser的✅` gives `调用`, `fetchUser`, `的`, `✅`. Of a text in ASCII these are its [`identifiers`].
pub fn runs(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at = start_of_run(text, at, |c| is_identifier_char(c) || Script::from_char(c) == Script::Symbol);
        let start = at;
        let end = end_of_run(text, start);
        at = match text.as_bytes()[start..end].is_ascii() {
            true => end,
            false => start + first_script(&text[start..end]),
        };
        if at == start {
            at += text[start..].chars().next().map_or(0, char::len_utf8);
        }
        (at > start).then(|| Word { text: &text[start..at], start })
    })
}

/// Whether a character may stand in an identifier.
pub fn is_identifier_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// The first character from `at` on that is one of an identifier, or outside ASCII and as `begins` has it; the end of the text
/// if there is none.
fn start_of_run(text: &str, mut at: usize, begins: impl Fn(char) -> bool) -> usize {
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii() {
            if is_identifier_byte(byte) {
                return at;
            }
            at += 1;
        } else {
            let Some(c) = text[at..].chars().next().filter(|&c| !begins(c)) else { return at };
            at += c.len_utf8();
        }
    }
    at
}

fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// The end of the run of identifier characters that begins at `at`, marks on them included.
fn end_of_run(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii() {
            if !is_identifier_byte(byte) {
                return at;
            }
            at += 1;
        } else {
            let is_part = |c: &char| c.is_alphanumeric() || at > start && is_mark(*c);
            let Some(c) = text[at..].chars().next().filter(is_part) else { return at };
            at += c.len_utf8();
        }
    }
    at
}

/// The end of the first part of an identifier that is of one script.
fn first_script(identifier: &str) -> usize {
    let first = identifier.starts_with(is_unspaced);
    let other = identifier.char_indices().find(|&(_, c)| is_unspaced(c) != first && !is_mark(c));
    other.map_or(identifier.len(), |(at, _)| at)
}

/// The offsets of `word` in `text` where no letter, digit or `_` is adjacent to its own. `$` does not count as a part of a
/// word here: in PHP, Perl and shells it stands before the names of variables. Neither do letters of a script without spaces
/// beside others: `调用user方法`.
pub fn whole_words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let (starts, ends) = (word.starts_with(is_letter), word.ends_with(is_letter));
    text.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        let joins = |a: Option<char>, b: Option<char>| {
            a.zip(b).is_some_and(|(a, b)| is_letter(a) && is_unspaced(a) == is_unspaced(b))
        };
        let is_joined = starts && joins(before.chars().next_back(), word.chars().next())
            || ends && joins(after.chars().next(), word.chars().next_back());
        !is_joined && !word.is_empty()
    })
}

/// Whether one of two words begins with the other, and the shorter has at least `min_chars`: `auth` and `authentication`.
pub fn is_prefix_of_other(a: &str, b: &str, min_chars: usize) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    // Fewer bytes than that are fewer characters.
    short.len() >= min_chars && long.starts_with(short) && short.chars().count() >= min_chars
}

/// Length of the word that starts at `bytes[0]`; 0 when none does.
///
/// First match of `[A-Z]+(?=[A-Z][a-z]) | [A-Z]?[a-z]+ | [A-Z]+ | [0-9]+`.
fn word_len(bytes: &[u8]) -> usize {
    let run = |from: usize, class: fn(&u8) -> bool| bytes[from..].iter().take_while(|b| class(b)).count();
    let Some(first) = bytes.first() else { return 0 };
    if first.is_ascii_digit() {
        return run(0, u8::is_ascii_digit);
    }
    let upper = run(0, u8::is_ascii_uppercase);
    let lower = run(upper, u8::is_ascii_lowercase);
    match (upper, lower) {
        (_, 0) => upper,
        (0 | 1, _) => upper + lower,
        _ => upper - 1,
    }
}

/// Calls `emit` with the words of one of the [`runs`] of a text, in lower case, and returns how many it joins as an identifier.
///
/// Letters count without accents and in any width: `Größe` gives `groesse` and `grosse`. The endings, prefixes and articles
/// of other alphabets than the Latin one are unknown here, so parts of `GRAM_CHARS` letters are given beside such a word. Of
/// a script without spaces, each character and each pair of neighbours is given.
pub fn words_of_run(run: &str, emit: &mut impl FnMut(&str)) -> usize {
    if run.is_ascii() {
        return words_of_ascii(run, emit);
    }
    match run.chars().next().map_or(Script::Spaced, Script::from_char) {
        Script::Symbol => {
            emit(run);
            1
        }
        Script::Unspaced => {
            characters_and_pairs(&fold(run), emit);
            1
        }
        Script::Spaced => {
            // Umlauts are written with a second letter where a keyboard lacks them.
            if let Some(respelled) = respelled(run) {
                words_of_letters(&fold(&respelled), emit);
            }
            words_of_letters(&fold(run), emit)
        }
    }
}

/// Number of letters of the overlapping parts of a word. Source: McNamee & Mayfield, Character N-Gram Tokenization for European
/// Language Text Retrieval, 2004.
const GRAM_CHARS: usize = 4;

fn words_of_ascii(run: &str, emit: &mut impl FnMut(&str)) -> usize {
    let mut lower = String::new();
    let mut n_words = 0;
    for word in words(run) {
        lower.clear();
        lower.push_str(word.text);
        lower.make_ascii_lowercase();
        emit(&lower);
        n_words += 1;
    }
    n_words
}

/// Emits the words of letters of any alphabet, and their overlapping parts.
fn words_of_letters(run: &str, emit: &mut impl FnMut(&str)) -> usize {
    if run.is_ascii() {
        return words_of_ascii(run, emit);
    }
    let mut n_words = 0;
    each_word_of_letters(run, &mut |word| {
        n_words += 1;
        emit(word);
        let starts: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        if !word.is_ascii() && starts.len() > GRAM_CHARS + 1 {
            starts.windows(GRAM_CHARS + 1).for_each(|part| emit(&word[part[0]..part[GRAM_CHARS]]));
        }
    });
    n_words
}

/// Emits the words of letters of any alphabet in lower case, split as [`words`] are.
fn each_word_of_letters(run: &str, emit: &mut impl FnMut(&str)) {
    let chars: Vec<char> = run.chars().collect();
    let mut rest = &chars[..];
    while !rest.is_empty() {
        let (word, after) = rest.split_at(letters_len(rest).max(1));
        rest = after;
        let lower: String = word.iter().flat_map(|c| c.to_lowercase()).collect();
        if lower.contains(char::is_alphanumeric) {
            emit(&lower);
        }
    }
}

/// Length of the word that starts at `chars[0]`, as [`word_len`] has it for ASCII; letters within and outside ASCII are apart.
fn letters_len(chars: &[char]) -> usize {
    let run =
        |from: usize, class: &dyn Fn(char) -> bool| chars[from..].iter().take_while(|c| class(**c)).count();
    let Some(&first) = chars.first() else { return 0 };
    if first.is_numeric() {
        return run(0, &char::is_numeric);
    }
    let is_letter =
        |c: char| c.is_ascii() == first.is_ascii() && !c.is_numeric() && (c.is_alphabetic() || is_mark(c));
    let upper = run(0, &|c| is_letter(c) && c.is_uppercase());
    let lower = run(upper, &|c| is_letter(c) && !c.is_uppercase());
    match (upper, lower) {
        (_, 0) => upper,
        (0 | 1, _) => upper + lower,
        _ => upper - 1,
    }
}

/// Emits each character with the marks on it, and each pair of neighbours.
fn characters_and_pairs(run: &str, emit: &mut impl FnMut(&str)) {
    let starts: Vec<usize> =
        run.char_indices().filter(|&(at, c)| at == 0 || !is_mark(c)).map(|(at, _)| at).collect();
    let end = |at: usize| starts.get(at).copied().unwrap_or(run.len());
    for (at, &start) in starts.iter().enumerate() {
        emit(&run[start..end(at + 1)]);
        if at + 1 < starts.len() {
            emit(&run[start..end(at + 2)]);
        }
    }
}

/// An identifier without case and separators: `getUser`, `get_user` and `GET-USER` are one.
pub fn compact(identifier: &str) -> String {
    let mut out = String::with_capacity(identifier.len());
    compact_into(identifier, &mut out);
    out
}

/// Writes what [`compact`] returns to `out`.
pub fn compact_into(identifier: &str, out: &mut String) {
    out.clear();
    if identifier.is_ascii() {
        out.push_str(identifier);
        out.retain(|c| c.is_ascii_alphanumeric());
        return out.make_ascii_lowercase();
    }
    let is_part = |c: &char| c.is_alphanumeric() || is_mark(*c);
    out.extend(fold(identifier).chars().filter(is_part).flat_map(char::to_lowercase));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> String {
        words(text).map(|w| w.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn splits_identifiers_at_case_and_digits() {
        assert_eq!(split("parseHTTPResponse"), "parse HTTP Response");
        assert_eq!(split("SELECT * FROM users_v2"), "SELECT FROM users v 2");
        assert_eq!(split("XMLHttpRequest2x ABc é"), "XML Http Request 2 x A Bc");
        assert_eq!(split("  "), "");
    }

    #[test]
    fn spelling_of_an_identifier_does_not_matter() {
        assert_eq!(compact("getUser"), compact("get_user"));
        assert_eq!(compact("GET-USER"), "getuser");
    }

    #[test]
    fn identifiers_keep_every_script() {
        let found = |text| identifiers(text).map(|word| word.text).collect::<Vec<_>>();
        assert_eq!(
            found("größe = $el.user_name2 + 日本語(3)"),
            ["größe", "$el", "user_name2", "日本語", "3"]
        );
        assert_eq!(found("a—b “c” ☃d é"), ["a", "b", "c", "d", "é"]);
        assert!(found(" +-☃").is_empty());
        for word in identifiers("größe = $el") {
            assert!("größe = $el"[word.start..].starts_with(word.text));
        }
    }

    #[test]
    fn runs_are_cut_where_scripts_meet() {
        let found = |text| runs(text).map(|run| run.text).collect::<Vec<_>>();
        assert_eq!(found("调用fetchUser的✅ a→b"), ["调用", "fetchUser", "的", "✅", "a", "→", "b"]);
        assert_eq!(found("getユーザー名 größe_x 👍🏽"), ["get", "ユーザー名", "größe_x", "👍", "🏽"]);
        assert_eq!(found("u\u{308}ber ที่นี่ ── “a”"), ["u\u{308}ber", "ที่นี่", "a"]);
        let text = "parse_it($x, 'é')";
        assert!(runs(text).eq(identifiers(text)));
        for word in runs("日a✅b") {
            assert!("日a✅b"[word.start..].starts_with(word.text));
        }
    }

    #[test]
    fn words_of_prose_are_compared_and_counted_in_every_script() {
        let found = |text: &str| prose_words(text).join(" ");
        assert_eq!(found("Parses `HTTPResponse`, twice"), "parses http response twice");
        assert_eq!(found("✅ 调用fetchUser方法。"), "调用 fetch user 方法");
        assert_eq!(found("取 userを返す"), "取 user を返 返す");
        assert_eq!(found("Größe der НДС-налога"), "grosse der ндс налога");
        for (text, n) in [
            ("two words — größe", 4),
            ("根据用户编号从数据库读取 user 信息。", 8),
            ("调用fetchUser方法", 3),
            ("배송을 조회한다", 4),
            ("ที่นี่", 1),
            ("", 0),
        ] {
            assert_eq!(count_words(text), n, "{text}");
        }
    }

    #[test]
    fn a_prefix_has_enough_characters_whatever_their_bytes() {
        assert!(
            is_prefix_of_other("налог", "налоговая", 4) && is_prefix_of_other("authentication", "auth", 4)
        );
        assert!(!is_prefix_of_other("на", "налог", 4) && !is_prefix_of_other("会", "会话", 2));
    }

    #[test]
    fn words_of_every_script_are_given() {
        let found = |run: &str| {
            let mut found = Vec::new();
            words_of_run(run, &mut |word| found.push(word.to_owned()));
            found.join(" ")
        };
        assert_eq!(found("getUserNames"), "get user names");
        assert_eq!(found("会话过期"), "会 会话 话 话过 过 过期 期");
        assert_eq!(found("ที่นี่"), "ที่ ที่นี่ นี่");
        assert_eq!(found("배송을"), "배 배송 송 송을 을");
        assert_eq!(found("ｸﾚｼﾞ"), "ク クレ レ レジ ジ");
        assert_eq!(found("ＳessionＳtore"), "session store");
        assert_eq!(found("naïve"), "naive");
        assert_eq!(found("getGröße2"), "get groesse 2 get grosse 2");
        assert_eq!(found("ДатаURL_налога"), "дата url налога нало алог лога");
        assert_eq!(found("ΟΔΟΣ"), found("οδός"));
        assert_eq!(found("🚀"), "🚀");
        assert_eq!(found("_"), "");
    }

    #[test]
    fn words_are_whole_where_no_letter_is_next_to_them() {
        let places = |text: &'static str, word: &'static str| whole_words(text, word).collect::<Vec<_>>();
        assert_eq!(places("abort abortAll _abort (abort)", "abort"), [0, 23]);
        assert_eq!(places("$user = user_id", "user"), [1]);
        assert_eq!(places("a->b a->bc", "->b"), [1]);
        assert!(places("500", "50").is_empty());
        assert_eq!(places("调用user方法", "user"), [6]);
        assert_eq!(places("调用会话", "会话"), []);
    }
}
