//! Forwarded JSON: unknown fields are preserved byte for byte.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::failure::Problem;

/// An element of a list, or a field, has at least this many bytes on average, beyond [`FREE_PARTS`] of them: the list of
/// them then takes no more memory than the text.
const BYTES_PER_PART: usize = 16;
const FREE_PARTS: usize = 64;

/// The fields of an object in order, with unparsed values.
#[derive(Debug)]
pub(crate) struct RawObject<'a>(Vec<(Cow<'a, str>, &'a str)>);

/// A name, borrowed if it has no escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The text is not of the expected form.
#[derive(Debug)]
struct Malformed;

impl<'a> RawObject<'a> {
    /// Reads an object; the error for anything else does not repeat the text.
    pub(crate) fn read(body: &'a [u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(body).map_err(|_| "the request is not UTF-8".to_owned())?;
        if let Ok(fields) = fields(text) {
            return Ok(Self(fields));
        }
        Err(match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) if text.trim_ascii_start().starts_with('{') => "the request has too many fields".to_owned(),
            Ok(_) => "the request is not a JSON object".to_owned(),
            Err(error) => {
                format!("the request is not JSON: line {}, column {}", error.line(), error.column())
            }
        })
    }

    /// The value of a field. A field that occurs twice is an error, since other parsers may take the other one.
    pub(crate) fn get(&self, name: &str) -> Result<Option<&'a str>, Problem> {
        let mut values = self.0.iter().filter(|(field, _)| field == name).map(|(_, value)| *value);
        match (values.next(), values.next()) {
            (value, None) => Ok(value),
            _ => Err(Problem::invalid_field(name, format!("'{name}' comes twice"))),
        }
    }

    /// The same, parsed as `T`; `null` is `None`.
    pub(crate) fn read_field<T: Deserialize<'a>>(
        &self,
        name: &str,
        what: &str,
    ) -> Result<Option<T>, Problem> {
        let Some(value) = self.get(name)? else { return Ok(None) };
        let wrong = |_| Problem::invalid_field(name, format!("'{name}' is not {what}"));
        serde_json::from_str(value).map_err(wrong)
    }

    /// The fields in order, with unparsed values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), *value))
    }

    /// Writes the object without the fields of `without`, and with the values of `instead`.
    pub(crate) fn write(&self, without: &[&str], instead: &[(&str, String)]) -> Vec<u8> {
        let n_bytes: usize = self.0.iter().map(|(name, value)| name.len() + value.len() + 4).sum();
        let n_instead: usize = instead.iter().map(|(_, value)| value.len() + 32).sum();
        let mut out = Vec::with_capacity(n_bytes + n_instead);
        out.push(b'{');
        let kept = self.0.iter().filter(|(name, _)| !without.contains(&name.as_ref()));
        for (name, value) in kept {
            let other = instead.iter().find(|(other, _)| name == other);
            write_field(&mut out, name, other.map_or(value, |(_, value)| value));
        }
        let is_new = |name: &&str| !self.0.iter().any(|(known, _)| known == name);
        for (name, value) in instead.iter().filter(|(name, _)| is_new(name)) {
            write_field(&mut out, name, value);
        }
        out.push(b'}');
        out
    }
}

fn write_field(out: &mut Vec<u8>, name: &str, value: &str) {
    if out.len() > 1 {
        out.push(b',');
    }
    out.extend_from_slice(serde_json::Value::from(name).to_string().as_bytes());
    out.push(b':');
    out.extend_from_slice(value.as_bytes());
}

/// Whether there may be one more of `n_parts` parts of a text of `n_bytes`.
fn has_room(n_parts: usize, n_bytes: usize) -> bool {
    n_parts < FREE_PARTS + n_bytes / BYTES_PER_PART
}

/// The unparsed elements of a list; `None` if `text` is not a list, or one of too many small elements.
pub(crate) fn elements(text: &str) -> Option<Vec<&str>> {
    let mut rest = Rest(text);
    rest.take(b'[').ok()?;
    let mut elements = Vec::new();
    if rest.take(b']').is_err() {
        loop {
            has_room(elements.len(), text.len()).then_some(())?;
            elements.push(rest.value::<IgnoredAny>().ok()?.1);
            match rest.take(b',') {
                Ok(()) => {}
                Err(_) => break rest.take(b']').ok()?,
            }
        }
    }
    rest.is_over().then_some(elements)
}

fn fields(text: &str) -> Result<Vec<(Cow<'_, str>, &str)>, Malformed> {
    let mut rest = Rest(text);
    rest.take(b'{')?;
    let mut fields = Vec::with_capacity(8);
    if rest.take(b'}').is_err() {
        loop {
            let (Name(name), _) = rest.value()?;
            rest.take(b':')?;
            if !has_room(fields.len(), text.len() / 4) {
                return Err(Malformed);
            }
            fields.push((name, rest.value::<IgnoredAny>()?.1));
            match rest.take(b',') {
                Ok(()) => {}
                Err(_) => break rest.take(b'}')?,
            }
        }
    }
    if rest.is_over() { Ok(fields) } else { Err(Malformed) }
}

/// Text that is not parsed yet.
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    /// The next value, and its text.
    fn value<T: Deserialize<'a>>(&mut self) -> Result<(T, &'a str), Malformed> {
        let text = self.0.trim_ascii_start();
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<T>();
        let Some(Ok(value)) = values.next() else { return Err(Malformed) };
        let (written, rest) = text.split_at(values.byte_offset());
        self.0 = rest;
        Ok((value, written))
    }

    /// Skips a character if it is the next one.
    fn take(&mut self, sign: u8) -> Result<(), Malformed> {
        let text = self.0.trim_ascii_start();
        match text.as_bytes().first() {
            Some(first) if *first == sign => {
                self.0 = &text[1..];
                Ok(())
            }
            _ => Err(Malformed),
        }
    }

    fn is_over(&self) -> bool {
        self.0.trim_ascii().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_knows_stays_as_it_was() {
        let body = r#" {"model":"m", "n" : 1.00, "x\u0041":{"a": [1,  2]},"big":1e400 , "t": true} "#;
        let object = RawObject::read(body.as_bytes()).unwrap();
        let out = object.write(&["none"], &[("model", "\"other\"".into()), ("new", "true".into())]);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            r#"{"model":"other","n":1.00,"xA":{"a": [1,  2]},"big":1e400,"t":true,"new":true}"#
        );
        assert_eq!(String::from_utf8(object.write(&["model", "n", "xA", "big", "t"], &[])).unwrap(), "{}");
    }

    #[test]
    fn lists_fall_into_their_elements() {
        assert_eq!(
            elements(r#" [ {"a":[1,2]} , "x,]" ,null,1.0] "#).unwrap(),
            [r#"{"a":[1,2]}"#, r#""x,]""#, "null", "1.0"]
        );
        assert_eq!(elements("[]").unwrap(), [""; 0]);
        for bad in ["", "{}", "[1", "[1,]", "[1 2]", "[1]x", "\"[]\""] {
            assert!(elements(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn what_is_no_object_or_says_two_things_is_refused() {
        let refused = |body: &str| RawObject::read(body.as_bytes()).unwrap_err();
        assert_eq!(refused("[]"), "the request is not a JSON object");
        assert_eq!(refused("{\"a\":"), "the request is not JSON: line 1, column 5");
        assert_eq!(refused("{\"a\":1,}"), "the request is not JSON: line 1, column 8");
        assert_eq!(refused("{} x"), "the request is not JSON: line 1, column 4");
        assert_eq!(refused(""), "the request is not JSON: line 1, column 0");
        assert!(refused("{1:2}").starts_with("the request is not JSON"));
        let many = |part: &str| part.repeat(100_000);
        assert_eq!(refused(&format!("{{{}\"b\":1}}", many("\"a\":1,"))), "the request has too many fields");
        assert!(elements(&format!("[{}1]", many("1,"))).is_none());
        assert_eq!(elements(&format!("[{}1]", many("\"a longer text\","))).unwrap().len(), 100_001);
        let twice = RawObject::read(br#"{"model":"a","mod\u0065l":"b"}"#).unwrap();
        assert_eq!(twice.get("model").unwrap_err().message, "'model' comes twice");
        assert_eq!(RawObject::read(b"{\"a\":\"\xff\"}").unwrap_err(), "the request is not UTF-8");
    }
}
