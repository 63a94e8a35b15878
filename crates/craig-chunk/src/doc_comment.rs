//! The comment that documents a definition: before it, or as its first statement.

/// Most lines of a comment that are read.
const MOST_LINES: usize = 1_000;

/// Most lines of an attribute, and most that a declaration has before its first statement.
const MOST_DECLARATION_LINES: u32 = 40;

/// A comment without its markers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocComment {
    /// Its lines.
    pub text: String,
    /// The line on which it begins, from 1.
    pub line: u32,
}

/// The comment right before a definition, which begins in `line_start` and has its name in `line`, or the docstring in it.
///
/// `text_of` gives lines by their numbers, which count from 1, without their ends; empty ones where there are none.
pub fn doc_comment<'t>(
    text_of: impl Fn(u32) -> &'t str,
    line_start: u32,
    line: u32,
    line_end: u32,
) -> Option<DocComment> {
    let inside = docstring(&text_of, line, line_end);
    // A docstring takes precedence over a comment above it. In other languages, such a literal may be the body.
    let is_body = |found: &DocComment| text_of(found.line - 1).trim_end().ends_with(':');
    match inside {
        Some(found) if is_body(&found) => Some(found),
        inside => comment_before(&text_of, line_start).or(inside),
    }
}

/// The first line of a definition whose name is in `line`, with the comment and the attributes right before it.
pub fn definition_start<'t>(text_of: impl Fn(u32) -> &'t str, line: u32) -> u32 {
    Above::read(text_of, line).first
}

fn comment_before<'t>(text_of: impl Fn(u32) -> &'t str, line_start: u32) -> Option<DocComment> {
    let above = Above::read(text_of, line_start);
    written(&above.comment, above.first)
}

/// The comment and the attributes right before a definition.
struct Above<'t> {
    /// The lines of the comment.
    comment: Vec<&'t str>,
    /// The first line of these, or of the definition.
    first: u32,
}

impl<'t> Above<'t> {
    fn read(text_of: impl Fn(u32) -> &'t str, line_start: u32) -> Self {
        let mut lines: Vec<&str> = Vec::new();
        let mut first = line_start;
        // The first line of the attributes below the comment.
        let mut first_attribute = line_start;
        // Whether a line below is a doc comment: ordinary comments above it are not part of it.
        let mut is_documented = false;
        // How the block begins that the line is in, seen from its end.
        let mut open: Option<&str> = None;
        let mut number = line_start;
        let mut n_read = 0;
        while number > 1 && n_read < MOST_LINES {
            number -= 1;
            n_read += 1;
            let line = text_of(number).trim();
            let is_first = lines.is_empty();
            let was_open = open.is_some();
            if let Some(start) = open {
                open = (!line.starts_with(start)).then_some(start);
            } else if line.ends_with("*/") && !line.starts_with("//") {
                open = (!line.starts_with("/*")).then_some("/*");
            } else if line == HEREDOC && is_first {
                open = Some(DOC_ATTRIBUTE);
            } else if is_attribute(line) && is_first {
                match line.strip_prefix(DOC_ATTRIBUTE).map(str::trim).filter(|doc| doc.starts_with('"')) {
                    Some(doc) => return Self { comment: vec![doc.trim_matches('"')], first: number },
                    None => {
                        first_attribute = number;
                        continue;
                    }
                }
            } else if let Some(start) = start_of_attribute(&text_of, number).filter(|_| is_first) {
                number = start;
                first_attribute = start;
                continue;
            } else if is_documented && line.starts_with("#[") && line.ends_with(']') {
                // Rust may have attributes between the lines.
                continue;
            } else if !is_line_comment(line) || is_documented && !is_doc_comment(line) {
                break;
            }
            is_documented |= is_doc_comment(line);
            lines.push(without_markers(line));
            first = number;
            // Anything above a comment of several lines belongs to the code before it.
            if was_open && open.is_none() {
                break;
            }
        }
        if lines.is_empty() || open.is_some() {
            return Self { comment: Vec::new(), first: first_attribute };
        }
        lines.reverse();
        Self { comment: lines, first }
    }
}

/// The text literal that is the first statement of a Python definition.
fn docstring<'t>(text_of: impl Fn(u32) -> &'t str, line: u32, line_end: u32) -> Option<DocComment> {
    let mut lines: Vec<&str> = Vec::new();
    let mut quotes = None;
    let mut first = line;
    for number in (line..=line_end).skip(1).take(MOST_LINES) {
        let text = text_of(number).trim();
        let rest = match quotes {
            Some(_) => text,
            None => {
                let opened = text.trim_start_matches(['r', 'R', 'u', 'U']);
                let found = ["\"\"\"", "'''"].into_iter().find(|quotes| opened.starts_with(quotes));
                let Some(found) = found else {
                    // The parameters may stand on lines of their own, and comments before the docstring.
                    let is_before =
                        text.starts_with('#') || text.is_empty() || is_open(&text_of, line, number);
                    if is_before && number - line < MOST_DECLARATION_LINES {
                        continue;
                    }
                    return None;
                };
                quotes = Some(found);
                first = number;
                &opened[found.len()..]
            }
        };
        match quotes.and_then(|quotes| rest.find(quotes)) {
            Some(end) => {
                lines.push(&rest[..end]);
                return written(&lines, first);
            }
            None => lines.push(rest),
        }
    }
    written(&lines, first)
}

/// The line on which an attribute or decorator begins that ends on line `last` and takes several.
fn start_of_attribute<'t>(text_of: impl Fn(u32) -> &'t str, last: u32) -> Option<u32> {
    if !text_of(last).trim_end().ends_with([']', ')']) {
        return None;
    }
    let above = (1..last).rev().take(MOST_DECLARATION_LINES as usize);
    let mut inside = above.take_while(|&number| !text_of(number).trim().is_empty());
    let start = inside.find(|&number| text_of(number).trim_start().starts_with(['@', '#']))?;
    let is_attribute = is_attribute(text_of(start).trim());
    (is_attribute && is_open(&text_of, start, last) && !is_open(&text_of, start, last + 1)).then_some(start)
}

/// Whether the brackets of the declaration in `line` are open before the end of line `number`.
fn is_open<'t>(text_of: impl Fn(u32) -> &'t str, line: u32, number: u32) -> bool {
    let brackets = (line..number).flat_map(|number| text_of(number).chars());
    brackets.fold(0i32, |depth, c| match c {
        '(' | '[' | '{' => depth + 1,
        ')' | ']' | '}' => depth - 1,
        _ => depth,
    }) > 0
}

/// Elixir's text literal of several lines, and what it is the value of.
const HEREDOC: &str = "\"\"\"";
const DOC_ATTRIBUTE: &str = "@doc";

fn is_attribute(line: &str) -> bool {
    line.starts_with('@') || line.starts_with("#[") || (line.starts_with('[') && line.ends_with(']'))
}

fn is_line_comment(line: &str) -> bool {
    let is_hash = line.strip_prefix('#').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '#']));
    is_hash || ["//", "--", ";;", "%%"].iter().any(|marker| line.starts_with(marker))
}

fn is_doc_comment(line: &str) -> bool {
    line.starts_with("///")
}

/// The text of a line of a comment.
fn without_markers(line: &str) -> &str {
    let line = line.strip_suffix("*/").unwrap_or(line);
    let line = line.strip_suffix(HEREDOC).unwrap_or(line);
    let line = match line.strip_prefix("/*") {
        Some(rest) => rest.trim_start_matches(['*', '!']),
        None => line.strip_prefix('*').unwrap_or_else(|| {
            let line = line.trim_start_matches(['/', '#', ';', '%']);
            line.strip_prefix("--").unwrap_or(line).trim_start_matches('!')
        }),
    };
    let line = line.strip_prefix(DOC_ATTRIBUTE).filter(|rest| rest.trim().is_empty()).unwrap_or(line);
    line.strip_prefix(' ').unwrap_or(line).trim_end()
}

/// Lines without empty ones at the ends; `None` if nothing is left.
fn written(lines: &[&str], line: u32) -> Option<DocComment> {
    let text = lines.join("\n");
    let text = text.trim();
    (!text.is_empty()).then(|| DocComment { text: text.to_owned(), line })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn definitions_begin_with_their_comments_and_attributes() {
        let start = |text: &str| {
            let lines: Vec<&str> = text.lines().collect();
            let text_of = |number: u32| lines.get(number as usize - 1).copied().unwrap_or_default();
            definition_start(text_of, lines.len() as u32)
        };
        let starts = [
            "int a;\n/**\n  Adds.\n*/\n@Override\n@Get(\n  \"a\"\n)\nint add() {}",
            "int a;\n@Override\nint add() {}",
            "int a;\nint add() {}",
            "# Adds.\n@app.route(\"/add\")\ndef add():",
            "a * b */\n#[Route('/add')]\nfunction add() {}",
            "// Others.\n\n[HttpGet]\nint Add() {}",
        ]
        .map(start);
        assert_eq!(starts, [2, 2, 2, 1, 2, 3]);
    }

    fn doc(text: &str, line_start: u32, line: u32, line_end: u32) -> String {
        let lines: Vec<&str> = text.lines().collect();
        let text_of = |number: u32| lines.get(number as usize - 1).copied().unwrap_or_default();
        let found = doc_comment(text_of, line_start, line, line_end);
        found.map(|found| format!("{} {:?}", found.line, found.text)).unwrap_or_default()
    }

    #[test]
    fn comments_and_docstrings() {
        let docs = [
            doc("/// Adds.\n///\n/// Twice.\n#[inline]\nfn add() {}\n", 5, 5, 5),
            doc("/**\n * Adds.\n * @param a one\n */\nvoid add(int a);\n", 5, 5, 5),
            doc("def add(\n    a,\n):\n    r\"\"\"Adds.\n\n    Twice.\n    \"\"\"\n    return a\n", 1, 1, 8),
            doc("# Adds\n# two.\ndef add\nend\n", 3, 3, 4),
            doc("# For tests.\ndef add(a):\n    \"\"\"Adds.\"\"\"\n", 2, 2, 3),
            doc("// Index.\n/// Adds `/* 1 */`.\n/// Ends */\nfn add() {}\n", 4, 4, 4),
            doc("/** Adds. */\nfun add() =\n    \"\"\"select\"\"\"\n", 2, 2, 3),
            doc("x = '''y'''\ndef add(a):\n    b = '''z'''\n", 2, 2, 3),
            doc("int *p;\n*p = 3;\nvoid add();\n", 3, 3, 3),
            doc("def add(a):\n    # type: (int) -> int\n    \"\"\"Adds.\"\"\"\n", 1, 1, 3),
            doc(
                "/// Adds.\n#[cfg_attr(feature = \"std\", doc = \"```\")]\n/// Twice.\nfn add() {}\n",
                4,
                4,
                4,
            ),
            doc("// ü\nfn ü() {}", 2, 2, 2),
            doc("x = 1\n@doc \"\"\"\n  Adds.\n\"\"\"\n@spec add(a) :: a\ndef add(a), do: a\n", 6, 6, 6),
            doc("class A:\n    \"\"\"One.\n    \"\"\"\n    def add(a):\n        pass\n", 4, 4, 5),
            doc("@doc \"Adds.\"\ndef add(a), do: a\n", 2, 2, 2),
            doc("// end of sub\n/**\n * Adds.\n */\nvoid add(int a);\n", 5, 5, 5),
            doc("/// Adds.\n#[cfg_attr(\n    feature = \"a\",\n    derive(B)\n)]\nfn add() {}\n", 6, 6, 6),
            doc("/** Adds. */\n@Component({\n  name: 'a',\n})\nclass A {}\n", 5, 5, 5),
            doc("// Others.\nadd(\n  1,\n)\nclass A {}\n", 5, 5, 5),
            doc(
                &format!("def add():\n    \"\"\"Adds.\n{}    \"\"\"\n", "    More.\n".repeat(1_300)),
                1,
                1,
                1_303,
            )[..9]
                .to_owned(),
        ];
        expect![[r#"
            1 "Adds.\n\nTwice."
            1 "Adds.\n@param a one"
            4 "Adds.\n\nTwice."
            1 "Adds\ntwo."
            3 "Adds."
            2 "Adds `/* 1 */`.\nEnds"
            1 "Adds."


            3 "Adds."
            1 "Adds.\nTwice."
            1 "ü"
            2 "Adds."

            1 "Adds."
            2 "Adds."
            1 "Adds."
            1 "Adds."

            2 "Adds.\"#]]
        .assert_eq(&docs.join("\n"));
    }
}
