//! Small graphs as Mermaid text that a person can read: few arrows, the heaviest first, nodes in groups.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A graph to draw.
#[derive(Default)]
pub(crate) struct Chart {
    pub(crate) nodes: Vec<Node>,
    pub(crate) arrows: Vec<Arrow>,
}

/// A node; nodes of one group are drawn in a box.
pub(crate) struct Node {
    pub(crate) label: String,
    pub(crate) group: Option<String>,
}

/// An arrow with how many uses it stands for.
#[derive(Clone, Copy)]
pub(crate) struct Arrow {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) n_uses: usize,
    pub(crate) kind: ArrowKind,
}

/// How an arrow is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArrowKind {
    Plain,
    /// Thick and red: part of a cycle.
    Cycle,
    /// Dotted: against the layers.
    Against,
}

/// Arrows of a chart.
const MOST_ARROWS: usize = 25;

/// Of these, arrows that are drawn because they are part of a cycle, however light.
const MOST_OF_CYCLES: usize = 8;

/// A chart of named nodes without groups; edges carry how many uses they stand for.
pub(crate) fn flowchart(nodes: &[String], edges: &BTreeMap<(usize, usize), usize>) -> String {
    let nodes = nodes.iter().map(|label| Node { label: label.clone(), group: None });
    let arrows =
        edges.iter().map(|(&(from, to), &n_uses)| Arrow { from, to, n_uses, kind: ArrowKind::Plain });
    Chart { nodes: nodes.collect(), arrows: arrows.collect() }.text()
}

impl Chart {
    /// As Mermaid text. Nodes without any arrow are left out if there are arrows.
    pub(crate) fn text(&self) -> String {
        let arrows = self.heaviest();
        let ends: BTreeSet<usize> = arrows.iter().flat_map(|arrow| [arrow.from, arrow.to]).collect();
        let shown = |node: usize| ends.is_empty() || ends.contains(&node);
        // Writing to a string cannot fail.
        let mut text = String::from("flowchart LR\n");
        let mut groups: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
        for (at, node) in self.nodes.iter().enumerate().filter(|(at, _)| shown(*at)) {
            groups.entry(node.group.as_deref()).or_default().push(at);
        }
        let single = groups.extract_if(.., |group, nodes| group.is_some() && nodes.len() == 1);
        let single: Vec<usize> = single.flat_map(|(_, nodes)| nodes).collect();
        groups.entry(None).or_default().extend(single);
        for (n, (group, nodes)) in groups.iter().enumerate() {
            let indent = if group.is_some() { "    " } else { "  " };
            if let Some(group) = group {
                let _ = writeln!(text, "  subgraph g{n}[\"{}\"]", escaped(group));
            }
            for &at in nodes {
                let _ = writeln!(text, "{indent}n{at}[\"{}\"]", escaped(&self.nodes[at].label));
            }
            if group.is_some() {
                text.push_str("  end\n");
            }
        }
        for Arrow { from, to, n_uses, kind } in &arrows {
            let line = match kind {
                ArrowKind::Plain => "-->",
                ArrowKind::Cycle => "==>",
                ArrowKind::Against => "-.->",
            };
            let _ = match n_uses {
                1 => writeln!(text, "  n{from} {line} n{to}"),
                n_uses => writeln!(text, "  n{from} {line}|{n_uses}| n{to}"),
            };
        }
        self.legend(&arrows, &mut text);
        text
    }

    /// The arrows to draw, in the order of their nodes.
    fn heaviest(&self) -> Vec<Arrow> {
        let mut by_weight: Vec<Arrow> = self.arrows.clone();
        by_weight.sort_by_key(|arrow| (Reverse(arrow.n_uses), arrow.from, arrow.to));
        let (of_cycles, others): (Vec<Arrow>, Vec<Arrow>) =
            by_weight.into_iter().partition(|arrow| arrow.kind == ArrowKind::Cycle);
        let mut chosen: Vec<Arrow> = of_cycles.iter().copied().take(MOST_OF_CYCLES).collect();
        let mut left: Vec<Arrow> = of_cycles.into_iter().skip(MOST_OF_CYCLES).chain(others).collect();
        left.sort_by_key(|arrow| (Reverse(arrow.n_uses), arrow.from, arrow.to));
        chosen.extend(left.into_iter().take(MOST_ARROWS - chosen.len()));
        chosen.sort_by_key(|arrow| (arrow.from, arrow.to));
        chosen
    }

    /// What the drawing does not say by itself: colours, and how much is left out.
    fn legend(&self, arrows: &[Arrow], text: &mut String) {
        let red: Vec<String> = arrows
            .iter()
            .enumerate()
            .filter(|(_, arrow)| arrow.kind == ArrowKind::Cycle)
            .map(|(at, _)| at.to_string())
            .collect();
        if !red.is_empty() {
            let _ = writeln!(text, "  linkStyle {} stroke:#c22,color:#c22", red.join(","));
            text.push_str("  %% thick: part of a cycle\n");
        }
        if arrows.iter().any(|arrow| arrow.kind == ArrowKind::Against) {
            text.push_str("  %% dotted: against the layers\n");
        }
        if arrows.len() < self.arrows.len() {
            let _ = writeln!(text, "  %% {} of {} arrows, the heaviest", arrows.len(), self.arrows.len());
        }
    }
}

/// The group of each path: the first folder in which they differ, for those that share it with another.
pub(crate) fn groups(paths: &[&str]) -> Vec<Option<String>> {
    let n_shared = shared_depth(paths);
    let group = |path: &str| -> String { path.split('/').take(n_shared + 1).collect::<Vec<_>>().join("/") };
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    for path in paths {
        *sizes.entry(group(path)).or_default() += 1;
    }
    let of_path = |path: &&str| Some(group(path)).filter(|group| sizes.get(group).is_some_and(|n| *n > 1));
    paths.iter().map(of_path).collect()
}

/// How many folders all paths share.
fn shared_depth(paths: &[&str]) -> usize {
    let Some(first) = paths.first() else { return 0 };
    let shared = |path: &str| first.split('/').zip(path.split('/')).take_while(|(a, b)| a == b).count();
    paths.iter().map(|path| shared(path)).min().unwrap_or(0)
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

    #[test]
    fn a_chart_shows_the_heaviest_arrows_and_their_nodes() {
        let nodes: Vec<String> = (0..40).map(|at| format!("part{at}")).collect();
        let edges = (1..40).map(|at| ((0, at), at)).collect();
        let text = flowchart(&nodes, &edges);
        assert_eq!(text.matches("-->").count(), MOST_ARROWS);
        assert!(text.contains("n0 -->|39| n39") && !text.contains("part14\""));
        assert!(text.ends_with("  %% 25 of 39 arrows, the heaviest\n"));
    }

    #[test]
    fn groups_are_the_folders_in_which_paths_differ() {
        assert_eq!(
            groups(&["src/a", "src/b/c", "src/b/d"]),
            [None, Some("src/b".into()), Some("src/b".into())]
        );
        assert_eq!(groups(&["lib", "src/a", "src/b"]), [None, Some("src".into()), Some("src".into())]);
        assert_eq!(groups(&["a"]), [None]);
        assert!(groups(&[]).is_empty());
    }
}
