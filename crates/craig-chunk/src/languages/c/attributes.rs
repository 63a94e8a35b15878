//! Hides attributes of C that are macros: `int ZEXPORT deflate(…)`, `(int idx UNUSED)`, `void f(void) NORETURN;`,
//! `void f() REQUIRES_LOCK(mutex) {`.
//!
//! A word in capitals behind a type, a name or parameters, where the language has no room for one more word, is overwritten with
//! blanks, so all offsets stay. For text that parsed with errors only.

use crate::grammar::branches;

/// `text` without such attributes, and without the branches that cannot be read; none if it has neither.
pub(super) fn without(text: &str) -> Option<String> {
    let whole = branches::whole_only(text);
    let text = whole.as_deref().unwrap_or(text);
    let mut bytes = text.as_bytes().to_vec();
    let mut hides = false;
    let mut at = 0;
    let mut before = "";
    for line in text.split_inclusive('\n') {
        if !line.trim_ascii_start().starts_with(['#', '/', '*']) {
            for (start, end) in attributes(line).into_iter().chain(behind_parameters(before, line)) {
                bytes[at + start..at + end].fill(b' ');
                hides = true;
            }
            before = line.trim_ascii_end();
        }
        at += line.len();
    }
    if hides { String::from_utf8(bytes).ok() } else { whole }
}

/// Where the attributes of a line are.
fn attributes(line: &str) -> Vec<(usize, usize)> {
    let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let mut found = Vec::new();
    let mut previous: Option<(&str, usize)> = None;
    for word in words {
        let start = word.as_ptr() as usize - line.as_ptr() as usize;
        let end = start + word.len();
        let follows = previous.is_some_and(|(before, before_end)| {
            let between = &line[before_end..start];
            let is_type = !TAGS.contains(&before) && !before.starts_with(|c: char| c.is_ascii_digit());
            is_type
                && between.ends_with([' ', '*'])
                && between.bytes().all(|byte| matches!(byte, b' ' | b'*'))
        });
        if follows && is_capital(word) && makes_room(&line[end..]) {
            found.push((start, end));
        } else {
            previous = Some((word, end));
        }
    }
    found
}

/// Where the call of a macro is that stands between the parameters of a function and its body or end.
fn behind_parameters(before: &str, line: &str) -> Option<(usize, usize)> {
    let code = line.trim_ascii_end();
    let head = code.trim_end_matches(['{', ';']).trim_ascii_end();
    let open = head.ends_with(')').then(|| opens(head)).flatten()?;
    let name = head[..open].trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let is_macro = is_capital(&head[name.len()..open]) && head.len() < code.len();
    let function = if name.trim_ascii().is_empty() { before } else { name.trim_ascii_end() };
    let function = function.trim_end_matches(" override").trim_end_matches(" const");
    (is_macro && function.ends_with(')')).then_some((name.len(), head.len()))
}

/// Where the parenthesis is opened that a text ends with.
fn opens(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    text.rfind(|c: char| {
        depth += usize::from(c == ')');
        depth = depth.saturating_sub(usize::from(c == '('));
        depth == 0
    })
}

/// Words that need another one behind them.
const TAGS: [&str; 16] = [
    "struct", "enum", "union", "class", "const", "volatile", "unsigned", "signed", "static", "extern",
    "return", "case", "goto", "sizeof", "typedef", "typename",
];

fn is_capital(word: &str) -> bool {
    word.len() > 2
        && word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Whether a parameter ends behind a word, a body starts, or one more name follows.
fn makes_room(rest: &str) -> bool {
    let next = rest.trim_ascii_start();
    next.starts_with([',', ')', '{'])
        || rest.starts_with(' ') && next.starts_with(|c: char| c.is_ascii_alphabetic())
}
