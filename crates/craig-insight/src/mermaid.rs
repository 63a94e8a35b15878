//! Small graphs as Mermaid text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A flow chart of named nodes; edges carry how many uses they stand for.
pub(crate) fn flowchart(nodes: &[String], edges: &BTreeMap<(usize, usize), usize>) -> String {
    let mut text = String::from("flowchart LR\n");
    for (at, node) in nodes.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  n{at}[\"{}\"]", escaped(node));
    }
    for ((from, to), n_uses) in edges {
        let _ = match n_uses {
            1 => writeln!(text, "  n{from} --> n{to}"),
            n_uses => writeln!(text, "  n{from} -->|{n_uses}| n{to}"),
        };
    }
    text
}

/// Longest label.
const MOST_CHARS: usize = 60;

/// A label within quotes: whatever could end it or be read as markup is written as a character code.
fn escaped(label: &str) -> String {
    let mut text = String::new();
    for c in label.chars().take(MOST_CHARS) {
        match c {
            '"' | '#' | '<' | '>' | '&' | '`' | '\\' => {
                let _ = write!(text, "#{};", u32::from(c));
            }
            c if c.is_control() => text.push(' '),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_cannot_leave_their_quotes() {
        let nodes = ["a\"] --> b".to_owned(), "<script>".to_owned()];
        let text = flowchart(&nodes, &BTreeMap::from([((0, 1), 2)]));
        assert_eq!(
            text,
            "flowchart LR\n  n0[\"a#34;] --#62; b\"]\n  n1[\"#60;script#62;\"]\n  n0 -->|2| n1\n"
        );
    }
}
