//! Tokens with a vendor's prefix: the prefixes, and the text after each.

use std::ops::Range;

use super::place::{Place, is_secret};
use super::value::{has_sample_subject, is_drawn};

/// A mark to search for, and a detailed check of the text at that place.
pub(super) struct Mark {
    pub(super) text: &'static str,
    look: Look,
}

/// The secret at the place of a mark in a text.
pub(super) type LookAt = fn(&str, Range<usize>) -> Option<Range<usize>>;

/// How to look closer.
enum Look {
    /// What follows the mark, together with the mark: bytes of an alphabet, within bounds, at random.
    Token { alphabet: fn(&u8) -> bool, length: Range<usize> },
    /// Anything else: from the text and the place of the mark.
    At(LookAt),
}

/// The mark of an access key, next to which its secret is often written.
pub(super) const AMAZON: &str = "AKIA";

/// The token at a mark.
pub(super) fn secret(text: &str, mark: &Mark, found: Range<usize>) -> Option<Range<usize>> {
    match &mark.look {
        Look::Token { alphabet, length } => token_at(text, found, *alphabet, length),
        Look::At(look) => look(text, found),
    }
}

const fn token(text: &'static str, alphabet: fn(&u8) -> bool, length: Range<usize>) -> Mark {
    Mark { text, look: Look::Token { alphabet, length } }
}

const fn at(text: &'static str, look: LookAt) -> Mark {
    Mark { text, look: Look::At(look) }
}

/// The formats are the vendors' own, from their documentation and from what gitleaks and trufflehog look for.
pub(super) const MARKS: &[Mark] = &[
    // Amazon
    token(AMAZON, is_upper_alphanumeric, 16..17),
    token("ASIA", is_upper_alphanumeric, 16..17),
    token("ABSK", is_base64, 80..400),
    // Google
    token("AIza", is_url_safe, 35..36),
    token("GOCSPX-", is_url_safe, 24..40),
    token("ya29.", is_url_safe, 40..1_000),
    // GitHub
    token("ghp_", is_alphanumeric, 36..256),
    token("gho_", is_alphanumeric, 36..256),
    token("ghu_", is_alphanumeric, 36..256),
    token("ghs_", is_alphanumeric, 36..256),
    token("ghr_", is_alphanumeric, 36..256),
    token("github_pat_", is_url_safe, 60..256),
    // GitLab
    token("glpat-", is_dotted, 20..320),
    token("gldt-", is_url_safe, 20..65),
    token("glptt-", is_hexadecimal, 40..41),
    token("glrt-", is_dotted, 20..320),
    token("glcbt-", is_url_safe, 20..65),
    token("glsoat-", is_url_safe, 20..65),
    token("glft-", is_url_safe, 20..65),
    token("glffct-", is_url_safe, 20..65),
    token("glimt-", is_url_safe, 24..65),
    token("glagent-", is_url_safe, 40..65),
    token("gloas-", is_url_safe, 60..70),
    token("GR1348941", is_url_safe, 20..21),
    // Bitbucket and Atlassian
    token("ATATT3", is_base64_url, 100..400),
    token("ATCTT3", is_base64_url, 100..400),
    token("ATBB", is_alphanumeric, 28..40),
    token("BBDC-", is_base64, 40..51),
    // Package registries and continuous integration
    token("npm_", is_alphanumeric, 36..37),
    token("pypi-AgE", is_url_safe, 50..1_000),
    token("rubygems_", is_hexadecimal, 48..49),
    token("CLOJARS_", is_alphanumeric, 60..61),
    token("cio", is_alphanumeric, 32..33),
    token("oy2", is_lower_alphanumeric, 43..44),
    token("dckr_pat_", is_url_safe, 27..40),
    token("dckr_oat_", is_url_safe, 27..40),
    token("AKCp", is_alphanumeric, 60..80),
    token("cmVmdGtu", is_alphanumeric, 50..60),
    token("CCIPAT_", is_url_safe, 50..80),
    token("bkua_", is_lower_alphanumeric, 40..41),
    token("sqp_", is_hexadecimal, 40..41),
    token("squ_", is_hexadecimal, 40..41),
    token("sqa_", is_hexadecimal, 40..41),
    token("sgp_", is_url_safe, 40..70),
    // Payments and shops
    token("sk_live_", is_alphanumeric, 24..256),
    token("rk_live_", is_alphanumeric, 24..256),
    token("sk_test_", is_alphanumeric, 24..256),
    token("whsec_", is_base64, 24..80),
    token("sq0atp-", is_url_safe, 22..61),
    token("sq0csp-", is_url_safe, 40..61),
    token("EAAA", is_url_safe, 60..61),
    at("shp", shopify),
    token("access_token$production$", is_dollar_alphanumeric, 40..70),
    token("A21AA", is_url_safe, 80..130),
    token("rzp_live_", is_alphanumeric, 14..32),
    token("shippo_live_", is_hexadecimal, 40..41),
    token("duffel_live_", is_base64_url, 43..44),
    token("EZAK", is_alphanumeric, 54..55),
    token("FLWSECK-", is_url_safe, 32..40),
    // Messages and mail
    at("xox", slack),
    token("xapp-", is_url_safe, 40..256),
    token("xwfp-", is_url_safe, 24..256),
    token("SG.", is_dotted, 60..76),
    token("key-", is_hexadecimal, 32..33),
    token("xkeysib-", is_url_safe, 70..90),
    token("xsmtpsib-", is_url_safe, 70..90),
    at("-us", mailchimp),
    at(":AA", telegram),
    at("hooks.slack.com/", webhook),
    at("/api/webhooks/", webhook),
    at("webhook.office.com/", webhook),
    at("hooks.zapier.com/hooks/catch/", webhook),
    // Laravel's keys
    token("base64:", is_base64, 44..45),
    // Language models
    token("sk-", is_url_safe, 32..256),
    token("gsk_", is_alphanumeric, 48..64),
    token("r8_", is_url_safe, 36..41),
    token("hf_", is_alphanumeric, 34..41),
    token("api_org_", is_alphanumeric, 34..35),
    token("xai-", is_url_safe, 60..100),
    token("pplx-", is_alphanumeric, 40..60),
    token("nvapi-", is_url_safe, 60..70),
    token("pcsk_", is_url_safe, 60..80),
    token("lsv2_", is_url_safe, 40..60),
    // Clouds and infrastructure
    at("_v1_", digital_ocean),
    at("dp.", doppler),
    token("hvs.", is_url_safe, 24..320),
    token("hvb.", is_url_safe, 24..320),
    token("hvr.", is_url_safe, 24..320),
    at(".atlasv1.", terraform_cloud),
    token("pul-", is_hexadecimal, 40..41),
    token("dapi", is_databricks, 32..35),
    token("pscale_", is_dotted, 32..80),
    token("sbp_", is_alphanumeric, 40..41),
    token("sb_secret_", is_url_safe, 24..60),
    token("fo1_", is_url_safe, 43..44),
    token("fm1", is_fly, 100..1_000),
    token("fm2", is_fly, 100..1_000),
    token("nfp_", is_alphanumeric, 36..45),
    token("vcp_", is_alphanumeric, 24..65),
    token("vck_", is_alphanumeric, 24..65),
    token("cfut_", is_alphanumeric, 40..60),
    token("cfat_", is_alphanumeric, 40..60),
    token("v1.0-", is_url_safe, 150..200),
    token("HRKU-", is_url_safe, 36..70),
    token("LTAI", is_alphanumeric, 17..22),
    token("tskey-", is_url_safe, 20..80),
    token("sha256~", is_url_safe, 43..44),
    at("sig=", shared_signature),
    // Monitoring
    token("glsa_", is_url_safe, 40..50),
    token("glc_", is_base64, 32..400),
    token("eyJrIjoi", is_base64, 70..400),
    token("NRAK-", is_upper_alphanumeric, 27..28),
    token("NRII-", is_url_safe, 25..40),
    token("NRIQ-", is_url_safe, 25..40),
    token("sntrys_", is_base64_url, 60..300),
    token("sntryu_", is_hexadecimal, 64..65),
    token("dt0c01.", is_dotted, 80..100),
    token("phx_", is_url_safe, 40..50),
    // Other services
    token("lin_api_", is_alphanumeric, 32..49),
    token("lin_oauth_", is_alphanumeric, 32..65),
    token("ntn_", is_alphanumeric, 40..50),
    token("secret_", is_alphanumeric, 43..44),
    token("figd_", is_url_safe, 36..60),
    token("figp_", is_url_safe, 36..60),
    token("PMAK-", is_url_safe, 55..64),
    token("rdme_", is_lower_alphanumeric, 64..80),
    token("tfp_", is_url_safe, 40..60),
    token("apify_api_", is_alphanumeric, 34..41),
    token("aio_", is_alphanumeric, 28..29),
    token("CFPAT-", is_url_safe, 43..44),
    token("pnu_", is_alphanumeric, 36..37),
    token("3MVG9", is_dotted, 80..100),
    token("ops_eyJ", is_base64, 200..2_000),
    token("AGE-SECRET-KEY-1", is_upper_alphanumeric, 58..59),
    // Three parts: header, claims and signature, each in base64
    at("eyJ", json_web_token),
];

fn is_alphanumeric(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn is_upper_alphanumeric(byte: &u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn is_lower_alphanumeric(byte: &u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

fn is_hexadecimal(byte: &u8) -> bool {
    byte.is_ascii_hexdigit()
}

fn is_databricks(byte: &u8) -> bool {
    byte.is_ascii_hexdigit() || *byte == b'-'
}

pub(super) fn is_url_safe(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_dotted(byte: &u8) -> bool {
    is_url_safe(byte) || *byte == b'.'
}

/// Marks of two letters.
pub(super) const SHORT_MARKS: &[(&str, LookAt)] = &[("SK", twilio), ("Q~", azure), ("MT", discord)];

fn is_azure(byte: &u8) -> bool {
    is_dotted(byte) || *byte == b'~'
}

fn is_dollar_alphanumeric(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'$'
}

pub(super) fn is_base64(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

fn is_base64_url(byte: &u8) -> bool {
    is_base64(byte) || matches!(byte, b'_' | b'-')
}

fn is_fly(byte: &u8) -> bool {
    is_base64_url(byte) || *byte == b','
}

/// The token at a mark, if what follows has the vendor's alphabet and length, is random, and is no part of a longer word.
pub(super) fn token_at(
    text: &str,
    mark: Range<usize>,
    alphabet: fn(&u8) -> bool,
    length: &Range<usize>,
) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = mark.start;
    let body = &bytes[mark.end..];
    let n_body = body.iter().take(length.end).take_while(|byte| alphabet(byte)).count();
    // A full stop ends a sentence, not a token.
    let n_trailing =
        body[..n_body].iter().rev().take_while(|byte| matches!(byte, b'.' | b',' | b'-')).count();
    let n_body = if length.contains(&n_body) { n_body } else { n_body - n_trailing };
    let ends_there = !body.get(n_body).is_some_and(u8::is_ascii_alphanumeric);
    let is_token =
        length.contains(&n_body) && ends_there && starts_word(text, start) && is_random(&body[..n_body]);
    is_token.then(|| start..mark.end + n_body)
}

/// Whether a word may start at `at`: at the beginning, after punctuation, or after an escape such as `\n` or `%3D`.
pub(super) fn starts_word(text: &str, at: usize) -> bool {
    let before = &text.as_bytes()[..at];
    match before {
        [] => true,
        [.., last] if !is_url_safe(last) => true,
        [.., b'\\', b'n' | b'r' | b't' | b'f' | b'b' | b'v' | b'0'] => true,
        [.., b'%', a, b] | [.., b'\\', b'x', a, b] => a.is_ascii_hexdigit() && b.is_ascii_hexdigit(),
        [.., b'\\', b'u', a, b, c, d] => [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()),
        // `-ptoken` and `--key-token` are flags of a command line.
        [.., b' ', b'-'] => true,
        _ => false,
    }
}

/// How many bytes from `start` on are of an alphabet, at most `limit`.
pub(super) fn run(text: &str, start: usize, limit: usize, alphabet: fn(&u8) -> bool) -> usize {
    text.as_bytes()[start..].iter().take(limit).take_while(|byte| alphabet(byte)).count()
}

/// How many bytes before `end` are of an alphabet, at most `limit`.
pub(super) fn run_before(text: &str, end: usize, limit: usize, alphabet: fn(&u8) -> bool) -> usize {
    text.as_bytes()[..end].iter().rev().take(limit).take_while(|byte| alphabet(byte)).count()
}

const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// `header.claims.signature`; the header is a JSON object, and the claims name nobody that samples name.
fn json_web_token(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    if !starts_word(text, mark.start) {
        return None;
    }
    let header = run(text, mark.start, MAX_TOKEN_BYTES, is_url_safe);
    let claims = part_after(text, mark.start + header)?;
    let signature = part_after(text, claims.end);
    let end = signature.as_ref().map_or(claims.end, |signature| signature.end);
    let head = decoded(&text[mark.start..mark.start + header])?;
    let is_header = head.starts_with(b"{\"")
        && [&b"\"alg\""[..], b"\"typ\"", b"\"kid\"", b"\"enc\""].iter().any(|name| find(&head, name));
    let is_signed = signature.is_some_and(|signature| signature.len() >= 16)
        && is_random(&text.as_bytes()[mark.start..end]);
    let is_sample = decoded(&text[claims]).is_some_and(|claims| has_sample_subject(&claims));
    // Encrypted ones have five parts.
    let rest = text.as_bytes()[end..].iter().take(MAX_TOKEN_BYTES).take_while(|byte| is_dotted(byte)).count();
    (is_header && is_signed && !is_sample).then_some(mark.start..end + rest)
}

/// The part behind a full stop at `at`.
fn part_after(text: &str, at: usize) -> Option<Range<usize>> {
    let start = at + 1;
    let length =
        (text.as_bytes().get(at) == Some(&b'.')).then(|| run(text, start, MAX_TOKEN_BYTES, is_url_safe))?;
    (length > 0).then_some(start..start + length)
}

/// `1234567890:AA` and 33 more: a bot's number and its key.
fn telegram(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let n_digits = run_before(text, mark.start, 12, u8::is_ascii_digit);
    let start = mark.start - n_digits;
    let key = mark.end - 2;
    let length = run(text, key, 40, is_url_safe);
    let is_token =
        (8..=11).contains(&n_digits) && length == 35 && is_random(&text.as_bytes()[key..key + length]);
    // In addresses, `bot` precedes it.
    (is_token && (starts_word(text, start) || text[..start].ends_with("bot"))).then_some(start..key + length)
}

/// `32 hexadecimal digits-us12`
fn mailchimp(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let start = mark.start.checked_sub(32)?;
    let n_key = run_before(text, mark.start, 32, u8::is_ascii_hexdigit);
    let n_place = run(text, mark.end, 3, u8::is_ascii_digit);
    let is_key = n_key == 32 && (1..=2).contains(&n_place) && starts_word(text, start);
    (is_key && is_random(&text.as_bytes()[start..mark.start])).then_some(start..mark.end + n_place)
}

/// `SK` and 32 hexadecimal digits.
fn twilio(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let key = mark.start + 2;
    let length = run(text, key, 34, |byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'));
    let ends_there = !text.as_bytes().get(key + length).is_some_and(is_url_safe);
    (length == 32
        && ends_there
        && starts_word(text, mark.start)
        && is_random(&text.as_bytes()[key..key + length]))
    .then_some(mark.start..key + length)
}

/// The credential of a web hook's address is the last part of its path, which is long and random.
fn webhook(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let is_path = |byte: &u8| is_url_safe(byte) || matches!(byte, b'/' | b'@');
    let length = run(text, mark.end, 400, is_path);
    let path = text[mark.end..mark.end + length].trim_end_matches('/');
    // Discord takes messages as Slack and GitHub send them, too.
    let path = path.strip_suffix("/slack").or_else(|| path.strip_suffix("/github")).unwrap_or(path);
    let key = path.rsplit('/').next()?;
    (key.len() >= 16 && is_random(key.as_bytes())).then(|| mark.end..mark.end + path.len())
}

/// `sig=` of a shared access signature: SHA-256 in base64, escaped or not.
fn shared_signature(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let is_signature = |byte: &u8| is_base64_url(byte) || *byte == b'%';
    let length = run(text, mark.end, 80, is_signature);
    let value = &text.as_bytes()[mark.end..mark.end + length];
    let is_first = text.as_bytes()[..mark.start].last().is_none_or(|byte| !is_url_safe(byte));
    ((43..=64).contains(&length) && is_first && is_random(value)).then_some(mark.end..mark.end + length)
}

/// A token whose mark goes on in one of several ways.
fn family(
    text: &str,
    mark: Range<usize>,
    rests: &[&str],
    alphabet: fn(&u8) -> bool,
    length: &Range<usize>,
) -> Option<Range<usize>> {
    let rest = rests.iter().find(|rest| text[mark.end..].starts_with(**rest))?;
    token_at(text, mark.start..mark.end + rest.len(), alphabet, length)
}

fn slack(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    family(text, mark, &["b-", "p-", "a-", "s-", "r-", "o-", "c-", "d-", "e-"], is_url_safe, &(24..256))
}

fn shopify(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    family(text, mark, &["at_", "ca_", "pa_", "ss_"], is_hexadecimal, &(32..33))
}

fn doppler(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    family(text, mark, &["pt.", "st.", "ct.", "sa.", "scim.", "audit."], is_dotted, &(40..80))
}

fn digital_ocean(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let start = mark.start.checked_sub(3)?;
    let is_known = ["dop", "doo", "dor"].iter().any(|kind| text[..mark.start].ends_with(kind));
    token_at(text, start..mark.end, is_hexadecimal, &(64..65)).filter(|_| is_known)
}

/// Fourteen letters, `.atlasv1.`, sixty or more.
fn terraform_cloud(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let start = mark.start.checked_sub(14)?;
    let n_before = run_before(text, mark.start, 14, u8::is_ascii_alphanumeric);
    let length = run(text, mark.end, 80, is_base64_url);
    let is_token = n_before == 14 && length >= 60 && starts_word(text, start);
    (is_token && is_random(&text.as_bytes()[mark.end..mark.end + length])).then_some(start..mark.end + length)
}

/// A client's secret in Azure: three bytes and a digit, `Q~`, thirty-one to thirty-four bytes.
fn azure(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let n_before = run_before(text, mark.start, 4, is_azure);
    let length = run(text, mark.end, 35, is_azure);
    let start = mark.start.checked_sub(4).filter(|_| n_before == 4)?;
    let is_secret = (31..=34).contains(&length) && starts_word(text, start);
    (is_secret && is_random(&text.as_bytes()[mark.end..mark.end + length]))
        .then_some(start..mark.end + length)
}

/// A bot's number in base64, which begins with `MT` as the number with 1, six letters, twenty-seven or more.
fn discord(text: &str, mark: Range<usize>) -> Option<Range<usize>> {
    let n_number = run(text, mark.start, 32, is_url_safe);
    if !(23..=28).contains(&n_number) || !starts_word(text, mark.start) {
        return None;
    }
    let time = part_after(text, mark.start + n_number)?;
    let key = part_after(text, time.end)?;
    let is_number = decoded(&text[mark.start..mark.start + n_number])?.iter().all(u8::is_ascii_digit);
    (is_number
        && time.len() == 6
        && (27..=40).contains(&key.len())
        && is_random(&text.as_bytes()[key.clone()]))
    .then_some(mark.start..key.end)
}

/// Whether the body of a vendor's token is random. Behind a mark, capitals that happen to spell words are random, too.
fn is_random(body: &[u8]) -> bool {
    is_secret(Place::Mark, body) || is_drawn(body)
}

fn find(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(text, part).is_some()
}

/// Base64 of either alphabet, padded or not; `None` for anything else.
pub(super) fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut n_bits) = (0_u32, 0);
    for byte in text.bytes().filter(|byte| *byte != b'=') {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            bytes.push((bits >> n_bits) as u8);
            bits &= (1 << n_bits) - 1;
        }
    }
    Some(bytes)
}
