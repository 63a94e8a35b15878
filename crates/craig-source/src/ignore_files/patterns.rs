//! The lines of one ignore file, compiled.

use std::borrow::Cow;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::MAX_FILE_BYTES;

/// Longer lines match no path that there is.
const MAX_LINE_BYTES: usize = 4_096;

/// Memory that the rules of one folder and all above it may take. It depends on nothing but the files, so that the same tree
/// gives the same listing.
const MAX_WEIGHT: usize = 64 << 20;

/// How a file understands braces: git takes them literally, `.ignore` and `.pukuignore` have always had `{a,b}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Git,
    WithBraces,
}

/// The rules of one file, and what of it does not hold.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    /// The last is the strongest.
    pub(super) sets: Vec<Gitignore>,
    /// The patterns, and the memory that they take.
    pub(super) weight: usize,
    /// The first bad line, and how many more there are.
    pub(super) bad_lines: Option<String>,
    /// From where on the file does not hold.
    pub(super) left_out: Option<String>,
}

/// A line with its number, 1-based.
type Line<'a> = (usize, Cow<'a, str>);

impl Patterns {
    /// Compiles a file line by line: a bad line costs that line. `weight` is what the rules of the folders above take.
    pub(super) fn parse(text: &[u8], dialect: Dialect, weight: usize) -> Patterns {
        let (text, left_out) = within_limit(text);
        let mut patterns = Patterns { weight, left_out, ..Patterns::default() };
        let (mut lines, mut bad) = (Vec::new(), Vec::new());
        let mut builder = GitignoreBuilder::new("");
        for (at, line) in text.split(|&byte| byte == b'\n').enumerate() {
            let number = at + 1;
            let line = match pattern(line, dialect) {
                Ok(None) => continue,
                Ok(Some(line)) => line,
                Err(message) => {
                    bad.push((number, message));
                    continue;
                }
            };
            let weight = weigh(&line);
            if patterns.weight + weight > MAX_WEIGHT {
                let message = format!("its patterns from line {number} on would take too much memory");
                patterns.left_out = Some(message);
                break;
            }
            match builder.add_line(None, &line) {
                Ok(_) => {
                    patterns.weight += weight;
                    lines.push((number, line));
                }
                Err(error) => bad.push((number, reason(error))),
            }
        }
        compile(&builder, &lines, &mut patterns.sets, &mut bad);
        patterns.bad_lines = summary(&bad);
        patterns
    }
}

/// The whole lines within the limit.
fn within_limit(text: &[u8]) -> (&[u8], Option<String>) {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let limit = usize::try_from(MAX_FILE_BYTES).unwrap_or(usize::MAX);
    if text.len() <= limit {
        return (text, None);
    }
    let end = text[..limit].iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
    (&text[..end], Some(format!("it is larger than {MAX_FILE_BYTES} bytes; the rest is ignored")))
}

/// A line's pattern; `None` for an empty line or a comment.
fn pattern(line: &[u8], dialect: Dialect) -> Result<Option<Cow<'_, str>>, String> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.is_empty() || line.starts_with(b"#") {
        return Ok(None);
    }
    if line.len() > MAX_LINE_BYTES {
        return Err(format!("it is longer than {MAX_LINE_BYTES} bytes"));
    }
    let line = str::from_utf8(line).map_err(|_| "it is not UTF-8".to_owned())?;
    let has_literal_braces = dialect == Dialect::Git && line.contains(['{', '}']);
    let line = if has_literal_braces { braces_escaped(line).into() } else { Cow::from(line) };
    Ok(Some(if line.contains("[:") { classes_expanded(&line).into() } else { line }))
}

/// Character classes of POSIX as ranges, as git's wildmatch has them. None begins with `!`, which would negate what it is
/// put into.
const CLASSES: [(&str, &str); 12] = [
    ("alnum", "a-zA-Z0-9"),
    ("alpha", "a-zA-Z"),
    ("blank", " \t"),
    ("cntrl", "\u{1}-\u{1f}\u{7f}"),
    ("digit", "0-9"),
    ("graph", "\"-~!"),
    ("lower", "a-z"),
    ("print", " -~"),
    ("punct", ":-@!-/[-`{-~"),
    ("space", " \t-\r"),
    ("upper", "A-Z"),
    ("xdigit", "0-9a-fA-F"),
];

/// A pattern with `[[:digit:]]` written as `[0-9]`.
fn classes_expanded(line: &str) -> String {
    let mut expanded = String::with_capacity(line.len());
    let mut rest = line;
    // Inside of brackets, how many characters of the set were read.
    let mut in_set: Option<usize> = None;
    while let Some(c) = rest.chars().next() {
        let class = in_set.and_then(|_| class_at(rest));
        let (part, length) = class.unwrap_or((&rest[..c.len_utf8()], c.len_utf8()));
        in_set = match (in_set, c) {
            (None, '[') => Some(0),
            (Some(0), '!' | '^') => Some(0),
            (Some(n), ']') if n > 0 => None,
            (n, _) => n.map(|n| n + 1),
        };
        expanded.push_str(part);
        rest = &rest[length..];
        if c == '\\' && in_set.is_none() {
            let escaped = rest.chars().next().map_or(0, char::len_utf8);
            expanded.push_str(&rest[..escaped]);
            rest = &rest[escaped..];
        }
    }
    expanded
}

/// The ranges of the class that `text` starts with, and how long its name is with the brackets.
fn class_at(text: &str) -> Option<(&'static str, usize)> {
    let name = text.strip_prefix("[:")?.split_once(":]")?.0;
    let (_, ranges) = CLASSES.iter().find(|(known, _)| *known == name)?;
    Some((ranges, name.len() + 4))
}

/// What is wrong with a line, without the line: it may come from a file that is not to be shown.
fn reason(error: ignore::Error) -> String {
    match error {
        ignore::Error::Glob { err, .. } => err,
        error => error.to_string(),
    }
}

/// A pattern whose braces mean themselves.
fn braces_escaped(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len());
    let mut is_after_backslash = false;
    for c in line.chars() {
        if matches!(c, '{' | '}') && !is_after_backslash {
            escaped.push('\\');
        }
        is_after_backslash = c == '\\' && !is_after_backslash;
        escaped.push(c);
    }
    escaped
}

/// Bytes that a compiled pattern takes at most, rounded up from what was measured with its matching: literals lie in a table,
/// others are a regular expression each, which a path of the same extension has to be held against.
fn weigh(line: &str) -> usize {
    const WILD: [char; 5] = ['*', '?', '[', '{', '\\'];
    let is_extension =
        line.strip_prefix("*.").is_some_and(|rest| !rest.contains(WILD) && !rest.contains('/'));
    match is_extension || !line.contains(WILD) {
        true => 2_048 + 8 * line.len(),
        false => 32_768 + 1_536 * line.len(),
    }
}

/// Compiles lines into as few sets as possible. The library limits the size of a set: one over it is halved until the line
/// that is too large by itself is found.
pub(super) fn compile(
    builder: &GitignoreBuilder,
    lines: &[Line<'_>],
    sets: &mut Vec<Gitignore>,
    bad: &mut Vec<(usize, String)>,
) {
    match (builder.build(), lines) {
        (_, []) => (),
        (Ok(set), _) => sets.push(set),
        (Err(_), [(number, _)]) => bad.push((*number, "it is too large".to_owned())),
        (Err(_), _) => {
            let (first, second) = lines.split_at(lines.len() / 2);
            for half in [first, second] {
                let mut builder = GitignoreBuilder::new("");
                for (_, line) in half {
                    // It was added once before, so it is well formed.
                    let _ = builder.add_line(None, line);
                }
                compile(&builder, half, sets, bad);
            }
        }
    }
}

fn summary(bad: &[(usize, String)]) -> Option<String> {
    let (number, message) = bad.iter().min_by_key(|(number, _)| *number)?;
    let more = match bad.len() - 1 {
        0 => String::new(),
        n_more => format!("; {n_more} more like it"),
    };
    Some(format!("line {number}: {message}{more}"))
}
