//! `get_file_structure`: the tracked files as a tree.

use craig_engine::{FileEntry, Language, PathBase, PathFilter, TreeNode, Withheld};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::freshness::StateName;
use crate::mcp::page::{Page, PageEnd, Paging};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// Default: the workspace's.
    project: Option<String>,
    /// Only this folder.
    path: Option<String>,
    /// Only these files: "**/*.py".
    glob: Option<String>,
    /// Levels of folders.
    depth: Option<usize>,
    #[serde(flatten)]
    paging: Paging,
}

#[derive(Serialize, JsonSchema)]
struct Structure {
    /// Name of the project.
    project: String,
    root: Node,
    /// Files that match.
    files: u64,
    /// Their bytes.
    bytes: u64,
    /// Whether the index is as new as the files.
    freshness: StateName,
    #[serde(flatten)]
    page: PageEnd,
}

/// A file or folder.
#[derive(Clone, Default, Serialize, JsonSchema)]
struct Node {
    /// Last part of the path.
    name: String,
    r#type: NodeType,
    /// Files in a folder, including those in its subfolders.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<u64>,
    /// Language of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    language: Option<Language>,
    /// Size of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// Whether a file is binary.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_binary: bool,
    /// Why the text of a file is not searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<Withheld>,
    #[serde(skip_serializing_if = "Option::is_none")]
    children: Option<Vec<Node>>,
}

#[derive(Clone, Copy, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum NodeType {
    Folder,
    #[default]
    File,
}

impl Node {
    fn folder(name: &str, files: u64) -> Self {
        Self { name: name.to_owned(), r#type: NodeType::Folder, files: Some(files), ..Self::default() }
    }

    fn file(name: &str, file: &FileEntry) -> Self {
        Self {
            name: name.to_owned(),
            language: (!file.is_binary).then_some(file.language),
            bytes: Some(file.size),
            is_binary: file.is_binary,
            withheld: file.withheld,
            ..Self::default()
        }
    }
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "get_file_structure",
        title: "List files",
        description: "Returns the tracked files, including binary ones, as a tree. Use it instead of ls and \
                      find; depth 2 is an overview.",
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

/// A file or folder with its depth, in the order of the tree.
struct Row {
    depth: usize,
    node: Node,
}

async fn answer(call: Call<Arguments>) -> Result<Answer<Structure>, Failure> {
    let arguments = &call.arguments;
    let page = Page::new(&arguments.paging, &call.raw)?;
    let project = call.shared.project_or_own(arguments.project.as_deref()).await?;
    let state = call.shared.bring_up_to_date(&project).await?;
    let path = call.shared.path_in_project(&project, arguments.path.as_deref().unwrap_or_default()).await?;
    let tree = call.shared.run(move |engine| engine.tree(&project)).await?;
    let name = tree.name.clone();
    let matcher = arguments.glob.as_deref().map(|glob| selected(&tree, glob)).transpose()?;
    let tree = below(tree, &path)?;
    let tree = matching(tree, matcher.as_ref()).unwrap_or_default();
    let (files, bytes) = sums(&tree);
    let mut rows = Vec::new();
    lay_out(&tree, 1, arguments.depth.unwrap_or(usize::MAX).max(1), &mut rows);
    let (shown, next) = fitting(&rows, page);
    let root_name = if tree.name.is_empty() { &name } else { &tree.name };
    let root = Node { children: Some(nested(&shown)), ..Node::folder(root_name, files) };
    let notes =
        state.note(&name).into_iter().chain((files == 0).then(|| "no file matches".to_owned())).collect();
    let page = page.end_at(next, notes, || {
        format!("entries {}-{} of {}", page.offset + 1, next.unwrap_or(rows.len()), rows.len())
    });
    Ok(Structure { project: name, root, files, bytes, freshness: state.name(), page }.into())
}

/// The files of a tree that a path or pattern selects.
fn selected(tree: &TreeNode, pattern: &str) -> Result<PathFilter, Failure> {
    let mut filter = PathFilter::new(pattern, PathBase::default());
    let mut paths = Vec::new();
    add_paths(tree, &mut paths);
    filter.choose(paths.iter().copied());
    match filter.syntax_error() {
        Some(error) => Err(Failure::new(error, "patterns look like 'src/**/*.rs' or '*.md'")),
        None => Ok(filter),
    }
}

/// Adds the paths of all files of a tree.
fn add_paths<'t>(node: &'t TreeNode, paths: &mut Vec<&'t str>) {
    paths.extend(node.file.as_ref().map(|file| file.path.as_str()));
    node.children.iter().for_each(|child| add_paths(child, paths));
}

/// The folder at `path`.
fn below(tree: TreeNode, path: &str) -> Result<TreeNode, Failure> {
    let path = path.replace('\\', "/");
    let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    parts.into_iter().try_fold(tree, |node, part| {
        let folders: Vec<String> =
            node.children.iter().filter(|c| c.file.is_none()).map(|c| c.name.clone()).collect();
        let child = node.children.into_iter().find(|child| child.name == part && child.file.is_none());
        child.ok_or_else(|| {
            Failure::new(
                format!("there is no folder {path:?}"),
                format!("folders there: {}", folders.join(", ")),
            )
        })
    })
}

/// The tree of the matching files; `None` if there are none.
fn matching(mut node: TreeNode, matcher: Option<&PathFilter>) -> Option<TreeNode> {
    if let Some(file) = &node.file {
        let is_match = matcher.is_none_or(|matcher| matcher.selects(&file.path));
        return is_match.then_some(node);
    }
    node.children = node.children.into_iter().filter_map(|child| matching(child, matcher)).collect();
    (!node.children.is_empty()).then_some(node)
}

/// Files and bytes below a node.
fn sums(node: &TreeNode) -> (u64, u64) {
    let own = node.file.as_ref().map_or((0, 0), |file| (1, file.size));
    node.children.iter().map(sums).fold(own, |a, b| (a.0 + b.0, a.1 + b.1))
}

/// All nodes down to a depth, each before its children.
fn lay_out(node: &TreeNode, depth: usize, most_depth: usize, rows: &mut Vec<Row>) {
    for child in &node.children {
        let node = match &child.file {
            Some(file) => Node::file(&child.name, file),
            None => Node::folder(&child.name, sums(child).0),
        };
        rows.push(Row { depth, node });
        if depth < most_depth {
            lay_out(child, depth + 1, most_depth, rows);
        }
    }
}

/// The rows of a page with the folders that contain them, and where the next page begins.
fn fitting(rows: &[Row], page: Page) -> (Vec<&Row>, Option<usize>) {
    let first = page.offset.min(rows.len());
    let nodes: Vec<&Node> = rows.iter().map(|row| &row.node).collect();
    let end = first + page.fit(nodes).items.len();
    let mut shown = parents(rows, first);
    shown.extend(&rows[first..end]);
    (shown, (end < rows.len()).then_some(end))
}

/// The folders that contain the row at `at`, outermost first.
fn parents(rows: &[Row], at: usize) -> Vec<&Row> {
    let mut depth = rows.get(at).map_or(0, |row| row.depth);
    let mut parents: Vec<&Row> = Vec::new();
    for row in rows[..at].iter().rev() {
        if row.depth < depth {
            depth = row.depth;
            parents.push(row);
        }
    }
    parents.reverse();
    parents
}

/// Rows as a tree again.
fn nested(rows: &[&Row]) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut rest = rows;
    while let Some((row, after)) = rest.split_first() {
        let n_below = after.iter().take_while(|below| below.depth > row.depth).count();
        let children = (n_below > 0).then(|| nested(&after[..n_below]));
        nodes.push(Node { children, ..row.node.clone() });
        rest = &after[n_below..];
    }
    nodes
}
