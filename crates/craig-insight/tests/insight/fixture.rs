//! Projects written as text: each file below a line `//- /path`.

use craig_insight::Analysis;

/// The files in `text`, in order; lines before the first are ignored.
pub(crate) fn files(text: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match line.trim_start().strip_prefix("//- /") {
            Some(path) => files.push((path.to_owned(), String::new())),
            None => {
                if let Some((_, text)) = files.last_mut() {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
    }
    files
}

/// Borrowed as analyses take them.
pub(crate) fn borrowed(files: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> + Clone {
    files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
}

pub(crate) fn analysis(fixture: &str) -> Analysis {
    Analysis::from_texts(borrowed(&files(fixture)))
}
