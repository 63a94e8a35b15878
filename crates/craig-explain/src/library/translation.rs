//! Which pages are translations: by their paths, and by the script of their text.

use std::collections::BTreeSet;

use craig_text::{is_latin, originals};

/// A text of which so large a share of the letters is of another script is written in it: code and names stay Latin.
const OTHER_SCRIPT: f64 = 0.15;

/// Shorter texts are of no script.
const MIN_LETTERS: usize = 40;

/// Whether a page is another one of `all`, which are in lower case, in another language.
pub(super) fn is_translation(path: &str, all: &BTreeSet<String>) -> bool {
    originals(path).iter().any(|original| all.contains(&original.to_lowercase()))
}

/// Whether a text is written in another script than the Latin one.
pub(super) fn is_of_other_script(text: &str) -> bool {
    let (mut n_letters, mut n_others) = (0usize, 0usize);
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        n_letters += 1;
        n_others += usize::from(!is_latin(c));
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
            (0..library.n_sections()).map(|at| library.section_lines(at).0.to_owned()).collect();
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
