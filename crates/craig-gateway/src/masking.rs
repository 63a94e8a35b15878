//! Secrets that are overwritten before a conversation is sent to a provider, and how many they are.

use craig_engine::{mask_secrets, mask_text};

use crate::snippet::Snippet;

/// Overwrites the secrets of a client's result as those of its file; returns how many there were.
pub(crate) fn mask_result(result: &mut Snippet) -> usize {
    let masked = match mask_text(&result.file, &result.content) {
        std::borrow::Cow::Borrowed(_) => return 0,
        std::borrow::Cow::Owned(masked) => masked,
    };
    let n_masked = n_masked(&result.content, &masked);
    result.content = masked;
    n_masked
}

/// Fields that providers check when they come back, or that are no text: a thought with its signature, and encoded data.
const UNTOUCHED: [&str; 4] = ["thinking", "signature", "encrypted_content", "data"];

/// `json` without the secrets in its strings, and how many there were. `except`, a part of `json`, and the values of
/// [`UNTOUCHED`] fields stay as they are. `None` if there are none.
pub(crate) fn mask_json(json: &str, except: &str) -> Option<(String, usize)> {
    let except = match (except.as_ptr() as usize).checked_sub(json.as_ptr() as usize) {
        Some(start) if start + except.len() <= json.len() => start..start + except.len(),
        _ => 0..0,
    };
    let (mut masked, mut copied, mut n_masked_in_all) = (String::new(), 0, 0);
    let mut at = 0;
    let mut is_untouched = false;
    while let Some(start) = memchr::memchr(b'"', &json.as_bytes()[at..]).map(|found| at + found) {
        if except.contains(&start) {
            at = except.end;
            continue;
        }
        let end = end_of_string(json.as_bytes(), start)?;
        at = end;
        let is_value_untouched = std::mem::take(&mut is_untouched);
        let rest = json[end..].trim_ascii_start();
        if let Some(value) = rest.strip_prefix(':') {
            let is_text = value.trim_ascii_start().starts_with('"');
            is_untouched = is_text && UNTOUCHED.contains(&&json[start + 1..end - 1]);
        } else if is_value_untouched {
            continue;
        }
        let text: String = serde_json::from_str(&json[start..end]).ok()?;
        if let std::borrow::Cow::Owned(without) = mask_secrets(&text) {
            masked.push_str(&json[copied..start]);
            masked.push_str(&serde_json::Value::from(without.as_str()).to_string());
            n_masked_in_all += n_masked(&text, &without);
            copied = end;
        }
    }
    if n_masked_in_all == 0 {
        return None;
    }
    masked.push_str(&json[copied..]);
    Some((masked, n_masked_in_all))
}

/// The end of the JSON string that begins at `start`.
fn end_of_string(json: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', &json[at..])?;
        match json[at] {
            b'"' => return Some(at + 1),
            _ => at += 2,
        }
        if at > json.len() {
            return None;
        }
    }
}

/// Stretches of `masked` that differ from `text`; a secret of several lines is one.
fn n_masked(text: &str, masked: &str) -> usize {
    let pairs = text.bytes().zip(masked.bytes()).filter(|(_, masked)| !matches!(masked, b'\n' | b'\r'));
    let mut was_masked = false;
    let mut begins =
        |(before, after): (u8, u8)| !std::mem::replace(&mut was_masked, before != after) && before != after;
    pairs.filter(|pair| begins(*pair)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token() -> String {
        ["gh", "p_r8Zt4kQ1vXw9Lm2Np7Bs5Hd3Jf6Gc0Ya1UeK"].concat()
    }

    #[test]
    fn strings_are_masked_and_everything_else_stays() {
        let token = token();
        let json = format!(
            r#"{{"a": "x \"\n{token}\né" ,"b":[1.0,"{token} {token}"],"r":[{{"content":"{token}"}}]}}"#
        );
        let except = &json[json.find("[{").unwrap()..json.len() - 1];
        let (masked, n_masked) = mask_json(&json, except).unwrap();
        let stars = "*".repeat(token.len());
        let expected = format!(
            r#"{{"a": "x \"\n{stars}\né" ,"b":[1.0,"{stars} {stars}"],"r":[{{"content":"{token}"}}]}}"#
        );
        assert_eq!((masked, n_masked), (expected, 3));
        assert_eq!(mask_json(r#"{"a":"b \\"}"#, ""), None);
        assert_eq!(mask_json(r#"{"a":"b \"#, ""), None);
    }

    #[test]
    fn a_result_is_masked_as_its_file() {
        let result = |file: &str, content: &str| Snippet {
            content: content.into(),
            file: file.into(),
            score: None,
            line_start: None,
            line_end: None,
        };
        // Without quotes a call is no secret in code, and may be one in prose.
        let call = "password = load_password_q8Zt4kV1(path)\n";
        let mut code = result("src/a.py", call);
        assert_eq!((mask_result(&mut code), code.content.as_str()), (0, call));
        let mut environment = result("deploy/.env", "PORT=80\nNAME=x\n");
        assert_eq!((mask_result(&mut environment), environment.content.as_str()), (1, "*******\n******\n"));
        let mut two = result("a.js", &format!("open(\"{0}\");\nopen(\"{0}\")", token()));
        assert_eq!(mask_result(&mut two), 2);
        assert!(!two.content.contains("r8Zt4k"));
    }
}
