//! `craig://project/path`: names of files for clients.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Characters that are percent-encoded.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The URI of a file, or of a project if `path` is empty.
pub(super) fn write(project: &str, path: &str) -> String {
    format!("craig://{}/{}", escape(project).replace('/', "%2F"), escape(path))
}

/// Project and path of a URI; `None` if it is not a `craig:` URI.
pub(super) fn read(uri: &str) -> Option<(String, String)> {
    let rest = uri.strip_prefix("craig://")?;
    let (project, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (project, path) = (unescape(project)?, unescape(path)?);
    (!project.is_empty()).then_some((project, path))
}

fn escape(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// `None` for an invalid escape, which the library would keep.
fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_survive_odd_names() {
        for (project, path) in [
            ("shop", "src/a.rs"),
            ("my shop/2", "ä b/%41#?.md"),
            ("x", ""),
            ("x", "a\\b\u{7}"),
            ("..", "../.."),
        ] {
            assert_eq!(read(&write(project, path)), Some((project.into(), path.into())));
        }
        for bad in ["file:///etc/passwd", "craig://", "craig:///a", "craig://a/%zz", "craig://a/%f"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
