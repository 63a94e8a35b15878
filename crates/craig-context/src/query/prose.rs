//! The prose of a message: the text of an issue also contains code, traces, a template and facts about a machine.

/// The prose of a message: without fenced code, comments of HTML, prompts of shells, the headings of an issue's
/// template, and the text below those that request versions.
pub(super) fn prose(message: &str) -> String {
    let outside = outside(&outside(message, "```", "```"), "<!--", "-->");
    if !outside.contains('\n') {
        return outside.trim().to_owned();
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut is_about_machine = false;
    for line in outside.lines() {
        if let Some(heading) = heading(line) {
            let is_template = words(heading).all(|word| is_template_word(&word));
            is_about_machine = is_template && words(heading).any(|word| is_machine_word(&word));
            if is_template {
                continue;
            }
        }
        if !is_about_machine && !is_typed(line) {
            kept.push(line);
        }
    }
    kept.join("\n").trim().to_owned()
}

/// The text outside of `open` … `close`; an unclosed part extends to the end.
fn outside(text: &str, open: &str, close: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once(open) {
        kept += before;
        kept.push(' ');
        rest = inside.split_once(close).map_or("", |(_, after)| after);
    }
    kept + rest
}

/// The text of a heading of Markdown, or of a line that is bold as a whole.
fn heading(line: &str) -> Option<&str> {
    let line = line.trim();
    let bold = line.strip_prefix("**").and_then(|rest| rest.strip_suffix("**"));
    line.strip_prefix('#').map(|rest| rest.trim_start_matches('#').trim()).or(bold)
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Words that headings of templates are made of.
fn is_template_word(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "a",
        "actual",
        "additional",
        "and",
        "any",
        "are",
        "behavior",
        "behaviour",
        "bug",
        "can",
        "checklist",
        "code",
        "context",
        "current",
        "describe",
        "description",
        "did",
        "do",
        "does",
        "example",
        "expect",
        "expected",
        "feature",
        "for",
        "happened",
        "happen",
        "how",
        "i",
        "information",
        "is",
        "issue",
        "it",
        "logs",
        "minimal",
        "of",
        "or",
        "other",
        "outcome",
        "output",
        "problem",
        "proposed",
        "question",
        "relevant",
        "report",
        "reproduce",
        "reproducible",
        "reproduction",
        "request",
        "result",
        "results",
        "s",
        "sample",
        "screenshots",
        "see",
        "solution",
        "steps",
        "summary",
        "that",
        "the",
        "this",
        "to",
        "traceback",
        "was",
        "we",
        "what",
        "you",
        "your",
    ];
    WORDS.contains(&word) || is_machine_word(word)
}

/// Words of headings that ask for what the reporter uses.
fn is_machine_word(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "backend",
        "browser",
        "config",
        "configuration",
        "details",
        "device",
        "environment",
        "installation",
        "installed",
        "machine",
        "operating",
        "os",
        "platform",
        "system",
        "version",
        "versions",
    ];
    WORDS.contains(&word)
}

/// Whether a line was typed at a prompt, or is a box to tick.
fn is_typed(line: &str) -> bool {
    let line = line.trim_start();
    [">>> ", "... ", "$ ", "In [", "- [ ]", "- [x]", "- [X]", "* [ ]", "* [x]"]
        .iter()
        .any(|start| line.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_left_out() {
        assert_eq!(prose("why ```let x = 1;``` here"), "why   here");
        assert_eq!(prose("why\n```\nnever closed"), "why");
    }

    #[test]
    fn an_issue_is_its_title_and_what_its_reporter_says() {
        let issue = "Cart loses items\n<!-- thanks for reporting! -->\n### Describe the bug\nAn item is gone after a reload.\n\
            ### Steps to reproduce\n- [x] I searched\n$ shop serve\nOpen the cart.\n**Environment**\nshop 4.2, Linux\n\
            ## Cart and coupons\nCoupons stay.\n```py\ncart.add(1)\n```";
        assert_eq!(
            prose(issue),
            "Cart loses items\n \nAn item is gone after a reload.\nOpen the cart.\n## Cart and coupons\nCoupons stay."
        );
    }

    #[test]
    fn a_question_of_one_line_stays() {
        assert_eq!(prose("## what is $ here"), "## what is $ here");
    }
}
