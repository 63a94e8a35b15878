//! `file:` addresses and paths.

use std::path::{Path, PathBuf};

use lsp_types::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

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
}
