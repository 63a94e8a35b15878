//! The pattern that a shell command searches files for.

use std::path::Path;

/// Programs that search files; `git` has a subcommand, too.
const PROGRAMS: &[&str] = &["grep", "egrep", "fgrep", "rg", "ugrep", "ag"];

/// Options whose value is the next argument.
const WITH_VALUE: &[&str] =
    &["-A", "-B", "-C", "-m", "-g", "-t", "-T", "-f", "--glob", "--type", "--include", "--exclude"];

/// The pattern of the first file search in a shell command: `rg -n 'open|close' src`, `cd src && grep -rn open .`. A
/// filter behind a pipe is not a file search.
pub(super) fn search_pattern(line: &str) -> Option<String> {
    commands(line).iter().find_map(|words| pattern(words))
}

fn pattern(words: &[String]) -> Option<String> {
    let is_program = |word: &String| {
        let name = Path::new(word).file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| PROGRAMS.contains(&name))
    };
    let words = words.strip_prefix(&["git".to_owned()]).unwrap_or(words);
    let (program, arguments) = words.split_first()?;
    if !is_program(program) {
        return None;
    }
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-e" | "--regexp" | "--" => return arguments.next().cloned(),
            option if WITH_VALUE.contains(&option) => drop(arguments.next()),
            option if option.starts_with('-') => {}
            pattern => return Some(pattern.to_owned()),
        }
    }
    None
}

/// The words of each command of a line, unquoted; commands that read from a pipe are omitted.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let (mut quote, mut reads_pipe) = (None, false);
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, quote) {
            ('\'' | '"', Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            // In double quotes, a backslash stays before what it does not escape.
            ('\\', None) => word.get_or_insert_default().extend(rest.next()),
            ('\\', Some('"')) if matches!(rest.peek(), Some('"' | '\\' | '$' | '`')) => {
                word.get_or_insert_default().extend(rest.next());
            }
            (';' | '&' | '|' | '(' | ')' | '\n', None) => {
                words.extend(word.take());
                let ended = std::mem::take(&mut words);
                if !reads_pipe && !ended.is_empty() {
                    commands.push(ended);
                }
                let is_double = rest.next_if_eq(&c).is_some();
                reads_pipe = c == '|' && !is_double;
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    if !reads_pipe && !words.is_empty() {
        commands.push(words);
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_searches() {
        for (line, expected) in [
            ("rg -n 'open|close' src", Some("open|close")),
            ("cd src && grep -rn open .", Some("open")),
            ("cd a; git grep -n \"fn open\"", Some("fn open")),
            ("/usr/bin/grep -A 3 --include='*.py' -rn \"def total\" . | head -5", Some("def total")),
            (r#"grep -rn "a\|b" src"#, Some(r"a\|b")),
            ("grep -rn \"say \\\"hi\\\"\" src", Some("say \"hi\"")),
            (r"rg a\ b", Some("a b")),
            ("grep -e open -r .", Some("open")),
            ("rg -- -x", Some("-x")),
            ("ls | grep open", None),
            ("ls || grep open a", Some("open")),
            ("cargo test 2>&1 | grep -v ok; rg close", Some("close")),
            ("(cd src && rg open .) | head", Some("open")),
            ("grep", None),
            ("echo 'grep open", None),
            ("", None),
        ] {
            assert_eq!(search_pattern(line).as_deref(), expected, "{line}");
        }
    }
}
