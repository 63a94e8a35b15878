//! Which pages are translations: by the languages that folders and files are called by, and by the script of their text.

use std::collections::BTreeSet;

use craig_text::path::{extension, file_stem, folder};

/// Languages that documentation is translated into, by the codes that folders and files are called by; some are those of
/// countries.
const LANGUAGES: [&str; 44] = [
    "ar", "az", "bg", "bn", "br", "ca", "cn", "cs", "da", "de", "el", "en", "es", "fa", "fi", "fr", "he",
    "hi", "hk", "hu", "id", "it", "ja", "jp", "ko", "kr", "nb", "nl", "no", "pl", "pt", "ro", "ru", "sk",
    "sl", "sr", "sv", "ta", "th", "tr", "tw", "ua", "uk", "zh",
];

/// A text of which so large a share of the letters is of another script is written in it: code and names stay Latin.
const OTHER_SCRIPT: f64 = 0.15;

/// Shorter texts are of no script.
const MIN_LETTERS: usize = 40;

/// Whether a page lies in the folder of a language, and the same page lies outside of it or in that of English, or its name
/// ends with a language, and the same name without it is a page: `README.zh-CN.md` beside `readme.md`.
pub(super) fn is_translation(path: &str, all: &BTreeSet<&str>) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let folders = parts.iter().enumerate().take(parts.len().saturating_sub(1));
    let is_language = |(_, part): &(usize, &&str)| language_of(part).is_some_and(|language| language != "en");
    let in_folder = folders.filter(is_language).any(|(at, _)| {
        let with = |instead: &[&str]| [&parts[..at], instead, &parts[at + 1..]].concat().join("/");
        [&[][..], &["en"], &["en-US"], &["en_US"]].iter().any(|instead| all.contains(with(instead).as_str()))
    });
    in_folder || has_twin(path, all)
}

fn has_twin(path: &str, all: &BTreeSet<&str>) -> bool {
    let stem = file_stem(path);
    let ends = stem.match_indices(['.', '-', '_']).map(|(at, _)| at);
    let mut originals =
        ends.filter(|&at| language_of(&stem[at + 1..]).is_some_and(|language| language != "en"));
    originals.any(|at| {
        let is_original = |other: &&&str| {
            folder(other) == folder(path)
                && extension(other).eq_ignore_ascii_case(extension(path))
                && file_stem(other).eq_ignore_ascii_case(&stem[..at])
        };
        all.iter().any(|other| is_original(&other))
    })
}

/// The language that a name is the code of: `zh` of `zh-CN`.
fn language_of(name: &str) -> Option<String> {
    let (language, region) = name.split_once(['-', '_']).unwrap_or((name, ""));
    let is_region = region.is_empty() || [2, 4].contains(&region.len());
    let language = language.to_lowercase();
    (is_region && LANGUAGES.contains(&language.as_str())).then_some(language)
}

/// Whether a text is written in another script than the Latin one.
pub(super) fn is_of_other_script(text: &str) -> bool {
    let (mut n_letters, mut n_others) = (0usize, 0usize);
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        n_letters += 1;
        n_others += usize::from(c > '\u{24f}' && !('\u{1e00}'..='\u{1eff}').contains(&c));
    }
    n_letters >= MIN_LETTERS && n_others as f64 > OTHER_SCRIPT * n_letters as f64
}

#[cfg(test)]
mod tests {
    use crate::library::Library;

    fn pages_of(pages: &[(&str, &str)]) -> Vec<String> {
        let pages = pages.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let library = Library::of_texts(pages);
        let mut paths: Vec<String> =
            (0..library.n_sections()).map(|at| library.heading(at).0.to_owned()).collect();
        paths.dedup();
        paths
    }

    #[test]
    fn a_translation_is_no_page_beside_its_original() {
        let paths = [
            "Readme.md",
            "Readme_zh-CN.md",
            "docs/a.md",
            "docs/api-ui.md",
            "docs/api.md",
            "docs/de/d.md",
            "docs/en/b.md",
            "docs/go/c.md",
            "docs/ja/b.md",
            "docs/zh_CN/a.md",
        ];
        let expected = [
            "Readme.md",
            "docs/a.md",
            "docs/api-ui.md",
            "docs/api.md",
            "docs/de/d.md",
            "docs/en/b.md",
            "docs/go/c.md",
        ];
        assert_eq!(pages_of(&paths.map(|path| (path, "# Start\n"))), expected);
    }

    #[test]
    fn a_page_of_a_former_version_is_left_out_where_there_is_another() {
        let page = |path| (path, "# Start\n");
        let [former, current] = ["site/versioned_docs/version-1.2/a.md", "site/docs/b.md"].map(page);
        assert_eq!(pages_of(&[former, current]), ["site/docs/b.md"]);
        assert_eq!(pages_of(&[former]), [former.0]);
    }

    #[test]
    fn a_page_in_another_script_than_most_is_left_out() {
        let english = "# Options\n\nThe options of a command are parsed before its arguments are.\n";
        let chinese = "# 选项\n\n命令的选项在其参数之前解析，可变参数的选项会吃掉后面的所有参数，除非遇到另一个选项或者分隔符为止。\n";
        assert_eq!(pages_of(&[("a.md", english), ("b.md", english), ("c.md", chinese)]), ["a.md", "b.md"]);
        assert_eq!(pages_of(&[("a.md", english), ("c.md", chinese)]), ["a.md", "c.md"]);
    }
}
