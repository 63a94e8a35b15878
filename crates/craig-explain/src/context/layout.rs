//! Members that no grammar names, found by the layout of code: what encloses a line, which lines are members.

use craig_text::is_identifier_char;

use crate::names::{identifiers, trailing_name};

use super::{KEYWORDS, clipped};

/// A member of an object, by its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: String,
    /// 1-based.
    pub(super) line: usize,
    /// Last line of its definition, 1-based.
    pub(super) line_end: usize,
    /// Names of the members beside it.
    pub(super) siblings: Vec<String>,
    /// Whether it can be called.
    pub(super) is_function: bool,
}

/// The nearest line above `line` (1-based) that is indented less, with its number: what the line stands in.
pub(super) fn opener(text: &str, line: usize) -> Option<(usize, &str)> {
    let lines: Vec<&str> = text.lines().take(line).collect();
    let own = indent(lines.get(line.checked_sub(1)?)?);
    let above = lines[..line - 1].iter().enumerate().rev();
    above
        .filter(|(_, above)| is_code(above))
        .find(|(_, above)| indent(above) < own)
        .map(|(at, above)| (at + 1, *above))
}

/// The member of an object that holds `line`, none outside of any: `module.exports = { get size () { … } }`.
pub(super) fn member_around(text: &str, line: usize) -> Option<Member> {
    let mut at = line;
    loop {
        let (open_at, open) = opener(text, at)?;
        if opens_object(open)
            && let Some(name) = member_name(line_of(text, at))
        {
            return Some(member(text, name, at, open_at));
        }
        at = open_at;
    }
}

/// What a line declares that no outline has: a property of an object, or of a class or type that stands by itself, or a
/// function inside of a function.
pub(super) fn declared(text: &str, line: usize) -> Option<Member> {
    let (open_at, open) = opener(text, line)?;
    let written = line_of(text, line);
    if let Some(name) = local_function(written) {
        return Some(Member { siblings: Vec::new(), ..member(text, name, line, open_at) });
    }
    let name = property_name(written)?;
    let is_apart = std::iter::successors(Some((open_at, open)), |(at, _)| opener(text, *at))
        .all(|(_, open)| opens_object(open) || declared_type(open).is_some());
    // What is handed to a call is no property of anything.
    let is_of_value = ["= {", ": {", "return {"].iter().any(|end| open.trim_end().ends_with(end));
    (is_apart || is_of_value)
        .then(|| Member { is_function: member_name(written).is_some(), ..member(text, name, line, open_at) })
}

/// What a class, an interface or the like is called that a line opens.
pub(super) fn declared_type(open: &str) -> Option<&str> {
    let mut words = open.trim_end().strip_suffix('{')?.split_whitespace();
    words.find(|word| ["class", "interface", "enum", "type"].contains(word))?;
    words.next().and_then(|word| identifiers(word).next()).map(|(_, name)| name)
}

/// The trait that a line of Rust implements: `Display` of `impl<T> fmt::Display for Name<T> {`.
pub(super) fn implemented(open: &str) -> Option<&str> {
    let head =
        open.trim_start().strip_prefix("impl")?.split(" for ").next().filter(|_| open.contains(" for "))?;
    let mut depth = 0_usize;
    let outside = head.char_indices().filter(|&(_, c)| {
        depth = if c == '<' { depth + 1 } else { depth };
        let is_outside = depth == 0;
        depth = if c == '>' { depth.saturating_sub(1) } else { depth };
        is_outside && is_identifier_char(c)
    });
    let last = outside.last().map(|(at, c)| at + c.len_utf8())?;
    let start = head[..last].rfind(|c| !is_identifier_char(c)).map_or(0, |at| at + 1);
    Some(&head[start..last])
}

/// Most bytes of what stands between a class's name and its body.
const MAX_HEAD_BYTES: usize = 400;

/// What the head of a class names as above it, by what stands behind the class's own name: `(Base):` in Python, `< Base` in
/// Ruby, `extends Base implements Face {`, `: Base, Face {`, `(val x: Int) : Base(x) {`.
pub(super) fn named_above(behind: &str) -> Vec<String> {
    let behind = clipped(behind, MAX_HEAD_BYTES);
    if behind.starts_with(":\n") {
        return Vec::new();
    }
    let in_ruby = behind.strip_prefix(" < ").and_then(|rest| rest.lines().next());
    let in_python = behind.strip_prefix('(').and_then(|rest| rest.split_once("):")).map(|(named, _)| named);
    let listed = match in_ruby.or(in_python.filter(|named| !named.contains([')', '{']))) {
        Some(named) => without_brackets(named),
        None => {
            let head = without_brackets(lines_of_head(behind.split(['{', ';']).next().unwrap_or_default()));
            let head = [" extends ", " implements ", " with "]
                .iter()
                .fold(head, |head, word| head.replace(word, " : "));
            head.split_once(':').map(|(_, named)| named.replace(" : ", ",")).unwrap_or_default()
        }
    };
    let listed = listed.split(" where ").next().unwrap_or_default();
    let last_name = |part: &str| {
        let path = part.split_whitespace().rfind(|word| *word != "by")?;
        let name = path.rsplit(['.', ':', '\\']).next()?;
        (!name.is_empty() && name.chars().all(is_identifier_char)).then(|| name.to_owned())
    };
    listed.split(',').filter(|part| !part.contains('=')).filter_map(last_name).collect()
}

/// The lines that a head takes: it goes on where brackets are open, a line ends with a joint, or the next begins with one.
fn lines_of_head(text: &str) -> &str {
    let mut end = 0;
    let mut depth = 0_i32;
    let mut is_open = true;
    for line in text.split_inclusive('\n') {
        let written = line.trim();
        if !(is_open || depth > 0 || JOINTS.iter().any(|joint| written.starts_with(joint))) {
            break;
        }
        end += line.len();
        depth +=
            written.chars().map(|c| i32::from("(<[".contains(c)) - i32::from(")>]".contains(c))).sum::<i32>();
        is_open = written.ends_with([',', ':', '&', '|']);
    }
    &text[..end]
}

/// What lines of a head begin with that go on from the one before.
const JOINTS: &[&str] = &[
    "extends",
    "implements",
    "with ",
    "where",
    "permits",
    ":",
    ",",
    ")",
    "@",
    "internal",
    "private",
    "protected",
    "constructor",
];

/// A text without what stands in brackets.
fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let outside = text.chars().filter(|c| match c {
        '(' | '<' | '[' => {
            depth += 1;
            false
        }
        ')' | '>' | ']' => {
            depth = depth.saturating_sub(1);
            false
        }
        _ => depth == 0,
    });
    outside.collect()
}

/// Whether what a line stands in is exported: `module.exports = {`, `export default {`.
pub(super) fn opens_export(open: &str) -> bool {
    opens_object(open) && (open.contains("exports") || open.trim_start().starts_with("export "))
}

/// The class whose prototype an object becomes: `Foo.prototype = {`, `Object.assign(Foo.prototype, {`.
pub(super) fn prototype_owner(open: &str) -> Option<&str> {
    let before = &open[..open.find(".prototype")?];
    let name = trailing_name(before);
    (opens_object(open) && !name.is_empty()).then_some(name)
}

/// What an object is called that a line assigns: `api` of `const api = {` and `api: {`; none of what it exports unnamed.
pub(super) fn assigned_name(open: &str) -> Option<&str> {
    if open.trim_end().ends_with(": {") {
        return property_name(open);
    }
    let target = open.trim_end().strip_suffix("= {")?;
    // `const api: Api = {`
    let target = target.split(": ").next().unwrap_or_default().trim_end();
    let name = trailing_name(target);
    (!name.is_empty() && name != "exports" && !KEYWORDS.contains(&name)).then_some(name)
}

/// Whether the file makes a definition part of something: `proto.child = child`, or `child` among what an object is made of.
pub(super) fn is_attached(text: &str, name: &str) -> bool {
    text.lines().enumerate().any(|(at, line)| {
        let bare = line.trim().trim_end_matches(',');
        let is_listed = bare == name || bare.strip_suffix(name).is_some_and(|key| key.ends_with(": "));
        if is_listed {
            return opener(text, at + 1).is_some_and(|(_, open)| opens_object(open));
        }
        let assigned = bare.trim_end_matches(';').split_once(" = ");
        assigned.is_some_and(|(left, right)| {
            right == name && left.contains('.') && !left.contains(' ') && !left.starts_with("self.")
        })
    })
}

fn opens_object(open: &str) -> bool {
    let open = open.trim_end();
    ["= {", "({", ", {", ": {", "default {", "return {"].iter().any(|end| open.ends_with(end))
}

fn member(text: &str, name: &str, line: usize, open_at: usize) -> Member {
    let lines: Vec<&str> = text.lines().collect();
    let own = indent(lines[line - 1]);
    let ends = |at: &usize| is_code(lines[*at]) && indent(lines[*at]) <= own;
    let line_end = (line..lines.len()).find(ends).map_or(lines.len(), |at| {
        let closes = lines[at].trim_start().starts_with(['}', ')', ']']) && indent(lines[at]) == own;
        if closes { at + 1 } else { at }
    });
    let inside = (open_at..lines.len()).take_while(|&at| !is_code(lines[at]) || indent(lines[at]) >= own);
    let beside = inside.filter(|&at| at + 1 != line && is_code(lines[at]) && indent(lines[at]) == own);
    let siblings =
        beside.filter_map(|at| member_name(lines[at])).filter(|other| *other != name).map(str::to_owned);
    Member { name: name.to_owned(), line, line_end, siblings: siblings.collect(), is_function: true }
}

/// The function that a line declares: `const send = () => {`, `async function send () {`.
fn local_function(line: &str) -> Option<&str> {
    let line = line.trim();
    let named = |rest: &'_ str| rest.find(|c| !is_identifier_char(c)).filter(|end| *end > 0);
    if let Some(rest) = after_keyword(line).map(|rest| rest.trim_start_matches(['*', ' '])) {
        return named(rest).map(|end| &rest[..end]);
    }
    let rest = ["const ", "let ", "var "].iter().find_map(|word| line.strip_prefix(word))?;
    let end = named(rest)?;
    let value = rest[end..].trim_start().strip_prefix('=')?.trim_start();
    let is_function = value.starts_with("function") || value.starts_with("async ") || value.contains("=>");
    (is_function && line.ends_with('{')).then_some(&rest[..end])
}

/// What follows the word that declares a function, before which there are only modifiers: `override fun name()`.
fn after_keyword(line: &str) -> Option<&str> {
    const KEYWORDS: &[&str] =
        &["function", "function*", "fun", "def", "defp", "defmacro", "defmacrop", "func", "fn", "sub"];
    let mut rest = line;
    loop {
        let (word, after) = rest.split_once(' ')?;
        if KEYWORDS.contains(&word) {
            return Some(after);
        }
        if word.is_empty() || !word.chars().all(|c| c.is_ascii_lowercase()) {
            return None;
        }
        rest = after;
    }
}

/// The name that a line gives a value or a type: `timeout: 5`, `readonly name?: string`.
fn property_name(line: &str) -> Option<&str> {
    let mut rest = line.trim();
    while let Some(after) = MODIFIERS.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = after;
    }
    let rest = rest.trim_start_matches(['\'', '"']);
    let name = leading_member(rest)?;
    let after = rest[name.len()..].trim_start_matches(['\'', '"', '?', '!', ' ']);
    (after.starts_with([':', '=', '(', '<']) && !after.starts_with("::")).then_some(name)
}

/// What may stand before the name of a property.
const MODIFIERS: &[&str] = &[
    "public ",
    "private ",
    "protected ",
    "readonly ",
    "static ",
    "declare ",
    "abstract ",
    "override ",
    "get ",
    "set ",
];

/// The name that a line of an object defines as a method, an accessor or a function.
fn member_name(line: &str) -> Option<&str> {
    let mut rest = line.trim();
    loop {
        let after =
            ["async ", "get ", "set ", "static ", "*"].iter().find_map(|word| rest.strip_prefix(word));
        match after.map(str::trim_start) {
            Some(after) if after.starts_with(|c: char| is_identifier_char(c) || c == '*') => rest = after,
            _ => break,
        }
    }
    let name = leading_member(rest)?;
    let after = rest[name.len()..].trim_start();
    let is_method = after.starts_with('(') && (rest.ends_with(['{', '}']) || rest.ends_with("},"));
    let value = after.strip_prefix(':').map(str::trim_start);
    let is_function = value.is_some_and(|value| {
        value.starts_with("function") || value.starts_with("async ") || value.contains("=>")
    });
    (is_method || is_function).then_some(name)
}

/// The identifier that a text begins with, if a member can be called so.
fn leading_member(text: &str) -> Option<&str> {
    let (_, name) = identifiers(text).next().filter(|(start, _)| *start == 0)?;
    (!KEYWORDS.contains(&name) || CONTEXTUAL.contains(&name)).then_some(name)
}

/// Keywords that are names of members, too.
const CONTEXTUAL: &[&str] =
    &["throw", "delete", "get", "set", "default", "use", "type", "from", "of", "any", "in"];

fn line_of(text: &str, line: usize) -> &str {
    text.lines().nth(line.saturating_sub(1)).unwrap_or_default()
}

/// Whether a line holds code: not blank, no comment.
fn is_code(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with("//") && !line.starts_with("/*") && !line.starts_with('*')
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
