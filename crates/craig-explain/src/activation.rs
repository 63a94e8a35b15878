//! Whether a project is one that explanations are made for without being asked.

use craig_source::{Root, SourceError, SourceOptions, walk};

/// Whether a project is one of JavaScript: it has a `package.json` or a script of JavaScript or TypeScript that is tracked.
///
/// Fails when the project cannot be walked.
pub fn is_script_project(root: &Root) -> Result<bool, SourceError> {
    let listing = walk(root, &SourceOptions::default())?;
    Ok(listing.entries.iter().any(|entry| is_sign(&entry.path)))
}

fn is_sign(path: &str) -> bool {
    let name = craig_text::path::name(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    name == "package.json" || matches!(ending, "js" | "ts" | "jsx" | "tsx" | "mjs" | "cjs" | "mts" | "cts")
}
