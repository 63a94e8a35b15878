//! Hides the branches of `#if` that a parser cannot read beside the first.
//!
//! `#if A` / `internal` / `#else` / `public` / `#endif` / `class C` is no sentence of the language with both branches in
//! it. Directives and all branches but the first are overwritten with blanks, so all offsets stay.

/// `text` with the directives and further branches of `#if … #else … #endif` blanked.
pub(super) fn first_only(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut hides = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        let word =
            directive.map(|rest| rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default());
        match word {
            Some("if" | "ifdef" | "ifndef") => hides.push(false),
            Some("else" | "elif" | "elifdef") => {
                hides.iter_mut().last().into_iter().for_each(|hides| *hides = true)
            }
            _ => {}
        }
        let is_conditional =
            matches!(word, Some("if" | "ifdef" | "ifndef" | "else" | "elif" | "elifdef" | "endif"));
        if is_conditional || hides.contains(&true) {
            blank(&mut bytes[at..at + line.len()]);
        }
        if word == Some("endif") {
            hides.pop();
        }
        at += line.len();
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn blank(line: &mut [u8]) {
    line.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
}
