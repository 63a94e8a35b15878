//! Passwords that commands, statements and calls take without naming them: `mysql -p…`, `IDENTIFIED BY '…'`.

use std::ops::Range;

use super::place::{Place, is_secret};

/// The position of the password relative to the command or flag that takes it.
pub(super) enum At {
    /// In a flag of the command, with or without a blank between: `-p…`.
    Flag(&'static str),
    /// In a flag, without a blank: those after it are something else.
    Attached(&'static str),
    /// In a flag, after a blank.
    Separate(&'static str),
    /// The next word, after flags of their own.
    Next,
    /// After a name and `=`.
    Assigned,
    /// The literal after the word `BY`.
    By,
    /// What `echo` writes to the command: `echo user:… | chpasswd`.
    Echoed,
    /// An argument of the call, if it is a literal; the first is 0.
    Argument(usize),
}

/// A command or flag that takes a password, and its position. Of names that begin alike the longest is first, as only
/// one is found.
pub(super) const COMMANDS: &[(&str, At)] = &[
    ("NetworkCredential(", At::Argument(1)),
    ("AWSCredentials(", At::Argument(1)),
    ("StaticCredentials(", At::Argument(1)),
    ("HTTPBasicAuth(", At::Argument(1)),
    ("PasswordCredentials(", At::Argument(1)),
    ("mysqli_connect(", At::Argument(2)),
    ("mysqli(", At::Argument(2)),
    ("getConnection(", At::Argument(2)),
    ("PDO(", At::Argument(2)),
    ("auth=(", At::Argument(1)),
    (".login(", At::Argument(1)),
    ("mysql", At::Attached("-p")),
    ("mariadb", At::Attached("-p")),
    ("7z ", At::Attached("-p")),
    ("sshpass", At::Flag("-p")),
    ("redis-cli", At::Separate("-a")),
    ("ldapsearch", At::Flag("-w")),
    ("ldapadd", At::Flag("-w")),
    ("ldapmodify", At::Flag("-w")),
    ("ldapwhoami", At::Flag("-w")),
    (" login ", At::Separate("-p")),
    ("mongosh", At::Separate("-p")),
    ("mongodump", At::Separate("-p")),
    ("mongorestore", At::Separate("-p")),
    ("sqlcmd", At::Flag("-P")),
    ("bcp ", At::Flag("-P")),
    ("zip ", At::Separate("-P")),
    ("operator unseal", At::Next),
    ("vault login", At::Next),
    ("Unseal Key", At::Next),
    ("requirepass", At::Next),
    ("masterauth", At::Next),
    ("auth-pass", At::Next),
    ("enable secret", At::Next),
    ("rootpw", At::Next),
    ("bindpw", At::Next),
    ("root-password password", At::Next),
    ("ConvertTo-SecureString", At::Next),
    ("--from-literal=", At::Assigned),
    ("IDENTIFIED", At::By),
    ("identified", At::By),
    ("chpasswd", At::Echoed),
    ("--password-stdin", At::Echoed),
    ("sudo -S", At::Echoed),
];

/// The longest command that is checked.
const MAX_COMMAND_BYTES: usize = 400;

/// The password that what was found at `name` takes.
pub(super) fn password(text: &str, at: &At, name: Range<usize>) -> Option<Range<usize>> {
    let command = rest_of_command(text, name.end);
    let value = match *at {
        At::Flag(flag) => flags(command, flag).find_map(|after| word(command, skip_blanks(command, after))),
        At::Attached(flag) => {
            flags(command, flag).filter(|after| *after > flag.len()).find_map(|after| word(command, after))
        }
        At::Separate(flag) => flags(command, flag)
            .filter(|after| command[*after..].starts_with([' ', '=']))
            .find_map(|after| word(command, skip_blanks(command, after + 1))),
        At::Next => next_word(command),
        At::Assigned => word(command, command.find('=')? + 1),
        At::By => by(command),
        At::Echoed => return echoed(text, name.start),
        At::Argument(number) => argument(command, number),
    }?;
    let value = name.end + value.start..name.end + value.end;
    is_secret(Place::Argument, &text.as_bytes()[value.clone()]).then_some(value)
}

/// From `start` on to the end of the line; a backslash or a comma continues it.
fn rest_of_command(text: &str, start: usize) -> &str {
    let rest = &text[start..text.floor_char_boundary(start + MAX_COMMAND_BYTES)];
    let ends = |at: &usize| !rest[..*at].trim_end_matches('\r').ends_with(['\\', ',', '(']);
    let end = memchr::memchr_iter(b'\n', rest.as_bytes()).find(ends).unwrap_or(rest.len());
    &rest[..end]
}

/// Where a flag ends, wherever the command has it: before a pipe, and not inside of another word.
fn flags<'t>(command: &'t str, flag: &'static str) -> impl Iterator<Item = usize> + 't {
    let command = &command[..command.find('|').unwrap_or(command.len())];
    let starts_word = |at: usize| at == 0 || matches!(command.as_bytes()[at - 1], b' ' | b'\t');
    command.match_indices(flag).filter(move |(at, _)| starts_word(*at)).map(|(at, flag)| at + flag.len())
}

fn skip_blanks(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start_matches([' ', '\t', '=']).len()
}

/// The word at `at`, without its quotes.
fn word(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    let escaped = rest.trim_start_matches('\\');
    let start = text.len() - escaped.len();
    let (start, end) = match escaped.as_bytes().first()? {
        quote @ (b'"' | b'\'') => (start + 1, start + 1 + memchr::memchr(*quote, &escaped.as_bytes()[1..])?),
        b'(' | b'[' | b'{' | b'|' => return None,
        _ => (
            at,
            at + rest.find(|c: char| c.is_whitespace() || "\"'`;|<>)\\".contains(c)).unwrap_or(rest.len()),
        ),
    };
    let end = start + text[start..end].trim_end_matches('\\').len();
    (start < end).then_some(start..end)
}

/// The first word that is no flag; after a number and a colon, as in `Unseal Key 1: …`.
fn next_word(command: &str) -> Option<Range<usize>> {
    let mut at = skip_blanks(command, 0);
    if at == 0 {
        return None;
    }
    for _ in 0..4 {
        let value = word(command, at)?;
        let text = &command[value.clone()];
        let is_skipped =
            text.starts_with('-') || text.ends_with(':') || text.len() == 1 || text == "mymaster";
        if !is_skipped {
            return Some(value);
        }
        at = skip_blanks(command, value.end);
    }
    None
}

/// The literal after `BY`: `IDENTIFIED WITH plugin BY '…'`.
fn by(command: &str) -> Option<Range<usize>> {
    let n_before = command.find(['\'', '"', '`'])?;
    let before = command[..n_before].trim_end_matches([' ', '\\']);
    let is_by =
        before.len() < 60 && (before.ends_with(" BY") || before.ends_with(" by") || before.ends_with(" AS"));
    let literal = word(command, command[..n_before].trim_end_matches('\\').len())?;
    is_by.then_some(literal)
}

/// What an `echo` before `end` in the same line writes; of `user:password` the password.
fn echoed(text: &str, end: usize) -> Option<Range<usize>> {
    let from = text.floor_char_boundary(end.saturating_sub(MAX_COMMAND_BYTES));
    let from = text[from..end].rfind('\n').map_or(from, |at| from + at + 1);
    let line = &text[from..end];
    let echo = ["echo ", "printf "].iter().find_map(|echo| line.rfind(echo).map(|at| at + echo.len()))?;
    line[echo..].contains('|').then_some(())?;
    let mut at = skip_blanks(line, echo);
    if line[at..].starts_with("-n ") {
        at = skip_blanks(line, at + 3);
    }
    let value = word(line, at)?;
    let n_user = line[value.clone()].find(':').map_or(0, |colon| colon + 1);
    let value = from + value.start + n_user..from + value.end;
    is_secret(Place::Argument, &text.as_bytes()[value.clone()]).then_some(value)
}

/// The argument of that number, if it is a literal.
fn argument(call: &str, number: usize) -> Option<Range<usize>> {
    let mut at = 0;
    for n in 0.. {
        at = call.len() - call[at..].trim_start_matches([' ', '\t', '\n', '\r', '@']).len();
        let literal = call[at..].starts_with(['"', '\'']).then(|| word(call, at)).flatten();
        if n == number {
            return literal;
        }
        let after = literal.map_or(at, |literal| literal.end);
        at = after + call[after..].find([',', ')'])?;
        call[at..].starts_with(',').then_some(())?;
        at += 1;
    }
    None
}
