//! Tells what was drawn at random from what somebody made up, and passwords from placeholders.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// Whether the body of a vendor's token is random: letters that repeat little, follow no alphabet and spell nothing.
pub(super) fn looks_random(body: &[u8]) -> bool {
    let lower = body.to_ascii_lowercase();
    // Capital letters alone are read as words too easily.
    let is_upper = body.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    (is_upper || has_two_classes(body))
        && entropy_bits(&lower) >= MIN_ENTROPY_BITS
        && !has_sequence(&lower)
        && !spells_sample(body)
        && !is_known_sample(body)
        && (is_upper || n_in_words(body) * 4 < body.len() * 3)
}

/// Whether the value of a key, token or secret is random: sixteen bytes or more of base64, hexadecimal or the like.
pub(super) fn looks_like_key(value: &[u8]) -> bool {
    let is_key_byte = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-' | b'.' | b'~' | b':' | b'|' | b'%')
    };
    (16..=4096).contains(&value.len())
        && value.iter().all(is_key_byte)
        && looks_random(value)
        && !is_mostly_words(value)
        && n_changes(value) >= 3
        && !is_placeholder(value)
        && !looks_like_a_name(value)
        && encoded_text(value).is_none_or(|text| looks_like_password(&text))
}

/// Whether a value is what somebody types as a password, rather than a placeholder, a word, a name or a sample.
pub(super) fn looks_like_password(value: &[u8]) -> bool {
    if looks_like_key(value) {
        return true;
    }
    let is_plain = value.iter().all(|byte| !byte.is_ascii_control() && *byte != b' ');
    let n_classes = n_classes(value);
    (8..=128).contains(&value.len())
        && is_plain
        && value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_alphabetic)
        && !has_sequence(&value.to_ascii_lowercase())
        && !spells_sample(value)
        && !is_placeholder(value)
        && !is_address(value)
        && !is_constant(value)
        && !is_known_sample(value)
        && encoded_text(value).is_none_or(|text| looks_like_password(&text))
        && match is_mostly_words(value) {
            true => n_classes == 4 || n_classes == 3 && value.iter().any(|byte| b"!@#$%^&*+?".contains(byte)),
            false => n_classes >= 3 || n_classes == 2 && value.len() >= 10 && n_changes(value) >= 2,
        }
}

/// Whether a value is a weak password that somebody made up: a word with digits, `wombat42`.
pub(super) fn may_be_weak_password(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    (6..=64).contains(&value.len())
        && value.iter().all(u8::is_ascii_graphic)
        && value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_alphabetic)
        && !has_sequence(&lower)
        && memchr::memmem::find(value, b"123").is_none()
        && !ENCODINGS.contains(&lower.as_slice())
        && !spells_sample(value)
        && !is_placeholder(value)
        && !is_address(value)
        && !is_constant(value)
        && !is_known_sample(value)
        && !looks_like_a_name(value)
        && encoded_text(value).is_none()
}

/// What is given to functions on passwords: `password.encode("utf8")`.
const ENCODINGS: &[&[u8]] = &[
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

/// Whether a value that stands where only a password can stand is one, however short: no word, no sample.
pub(super) fn may_be_password(value: &[u8]) -> bool {
    let is_plain = value.iter().all(|byte| !byte.is_ascii_control() && *byte != b' ');
    let is_made_up = n_classes(value) >= 2 && (n_digits(value) > 0 || n_classes(value) >= 3);
    (6..=256).contains(&value.len())
        && is_plain
        && is_made_up
        && !has_sequence(&value.to_ascii_lowercase())
        && !spells_sample(value)
        && !is_placeholder(value)
        && !is_known_sample(value)
        && (!is_mostly_words(value) || n_classes(value) >= 3)
}

/// An address or a path.
fn is_address(value: &[u8]) -> bool {
    memchr::memmem::find(value, b"://").is_some() || value.starts_with(b"/") || value.starts_with(b"./")
}

/// What names constants and algorithms: capital letters and digits, joined: `A128CBC-HS256`.
fn is_constant(value: &[u8]) -> bool {
    let is_part =
        |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'.');
    value.iter().all(is_part) && (value.len() < 20 || n_changes(value) < 6)
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
        text.len() >= 8 && text.iter().all(|byte| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\n'));
    is_text.then(|| text.trim_ascii().to_vec())
}

/// Values that specifications, vendors' documentation and emulators give everybody: RFC 6749 and 5849, Stripe's test keys,
/// Azure's emulators.
const KNOWN_SAMPLES: &[&str] = &[
    "2YotnFZFEjr1zCsicMWpAA",
    "tGzv3JOkF0XG5Qx2TlKWIA",
    "czZCaGRSa3F0MzpnWDFmQmF0M2JW",
    "kkk9d7dh3k39sjv7",
    "gX1fBat3bV",
    "4eC39HqLyjWDarjtT1zdp7dc",
    "BQokikJOvBiI2HlWgH4olfQ2",
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq",
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw",
];

fn is_known_sample(value: &[u8]) -> bool {
    KNOWN_SAMPLES.iter().any(|sample| memchr::memmem::find(value, sample.as_bytes()).is_some())
}

/// Whether a value stands for another: `${PASSWORD}`, `<token>`, `{{ secret }}`, `%s`, `****`.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let has = |part: &[u8]| value.windows(part.len()).any(|window| window == part);
    let marks: [&[u8]; 15] = [
        b"${",
        b"$(",
        b"{{",
        b"}}",
        b"<%",
        b"%>",
        b"%s",
        b"%v",
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
    value.is_empty()
        || marks.iter().any(|mark| has(mark))
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

/// Words so short that random letters spell them now and then: they count where they stand apart.
const SHORT_SAMPLE_WORDS: &[&str] = &[
    "test", "fake", "mock", "demo", "your", "here", "user", "pass", "auth", "key", "foo", "bar", "baz",
    "abc", "xxx", "new", "old",
];

static SAMPLES: LazyLock<AhoCorasick> =
    LazyLock::new(|| AhoCorasick::new(SAMPLE_WORDS).expect("a few words fit any limit"));

fn spells_sample(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let respelled: Vec<u8> = lower.iter().map(|byte| letter_for(*byte)).collect();
    let stands_apart = |word: &&str| {
        find_all(&lower, word.as_bytes()).any(|start| {
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
    spells(&lower) || spells(&respelled) || SHORT_SAMPLE_WORDS.iter().any(stands_apart)
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

/// Whether `at` is either end, or beside punctuation.
fn is_separated(value: &[u8], at: usize) -> bool {
    let is_punctuation = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric());
    at == 0 || is_punctuation(value.get(at - 1)) || is_punctuation(value.get(at))
}

/// Whether a word may begin or end at `at`: beside a digit, or where a capital letter begins another.
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
    parts.len() > 2 && parts.iter().filter(is_plain).count() * 2 >= parts.len() && !is_uuid(value)
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
    // A number behind a name says nothing of the name.
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

/// Whether the claims of a JSON web token speak of somebody that only samples speak of.
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
