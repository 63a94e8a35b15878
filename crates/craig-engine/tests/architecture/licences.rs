//! Everything that is built into Craig has a permissive licence.

use crate::{check, metadata};

/// Licences that ask for no more than naming them.
const PERMISSIVE: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Whether an SPDX expression can be met with permissive licences alone. `/` is how older crates write OR.
fn is_permissive(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ");
    let expression = expression.trim();
    if let Some(parts) = split_outside(expression, " OR ") {
        return parts.into_iter().any(is_permissive);
    }
    if let Some(parts) = split_outside(expression, " AND ") {
        return parts.into_iter().all(is_permissive);
    }
    match expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => is_permissive(inner),
        None => PERMISSIVE.contains(&expression),
    }
}

/// Splits at a word outside of parentheses; `None` when it is not there.
fn split_outside<'a>(expression: &'a str, word: &str) -> Option<Vec<&'a str>> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, c) in expression.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 && at >= start && expression[at..].starts_with(word) => {
                parts.push(&expression[start..at]);
                start = at + word.len();
            }
            _ => {}
        }
    }
    (!parts.is_empty()).then(|| {
        parts.push(&expression[start..]);
        parts
    })
}

#[test]
fn dependencies_have_permissive_licences() {
    let host = rustc_host();
    let metadata = metadata(&["--locked", "--filter-platform", &host]);
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100, "dependencies are among them");
    let wrong = packages.iter().filter(|package| !package["license"].as_str().is_some_and(is_permissive));
    check(
        wrong.map(|package| format!("{} has the licence {}", package["name"], package["license"])).collect(),
    );
}

fn rustc_host() -> String {
    let output = std::process::Command::new("rustc").arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned()
}

#[test]
fn licences_that_ask_for_more_are_seen() {
    for good in [
        "MIT",
        "MIT/Apache-2.0",
        "GPL-3.0 OR MIT",
        "(MIT OR GPL-2.0) AND Unicode-3.0",
        "CC0-1.0",
        "MIT AND ISC",
    ] {
        assert!(is_permissive(good), "{good}");
    }
    for bad in
        ["GPL-3.0", "MIT AND GPL-3.0", "MPL-2.0", "", "(GPL-2.0 OR AGPL-3.0) AND MIT", "LGPL-2.1/GPL-2.0"]
    {
        assert!(!is_permissive(bad), "{bad}");
    }
}
