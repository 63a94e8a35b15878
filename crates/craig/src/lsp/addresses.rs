//! `file:` addresses and paths.

use std::path::{Path, PathBuf};

use lsp_types::Uri;

/// The path of a `file:` address.
pub(crate) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut left = path.as_bytes();
    while let Some((&first, rest)) = left.split_first() {
        let escaped = (first == b'%').then(|| rest.get(..2)).flatten();
        let code = escaped.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(code.unwrap_or(first));
        left = if code.is_some() { &rest[2..] } else { rest };
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/c:/folder` is a path of Windows.
    let is_drive = path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if is_drive { &path[1..] } else { &path[..] }))
}

/// The `file:` address of a path.
pub(crate) fn uri_of(path: &Path) -> Option<Uri> {
    let mut address = String::from("file://");
    let path = path.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
    if !path.starts_with('/') {
        address.push('/');
    }
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~:".contains(&byte) {
            address.push(char::from(byte));
        } else {
            address += &format!("%{byte:02X}");
        }
    }
    address.parse().ok()
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
