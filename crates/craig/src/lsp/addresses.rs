//! `file:` addresses and paths.

use std::path::{Path, PathBuf};

use lsp_types::Uri;
use percent_encoding::{
    AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode_byte, utf8_percent_encode,
};
use serde_json::Value;

/// What is written as `%XX`.
const ESCAPED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b':');

/// The path of a `file:` address.
pub(crate) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let path = percent_decode_str(&rest[rest.find('/')?..]).decode_utf8().ok()?;
    // `/c:/folder` is a path of Windows.
    let is_drive = path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if is_drive { &path[1..] } else { &path[..] }))
}

/// The `file:` address of a path.
pub(crate) fn uri_of(path: &Path) -> Option<Uri> {
    let path = path.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
    let root = if path.starts_with('/') { "" } else { "/" };
    format!("file://{root}{}", utf8_percent_encode(&path, ESCAPED)).parse().ok()
}

/// Escapes what no URI may contain, in all URIs of a message: some editors send paths with blanks and brackets as they
/// are, which the types of the protocol refuse.
pub(crate) fn escape_uris(message: &mut Value) {
    match message {
        Value::Object(fields) => fields.iter_mut().for_each(|(name, field)| match field {
            Value::String(text) if name == "uri" || name.ends_with("Uri") => *text = escaped(text),
            field => escape_uris(field),
        }),
        Value::Array(items) => items.iter_mut().for_each(escape_uris),
        _ => {}
    }
}

/// A URI with escapes for all bytes that need one. Escapes that it has are kept.
fn escaped(uri: &str) -> String {
    let is_escape = |rest: &[u8]| rest.len() > 1 && rest[..2].iter().all(u8::is_ascii_hexdigit);
    let mut escaped = String::with_capacity(uri.len());
    for (at, byte) in uri.bytes().enumerate() {
        match byte {
            b'%' if is_escape(&uri.as_bytes()[at + 1..]) => escaped.push('%'),
            _ if byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=".contains(&byte) => {
                escaped.push(char::from(byte))
            }
            _ => escaped.push_str(percent_encode_byte(byte)),
        }
    }
    escaped
}

/// The address of a file of a folder, as text.
pub(crate) fn address_in(folder: &Path, path: &str) -> Option<String> {
    Some(uri_of(&folder.join(path))?.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_paths_agree() {
        for path in ["/a/b.js", "/with blank/é%.md"] {
            let uri = uri_of(path.as_ref()).unwrap();
            assert_eq!(path_of(&uri).unwrap(), PathBuf::from(path), "{}", uri.as_str());
        }
        assert_eq!(path_of(&"file:///c:/x".parse().unwrap()).unwrap(), PathBuf::from("c:/x"));
        assert_eq!(path_of(&"untitled:x".parse().unwrap()), None);
    }

    #[test]
    fn what_no_uri_may_contain_is_escaped() {
        for (sent, expected) in [
            ("file:///a b/[id]/100%/%zz%5b.ts", "file:///a%20b/%5Bid%5D/100%25/%25zz%5b.ts"),
            ("file:///ü#1?x", "file:///%C3%BC#1?x"),
            ("file:///c%3A/a\\b", "file:///c%3A/a%5Cb"),
            ("untitled:Untitled-1", "untitled:Untitled-1"),
            ("", ""),
        ] {
            assert_eq!(escaped(sent), expected);
            assert!(expected.parse::<Uri>().is_ok(), "{expected}");
        }
    }
}
