//! Paths as links (OSC 8), which terminals open with a click.

use std::path::PathBuf;

use anstyle::Style;

use crate::lsp::uri_of;

/// Makes links of the paths below a directory.
#[derive(Debug)]
pub(super) struct Links {
    root: PathBuf,
    host: String,
}

impl Links {
    /// `None` where stdout is no terminal that shows links.
    pub(super) fn to_files_of(root: PathBuf) -> Option<Self> {
        let are_shown = supports_hyperlinks::on(supports_hyperlinks::Stream::Stdout);
        are_shown.then(|| Self { root, host: host() })
    }

    /// `text` with each part in `style` linked to the file that it names, if there is one: `src/auth.rs` or `src/auth.rs:12-40`.
    pub(super) fn link(&self, text: &str, style: Style) -> String {
        let (start, end) = (style.render().to_string(), style.render_reset().to_string());
        let mut linked = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, (name, after))) =
            rest.split_once(&start).and_then(|(before, from)| Some((before, from.split_once(&end)?)))
        {
            linked += before;
            let styled = format!("{start}{name}{end}");
            linked += &match self.uri(name) {
                Some(uri) => format!("\x1b]8;;{uri}\x1b\\{styled}\x1b]8;;\x1b\\"),
                None => styled,
            };
            rest = after;
        }
        linked + rest
    }

    /// The URI of the file that is named, perhaps with lines. Keywords of code have the same style, but neither folders nor
    /// extensions.
    fn uri(&self, name: &str) -> Option<String> {
        if !name.contains(['/', '.']) {
            return None;
        }
        let without_lines = name.rsplit_once(':').map(|(path, _)| path);
        let mut paths = std::iter::once(name).chain(without_lines).map(|path| self.root.join(path));
        let file = paths.find(|path| path.is_file())?;
        let path = uri_of(&file)?.as_str().strip_prefix("file://")?.to_owned();
        Some(format!("file://{}{path}", self.host))
    }
}

/// The name of this machine: a terminal on another one knows that the file is not its own.
fn host() -> String {
    #[cfg(unix)]
    return rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    String::new()
}

#[cfg(test)]
mod tests {
    use anstyle::AnsiColor;

    use super::*;

    #[test]
    fn files_that_exist_are_linked() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a b.rs"), "").unwrap();
        let links = Links { root: folder.path().to_owned(), host: "here".to_owned() };
        let style = AnsiColor::Magenta.on_default();
        let text = format!("1 {style}a b.rs:1-2{style:#} {style}gone.rs{style:#} a b.rs\n");
        let uri = format!("file://here{}/a%20b.rs", folder.path().display());
        let expected = format!(
            "1 \x1b]8;;{uri}\x1b\\{style}a b.rs:1-2{style:#}\x1b]8;;\x1b\\ {style}gone.rs{style:#} a b.rs\n"
        );
        assert_eq!(links.link(&text, style), expected);
        assert_eq!(anstream::adapter::strip_str(&expected).to_string(), "1 a b.rs:1-2 gone.rs a b.rs\n");
    }
}
