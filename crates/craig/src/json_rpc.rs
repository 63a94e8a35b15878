//! JSON-RPC messages that cannot be read: which error answers them, and to which request.

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value, json};

const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;
const INVALID_PARAMS: i32 = -32_602;

/// Longer ids are not echoed.
const MOST_ID_BYTES: usize = 1_000;

/// Why a message cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Id of the request, as JSON; `None` for a notification, a response, and where it cannot be known.
    id: Option<Value>,
    /// Whether a peer expects an answer.
    pub(crate) is_answered: bool,
    code: i32,
    message: String,
}

impl Fault {
    /// The error for a message that does not parse as any message of the protocol.
    pub(crate) fn of_unreadable(message: &[u8]) -> Self {
        if let Err(error) = serde_json::from_slice::<IgnoredAny>(message) {
            let message = format!("the message is not valid JSON: {error}");
            return Self { id: None, is_answered: true, code: PARSE_ERROR, message };
        }
        let mut scanner = IdScanner::default();
        scanner.read(message);
        let (code, text) = match serde_json::from_slice::<Value>(message) {
            Err(_) => (INVALID_REQUEST, "the message is nested deeper than 128 levels".to_owned()),
            Ok(value) => match value["method"].as_str() {
                Some(method) if value["jsonrpc"] == "2.0" => {
                    (INVALID_PARAMS, format!("the params do not fit the method {method:?}"))
                }
                _ => (INVALID_REQUEST, "the message is not a JSON-RPC 2.0 request".to_owned()),
            },
        };
        let is_answered = scanner.is_request() || !scanner.is_object;
        Self { id: scanner.id(), is_answered, code, message: text }
    }

    /// The error for a message of more than `most` bytes, which `scanner` has read.
    pub(crate) fn of_too_long(scanner: &IdScanner, most: usize) -> Self {
        let message = format!("the message is longer than {most} bytes");
        Self { id: scanner.id(), is_answered: scanner.is_request(), code: INVALID_REQUEST, message }
    }

    /// The error response.
    pub(crate) fn response(&self) -> Value {
        json!({ "jsonrpc": "2.0", "id": self.id, "error": { "code": self.code, "message": self.message } })
    }

    /// Id, code and text, for a protocol library whose responses need an id.
    pub(crate) fn parts<Id: DeserializeOwned>(&self) -> (Option<Id>, i32, &str) {
        let id = self.id.clone().and_then(|id| serde_json::from_value(id).ok());
        (id, self.code, &self.message)
    }
}

/// Finds the id of a message in one pass and constant memory, however long or deeply nested the message is.
#[derive(Debug, Default)]
pub(crate) struct IdScanner {
    depth: u64,
    is_object: bool,
    in_string: bool,
    is_escaped: bool,
    is_value: bool,
    /// The last key of the outermost object, or the scalar value that follows it.
    token: Vec<u8>,
    key: Key,
    id: Option<Vec<u8>>,
    has_method: bool,
}

/// Keys of a message that matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Key {
    Id,
    Method,
    #[default]
    Other,
}

impl IdScanner {
    /// Reads the next bytes of the message.
    pub(crate) fn read(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.step(*byte));
    }

    /// Whether what has been read belongs to a request: it has a method and an id.
    pub(crate) fn is_request(&self) -> bool {
        self.has_method && self.id.is_some()
    }

    fn id(&self) -> Option<Value> {
        let id = self.id.as_ref().filter(|_| self.has_method)?;
        serde_json::from_slice(id).ok().filter(|id: &Value| id.is_number() || id.is_string())
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            return self.step_in_string(byte);
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.is_object |= self.depth == 0 && byte == b'{';
                self.depth += 1;
            }
            b'}' | b']' => {
                self.end_of_value();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => self.end_of_value(),
            b':' if self.depth == 1 => self.end_of_key(),
            _ if byte.is_ascii_whitespace() => {}
            _ => self.keep(byte),
        }
    }

    fn step_in_string(&mut self, byte: u8) {
        self.keep(byte);
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = true,
            b'"' => self.in_string = false,
            _ => {}
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() <= MOST_ID_BYTES {
            self.token.push(byte);
        }
    }

    fn end_of_key(&mut self) {
        self.key = match self.token.as_slice() {
            b"\"id\"" => Key::Id,
            b"\"method\"" => Key::Method,
            _ => Key::Other,
        };
        self.has_method |= self.key == Key::Method;
        self.is_value = true;
        self.token.clear();
    }

    fn end_of_value(&mut self) {
        if self.depth != 1 || !self.is_object {
            return;
        }
        let token = std::mem::take(&mut self.token);
        if self.is_value && self.key == Key::Id && token.len() <= MOST_ID_BYTES {
            self.id = Some(token);
        }
        self.is_value = false;
        self.key = Key::Other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(message: &str) -> String {
        let fault = Fault::of_unreadable(message.as_bytes());
        let answer =
            if fault.is_answered { fault.response()["error"]["code"].to_string() } else { "none".into() };
        format!("{} {answer}", fault.response()["id"])
    }

    #[test]
    fn an_unreadable_message_gets_an_error_with_its_id() {
        let deep = "[".repeat(200_000) + &"]".repeat(200_000);
        for (message, expected) in [
            (format!(r#"{{"jsonrpc":"2.0","id":7,"method":"ping","params":{deep}}}"#), "7 -32600"),
            (
                format!(r#"{{"params":{{"id":1,"a":{deep}}},"method":"x","jsonrpc":"2.0","id":"a\"b"}}"#),
                r#""a\"b" -32600"#,
            ),
            (format!(r#"{{"jsonrpc":"2.0","method":"x","params":{deep}}}"#), "null none"),
            (format!(r#"{{"jsonrpc":"2.0","id":3,"result":{deep}}}"#), "null none"),
            (r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":7}"#.into(), "9 -32602"),
            (r#"{"jsonrpc":"1.0", "id" : 9 ,"method":"a"}"#.into(), "9 -32600"),
            (r#"{"jsonrpc":"2.0","id":9,"method":"#.into(), "null -32700"),
            ("not json".into(), "null -32700"),
            ("[1]".into(), "null -32600"),
            (format!(r#"{{"id":"{}","method":"a"}}"#, "x".repeat(5_000)), "null none"),
        ] {
            assert_eq!(fault(&message), expected, "{}", &message[..message.len().min(80)]);
        }
    }

    #[test]
    fn the_id_of_a_long_message_is_found_at_either_end_and_in_pieces() {
        let long = "x".repeat(100_000);
        for message in [
            format!(r#"{{"jsonrpc":"2.0","id":12,"method":"m","params":{{"text":"{long}"}}}}"#),
            format!(r#"{{"method":"m","params":{{"id":3,"text":"{long}"}},"jsonrpc":"2.0","id":12}}"#),
        ] {
            let mut scanner = IdScanner::default();
            message.as_bytes().chunks(7).for_each(|piece| scanner.read(piece));
            let fault = Fault::of_too_long(&scanner, 1_000);
            assert!(fault.is_answered);
            assert_eq!(
                fault.parts::<u32>(),
                (Some(12), INVALID_REQUEST, "the message is longer than 1000 bytes")
            );
        }
    }
}
