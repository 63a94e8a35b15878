//! `craig://project/path`: names of files for clients; and `file:` URIs as clients write them.

use std::path::PathBuf;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Characters that are percent-encoded.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// How URIs of files of this machine begin.
const FILE: &str = "file://";

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

/// Whether a text is a `file:` URI.
pub(super) fn is_file(text: &str) -> bool {
    text.get(..FILE.len()).is_some_and(|scheme| scheme.eq_ignore_ascii_case(FILE))
}

/// The path that a `file:` URI means, or a plain absolute path.
pub(super) fn path_of_file(uri: &str) -> Option<PathBuf> {
    let mut paths = paths_of_file(uri);
    let existing = paths.iter().position(|path| path.exists()).unwrap_or_default();
    (existing < paths.len()).then(|| paths.swap_remove(existing))
}

/// The absolute paths that a `file:` URI may mean, the likeliest first: some clients do not escape it, or send a plain path.
pub(super) fn paths_of_file(uri: &str) -> Vec<PathBuf> {
    let path = match is_file(uri) {
        true => uri[FILE.len()..].strip_prefix("localhost").unwrap_or(&uri[FILE.len()..]),
        false => uri,
    };
    let decoded = unescape(path).filter(|_| is_file(uri));
    let paths = decoded.into_iter().chain([path.to_owned()]).map(|path| {
        // `file:///C:/src` names `C:/src`.
        let is_drive = cfg!(windows) && path.as_bytes().get(2) == Some(&b':');
        PathBuf::from(if is_drive { &path[1..] } else { &path[..] })
    });
    paths.filter(|path| path.is_absolute()).collect()
}

/// A path without percent-escapes, if it has any.
pub(super) fn unescaped(path: &str) -> Option<String> {
    unescape(path).filter(|decoded| decoded != path)
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
    fn a_file_uri_may_be_escaped_or_not() {
        for (uri, paths) in [
            ("file:///a%20b", vec!["/a b", "/a%20b"]),
            ("FILE://localhost/a b/100%", vec!["/a b/100%"]),
            ("/a%20b", vec!["/a%20b"]),
            ("file://host/share", vec![]),
            ("file:///%ff", vec!["/%ff"]),
            ("vscode-remote://ssh/x", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(paths_of_file(uri), paths.into_iter().map(PathBuf::from).collect::<Vec<_>>(), "{uri}");
        }
    }

    #[test]
    fn a_path_may_have_escapes() {
        assert_eq!(unescaped("docs/a%20b.md").as_deref(), Some("docs/a b.md"));
        assert!(unescaped("src/a.py").is_none() && unescaped("100%").is_none());
    }

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
