//! `craig tree`: the tracked files of a project.

use craig_engine::{FileEntry, TreeNode};

use super::failure::Outcome;
use super::output::{BOLD, DIM, LABEL, styled};
use super::project::ProjectArg;
use super::session::Session;
use super::units::{bytes, counted, withheld};
use super::visible::one_line;

/// Show the tracked files of a project as a tree
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    project: ProjectArg,
    /// Number of levels to show; deeper files are only counted
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> anyhow::Result<Outcome> {
    let engine = session.engine()?;
    let tree = engine.tree(&args.project.handle(&engine)?)?;
    let depth = args.depth.unwrap_or(usize::MAX);
    let drawing = draw(&tree, depth);
    session.output.show(&cut_below(tree, depth), |_| drawing)?;
    Ok(Outcome::Complete)
}

/// The first levels of a tree.
fn cut_below(mut tree: TreeNode, depth: usize) -> TreeNode {
    let children = std::mem::take(&mut tree.children);
    if depth > 0 {
        tree.children = children.into_iter().map(|child| cut_below(child, depth - 1)).collect();
    }
    tree
}

fn draw(tree: &TreeNode, depth: usize) -> String {
    let mut text = styled(BOLD, &tree.name) + "\n";
    draw_children(tree, "", depth, &mut text);
    let (n_files, n_bytes) = sums(tree);
    text += &styled(DIM, format_args!("{}, {}", counted(n_files, "file"), bytes(n_bytes)));
    text + "\n"
}

fn draw_children(node: &TreeNode, prefix: &str, depth: usize, text: &mut String) {
    if depth == 0 {
        return;
    }
    for (at, child) in node.children.iter().enumerate() {
        let (branch, below) =
            if at + 1 < node.children.len() { ("├── ", "│   ") } else { ("└── ", "    ") };
        *text += &format!("{}{}\n", styled(DIM, format_args!("{prefix}{branch}")), label(child, depth - 1));
        draw_children(child, &format!("{prefix}{below}"), depth - 1, text);
    }
}

fn label(node: &TreeNode, depth_below: usize) -> String {
    match &node.file {
        Some(file) => file_label(&one_line(&node.name), file),
        None if depth_below == 0 => {
            let n_files = counted(sums(node).0, "file");
            format!("{}/ {}", styled(LABEL, &node.name), styled(DIM, format_args!("({n_files})")))
        }
        None => format!("{}/", styled(LABEL, &node.name)),
    }
}

fn file_label(name: &str, file: &FileEntry) -> String {
    match (file.is_binary, file.withheld) {
        (true, _) => styled(DIM, format_args!("{name} (binary, {})", bytes(file.size))),
        (false, Some(why)) => format!("{name} {}", styled(DIM, format_args!("({})", withheld(why)))),
        (false, None) => name.to_owned(),
    }
}

/// Files and bytes below a node.
fn sums(node: &TreeNode) -> (u64, u64) {
    let own = node.file.as_ref().map_or((0, 0), |file| (1, file.size));
    node.children.iter().map(sums).fold(own, |a, b| (a.0 + b.0, a.1 + b.1))
}
