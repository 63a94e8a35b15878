//! Scores the form of a value: points for random texts and typical passwords, and against words, names and
//! placeholders.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// Points of a value that is a placeholder, or that has no evidence.
pub(super) const PLACEHOLDER: i32 = -100;

/// The longest value that is checked.
const MAX_VALUE_BYTES: usize = 4096;

/// How much a value looks like a secret: the sum of [`TRAITS`]. The points of its place are added (`place.rs`).
pub(super) fn points(value: &[u8]) -> i32 {
    if value.len() > MAX_VALUE_BYTES || is_placeholder(value) {
        return PLACEHOLDER;
    }
    let lower = value.to_ascii_lowercase();
    TRAITS.iter().filter(|(has, _)| has(value, &lower)).map(|(_, points)| points).sum()
}

/// Whether a value has a trait; given are the value and its lower case.
type Trait = fn(&[u8], &[u8]) -> bool;

/// Fitted by hand to secrets drawn at random and to the values that real repositories write in the same places: see
/// docs/reliability.md. Random letters and digits reach 6 with ten bytes and 11 with sixteen; `hunter2` has 2, `password` −10.
const TRAITS: &[(Trait, i32)] = &[
    (|value, _| has_two_classes(value), 1),
    (|value, _| n_digits(value) > 0 && value.iter().any(u8::is_ascii_alphabetic), 1),
    (|value, _| n_classes(value) >= 3, 1),
    (
        |value, _| {
            n_classes(value) == 4 || n_classes(value) == 3 && value.iter().any(|byte| SIGNS.contains(byte))
        },
        1,
    ),
    (|value, _| value.len() >= 8, 1),
    (|value, _| value.len() >= 12, 1),
    (|value, _| value.len() >= 16, 1),
    (|value, _| n_changes(value) >= 3, 1),
    (|value, _| !is_mostly_words(value), 1),
    (|value, lower| is_random(value, lower), 2),
    (|value, lower| is_random(value, lower) && !is_mostly_words(value) && n_changes(value) >= 3, 2),
    (|value, _| value.len() < 6, -30),
    (|value, _| value.len() < 16 && n_digits(value) == 0, -2),
    (|value, _| n_digits(value) == 0 && is_mostly_words(value), -4),
    (|value, _| value.iter().any(|byte| byte.is_ascii_control() || *byte == b' '), -20),
    (|value, lower| has_sequence(lower) || value.len() < 16 && contains(value, b"123"), -6),
    (|value, lower| spells_sample(value, lower), -12),
    (|value, _| is_known_sample(value), -12),
    (|value, lower| is_address(value, lower) || is_constant(value) || ALGORITHMS.contains(&lower), -8),
    (|value, _| looks_like_a_name(value), -8),
    (|value, _| encoded_text(value).is_some_and(|text| points(&text) < 3), -8),
];

/// Signs that people put into passwords.
const SIGNS: &[u8] = b"!@#$%^&*+?";

/// Whether a value is random: sixteen bytes or more of base64, hexadecimal or the like that repeat little and spell nothing.
fn is_random(value: &[u8], lower: &[u8]) -> bool {
    let is_key_byte = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'+' | b'/' | b'=' | b'_' | b'-' | b'.' | b'~' | b':' | b'|' | b'%' | b'$' | b','
            )
    };
    // Capital letters alone are read as words too easily.
    let is_upper = value.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    value.len() >= 14
        && value.iter().all(is_key_byte)
        && (is_upper || has_two_classes(value))
        && entropy_bits(lower) >= MIN_ENTROPY_BITS
        && (is_upper || n_in_words(value) * 4 < value.len() * 3)
}

/// Whether a value is random, and neither follows the alphabet nor spells a sample.
pub(super) fn is_drawn(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    is_random(value, &lower)
        && !has_sequence(&lower)
        && !spells_sample(value, &lower)
        && !is_known_sample(value)
}

/// What is given to functions on passwords: `password.encode("utf8")`.
const ALGORITHMS: &[&[u8]] = &[
    b"latin1",
    b"latin-1",
    b"utf-8",
    b"base64",
    b"sha256",
    b"sha512",
    b"sha-256",
    b"sha-512",
    b"argon2",
    b"argon2id",
    b"pbkdf2",
];

/// An address or a path.
fn is_address(value: &[u8], lower: &[u8]) -> bool {
    contains(value, b"://")
        || value.starts_with(b"./")
        || value.starts_with(b"/") && (!is_random(value, lower) || is_mostly_words(value))
}

/// Names of constants and algorithms: capital letters and digits, joined: `A128CBC-HS256`.
fn is_constant(value: &[u8]) -> bool {
    let is_part =
        |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'.');
    let is_name = match value.iter().any(u8::is_ascii_punctuation) {
        true => value.len() < 20 || n_changes(value) < 6,
        false => value.len() < 8 || value.len() < 14 && n_digits(value) > 0 || is_mostly_words(value),
    };
    n_digits(value) < value.len() && value.iter().all(is_part) && is_name
}

fn contains(value: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(value, part).is_some()
}

/// How often letters of one case, letters of the other and digits take turns.
fn n_changes(value: &[u8]) -> usize {
    let class = |byte: &u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
    value.windows(2).filter(|two| class(&two[0]) != class(&two[1])).count()
}

/// The text that a value is the base64 of: at least eight printable letters.
fn encoded_text(value: &[u8]) -> Option<Vec<u8>> {
    let text = super::token::decoded(std::str::from_utf8(value).ok()?)?;
    let is_text =
        text.len() >= 8 && text.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    is_text.then(|| text.trim_ascii().to_vec())
}

/// Values that specifications, vendors' documentation and emulators give everybody: RFC 6749 and 5849, Stripe's test keys,
/// Azure's emulators.
const KNOWN_SAMPLES: &[&str] = &[
    "2YotnFZFEjr1zCsicMWpAA",
    "tGzv3JOkF0XG5Qx2TlKWIA",
    "czZCaGRSa3F0MzpnWDFmQmF0M2JW",
    "kkk9d7dh3k39sjv7",
    "JBSWY3DPEHPK3PXP",
    "gX1fBat3bV",
    "4eC39HqLyjWDarjtT1zdp7dc",
    "BQokikJOvBiI2HlWgH4olfQ2",
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq",
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw",
];

fn is_known_sample(value: &[u8]) -> bool {
    KNOWN_SAMPLES.iter().any(|sample| contains(value, sample.as_bytes()))
}

/// Whether a value is a placeholder: `${PASSWORD}`, `<token>`, `{{ secret }}`, `%s`, `****`.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let has = |part: &[u8]| value.windows(part.len()).any(|window| window == part);
    let formats: [&[u8]; 2] = [b"%s", b"%v"];
    let marks: [&[u8]; 13] = [
        b"${",
        b"$(",
        b"{{",
        b"}}",
        b"<%",
        b"%>",
        b"#{",
        b"...",
        b"***",
        b"\xe2\x80\xa6",
        b"[a-z",
        b"[A-Z",
        b"[0-9",
    ];
    let is_enclosed = |open: u8, close: u8| value.first() == Some(&open) && value.contains(&close);
    let is_variable = value.first().is_some_and(|first| matches!(first, b'$' | b'@' | b'%' | b'&'))
        && value[1..]
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'%'));
    let is_nothing = [&b"null"[..], b"none", b"nil", b"true", b"false", b"undefined"]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word));
    value.is_empty()
        || is_nothing
        || marks.iter().any(|mark| has(mark))
        || value.len() < 32 && formats.iter().any(|format| has(format))
        || is_variable
        || is_enclosed(b'<', b'>')
        || is_enclosed(b'{', b'}')
        || is_enclosed(b'[', b']')
        || is_enclosed(b'(', b')')
        || value.iter().all(|byte| byte.eq_ignore_ascii_case(&value[0]))
}

/// Sixteen random letters and digits have 3.5 bits on average and next to never fewer than this.
const MIN_ENTROPY_BITS: f64 = 2.8;

/// Shannon entropy of one byte, as this text spreads its bytes.
fn entropy_bits(text: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    text.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
    let share = |count: u32| f64::from(count) / text.len() as f64;
    counts.into_iter().filter(|&count| count > 0).map(|count| -share(count) * share(count).log2()).sum()
}

fn n_digits(value: &[u8]) -> usize {
    value.iter().filter(|byte| byte.is_ascii_digit()).count()
}

/// How many kinds of bytes there are: capital letters, small ones, digits, others.
fn n_classes(value: &[u8]) -> usize {
    let has = |is_one: fn(&u8) -> bool| usize::from(value.iter().any(is_one));
    has(u8::is_ascii_lowercase)
        + has(u8::is_ascii_uppercase)
        + has(u8::is_ascii_digit)
        + has(|byte| !byte.is_ascii_alphanumeric())
}

/// Digits with letters, or letters of both cases.
fn has_two_classes(value: &[u8]) -> bool {
    let has = |is_one: fn(&u8) -> bool| usize::from(value.iter().any(is_one));
    has(u8::is_ascii_lowercase) + has(u8::is_ascii_uppercase) + has(u8::is_ascii_digit) >= 2
}

/// Whether some bytes follow each other: `12345`, `edcba`, `aaaaa`; more of them where chance has more room.
fn has_sequence(lower: &[u8]) -> bool {
    let length = if lower.len() < 24 { 5 } else { 7 };
    let follows = |step: u8| {
        lower.windows(length).any(|run| run.windows(2).all(|two| two[1] == two[0].wrapping_add(step)))
    };
    [0, 1, u8::MAX].into_iter().any(follows)
}

/// Words that nobody's secret holds, but every sample; long ones, so that random letters spell them next to never.
const SAMPLE_WORDS: &[&str] = &[
    "example",
    "sample",
    "dummy",
    "placeholder",
    "changeme",
    "change_me",
    "change-me",
    "password",
    "passwd",
    "passwort",
    "passphrase",
    "w0rd",
    "secret",
    "qwerty",
    "letmein",
    "hello",
    "world",
    "foobar",
    "foo_bar",
    "token",
    "redacted",
    "masked",
    "insert",
    "replace",
    "xxxxx",
    "deadbeef",
    "cafebabe",
    "abcdef",
    "123456",
    "abc123",
    "default",
    "invalid",
    "mytest",
    "testing",
    "tester",
    "username",
    "correct",
    "expired",
    "localhost",
    "private",
    "public",
    "access",
    "string",
    "value",
    "admin",
    "guest",
    "client",
    "server",
    "service",
    "provider",
    "pbkdf2",
    "newpass",
    "hmacsha",
];

/// Words so short that random letters spell them now and then: they count only as separate words.
const SHORT_SAMPLE_WORDS: &[&str] = &[
    "test", "fake", "mock", "demo", "your", "here", "user", "pass", "auth", "key", "foo", "bar", "baz",
    "abc", "xxx", "new", "old",
];

static SAMPLES: LazyLock<AhoCorasick> =
    LazyLock::new(|| AhoCorasick::new(SAMPLE_WORDS).expect("a few words fit any limit"));

fn spells_sample(value: &[u8], lower: &[u8]) -> bool {
    let respelled: Vec<u8> = lower.iter().map(|byte| letter_for(*byte)).collect();
    let stands_apart = |word: &&str| {
        find_all(lower, word.as_bytes()).any(|start| {
            let end = start + word.len();
            let stands_apart = match (is_separated(value, start), is_separated(value, end)) {
                (true, true) => true,
                (true, false) => value.len() < 16 && is_word_edge(value, end),
                (false, true) => value.len() < 16 && is_word_edge(value, start),
                (false, false) => false,
            };
            stands_apart && is_one_word(&value[start..end])
        })
    };
    // Among many random letters some spell a short word, but hardly ever in one case.
    let is_written_so = |found: aho_corasick::Match| {
        value.len() < 20 || found.len() > 5 || found.len() == 5 && is_one_word(&value[found.range()])
    };
    let spells = |text: &[u8]| SAMPLES.find_iter(text).any(is_written_so);
    spells(lower) || spells(&respelled) || value.len() < 32 && SHORT_SAMPLE_WORDS.iter().any(stands_apart)
}

/// The letter that people write a digit or sign for: `P4$$w0rd`.
fn letter_for(byte: u8) -> u8 {
    match byte {
        b'0' => b'o',
        b'1' | b'!' => b'i',
        b'3' => b'e',
        b'4' | b'@' => b'a',
        b'5' | b'$' => b's',
        b'7' => b't',
        other => other,
    }
}

fn find_all<'a>(text: &'a [u8], word: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    text.windows(word.len()).enumerate().filter(move |(_, window)| *window == word).map(|(at, _)| at)
}

/// Whether `at` is at either end, or next to punctuation.
fn is_separated(value: &[u8], at: usize) -> bool {
    let is_punctuation = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric());
    at == 0 || is_punctuation(value.get(at - 1)) || is_punctuation(value.get(at))
}

/// Whether a word may begin or end at `at`: next to a digit, or where a capital letter begins another.
fn is_word_edge(value: &[u8], at: usize) -> bool {
    let (before, after) = (value[at - 1], value[at]);
    let is_letter = |byte: u8| byte.is_ascii_alphabetic();
    !is_letter(before) || !is_letter(after) || before.is_ascii_lowercase() && after.is_ascii_uppercase()
}

/// Letters of one case, or a capital letter before small ones.
fn is_one_word(word: &[u8]) -> bool {
    word[1..].iter().all(u8::is_ascii_lowercase) || word.iter().all(u8::is_ascii_uppercase)
}

/// Names of variables, types, files and hosts: words joined by punctuation, with few digits, such as `oauth2-proxy.v1`.
fn looks_like_a_name(value: &[u8]) -> bool {
    let is_separator = |byte: &u8| matches!(byte, b'_' | b'-' | b'.' | b'/' | b':');
    let parts: Vec<&[u8]> = value.split(is_separator).filter(|part| !part.is_empty()).collect();
    let is_plain = |part: &&&[u8]| {
        part.iter().all(u8::is_ascii_digit)
            || part.len() > 2 && part.iter().all(u8::is_ascii_alphabetic) && is_one_word(part)
    };
    let has_word = parts.iter().any(|part| is_plain(&part) && part[0].is_ascii_alphabetic());
    has_word && parts.len() > 2 && parts.iter().filter(is_plain).count() * 2 >= parts.len() && !is_uuid(value)
}

/// Thirty-two hexadecimal digits in groups of 8, 4, 4, 4 and 12.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether half of the bytes belong to what can be pronounced.
fn is_mostly_words(value: &[u8]) -> bool {
    // A number after a name is no evidence about the name.
    let n_number = value.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let n_named = value.len() - if n_number >= 6 { n_number } else { 0 };
    n_in_words(value) * 2 >= n_named
}

fn n_in_words(value: &[u8]) -> usize {
    words(value).filter(|word| is_pronounceable(word)).map(<[u8]>::len).sum()
}

/// Runs of four letters or more, broken where a small letter is followed by a capital one.
fn words(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value
        .chunk_by(|a, b| {
            a.is_ascii_alphabetic()
                && b.is_ascii_alphabetic()
                && !(a.is_ascii_lowercase() && b.is_ascii_uppercase())
        })
        .filter(|word| word.len() >= 4 && word[0].is_ascii_alphabetic())
}

/// Whether three quarters of its pairs of letters are common ones, and it is written as words are.
fn is_pronounceable(word: &[u8]) -> bool {
    let n_common = word.windows(2).filter(|pair| is_common_pair(pair[0], pair[1])).count();
    n_common * 4 >= (word.len() - 1) * 3 && is_one_word(word)
}

fn is_common_pair(first: u8, second: u8) -> bool {
    let index = usize::from(first.to_ascii_lowercase().wrapping_sub(b'a'));
    COMMON_PAIRS.get(index).is_some_and(|seconds| seconds.as_bytes().contains(&second.to_ascii_lowercase()))
}

/// Which letters often follow each letter of the alphabet: 239 pairs, 93% of those in the documentation of 70 projects.
const COMMON_PAIRS: [&str; 26] = [
    "bcdefgiklmnprstuvy",
    "aceiloru",
    "acehiklortu",
    "abdeimorsu",
    "abcdefglmnprstvwx",
    "aefiloru",
    "ehiorsu",
    "aeiort",
    "abcdefgklmnoprstvz",
    "",
    "eis",
    "adeilostuy",
    "abeimopsu",
    "acdefgiknostu",
    "abcdfgklmnoprstuvw",
    "aeiloprstu",
    "u",
    "acdefgiklmnorstuvy",
    "acehilopstuwy",
    "acehilorstuy",
    "abcdeilmnprstx",
    "aei",
    "aehinos",
    "pt",
    "ps",
    "e",
];

/// Whether the claims of a JSON web token name a subject that occurs only in samples.
pub(super) fn has_sample_subject(claims: &[u8]) -> bool {
    let lower = claims.to_ascii_lowercase();
    let names: [&[u8]; 9] = [
        b"john doe",
        b"john.doe",
        b"jane doe",
        b"1234567890",
        b"example",
        b"\"joe\"",
        b"\"foo\"",
        b"\"bar\"",
        b"\"test\"",
    ];
    claims == b"{}" || names.iter().any(|name| memchr::memmem::find(&lower, name).is_some())
}
