//! Translations, by the languages that folders and files are called by.

use crate::path::{extension, file_stem, folder, under};

/// Languages that documentation is translated into, by the codes that folders and files are called by; some are those of
/// countries.
const LANGUAGES: [&str; 44] = [
    "ar", "az", "bg", "bn", "br", "ca", "cn", "cs", "da", "de", "el", "en", "es", "fa", "fi", "fr", "he",
    "hi", "hk", "hu", "id", "it", "ja", "jp", "ko", "kr", "nb", "nl", "no", "pl", "pt", "ro", "ru", "sk",
    "sl", "sr", "sv", "ta", "th", "tr", "tw", "ua", "uk", "zh",
];

/// Paths at which the original of a page lies if the page is a translation: in the folder above or in that of English for
/// one in the folder of a language, `README.md` for `README.zh-CN.md`.
pub fn originals(path: &str) -> Vec<String> {
    let parts: Vec<&str> = path.split('/').collect();
    let folders = parts.iter().enumerate().take(parts.len().saturating_sub(1));
    let of_language = folders.filter(|(_, part)| is_other_language(part));
    let elsewhere = of_language.flat_map(|(at, _)| {
        let with = |instead: &[&str]| [&parts[..at], instead, &parts[at + 1..]].concat().join("/");
        [&[][..], &["en"], &["en-US"], &["en_US"]].map(with)
    });
    let stem = file_stem(path);
    let ends = stem.match_indices(['.', '-', '_']).map(|(at, _)| at);
    let suffixed = ends.filter(|&at| is_other_language(&stem[at + 1..]));
    let beside = suffixed.map(|at| under(folder(path), &format!("{}.{}", &stem[..at], extension(path))));
    elsewhere.chain(beside).collect()
}

/// Whether a name is the code of a language other than English: `zh`, `zh-CN`.
fn is_other_language(name: &str) -> bool {
    let (language, region) = name.split_once(['-', '_']).unwrap_or((name, ""));
    let is_region = region.is_empty() || [2, 4].contains(&region.len());
    let language = language.to_lowercase();
    is_region && language != "en" && LANGUAGES.contains(&language.as_str())
}

/// Whether a letter is of the Latin script.
pub fn is_latin(letter: char) -> bool {
    letter <= '\u{24f}' || ('\u{1e00}'..='\u{1eff}').contains(&letter)
}

#[cfg(test)]
mod tests {
    use super::originals;

    #[test]
    fn a_translation_has_its_original_elsewhere() {
        assert_eq!(originals("README.zh-CN.md")[..1], ["README.md"]);
        assert_eq!(originals("docs/hi/a.md")[..2], ["docs/a.md", "docs/en/a.md"]);
        for path in ["README.md", "docs/en/a.md", "docs/api-ui.md", "src/io/a.rs"] {
            assert!(originals(path).is_empty(), "{path}");
        }
    }
}
