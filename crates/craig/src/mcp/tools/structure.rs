//! `get_file_structure`: the tracked files as a tree.

use craig_engine::{FileEntry, TreeNode};
use globset::{GlobBuilder, GlobMatcher};
use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{About, Call, Effect, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::failure::Failure;
use crate::mcp::freshness::STATES;
use crate::mcp::page::{Page, Paging};
use crate::mcp::schema::{Optional, boolean, integer, one_of, text, with};

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Arguments {
    /// Name, reference, id or directory of the project; without it the workspace's.
    project: Option<String>,
    /// Only this folder.
    path: Option<String>,
    /// Only files whose path matches: "**/*.py".
    glob: Option<String>,
    /// So many levels; deeper folders only say how many files they hold.
    depth: Option<usize>,
    #[serde(flatten)]
    paging: Paging,
}

pub(super) fn tool() -> Tool {
    let about = About {
        name: "get_file_structure",
        title: "List files",
        description: "Tracked files and folders of a project as a tree, binary files included. depth 2 gives an overview; \
                      path and glob look closer.",
        output: output(),
        effect: Effect::Reads,
    };
    Tool::new(about, answer)
}

fn output() -> Value {
    let mut schema = with("project", text("Project"))
        .with("root", json!({ "$ref": "#/$defs/node" }))
        .with("files", integer("Files that match"))
        .with("bytes", integer("Their bytes"))
        .with("freshness", one_of("Whether the index is as new as the files", &STATES))
        .paged()
        .object();
    schema["$defs"] = json!({ "node": node() });
    schema
}

fn node() -> Value {
    with("name", text("Name"))
        .with("type", one_of("What it is", &["folder", "file"]))
        .with("files", Optional(integer("Files in a folder, those below included")))
        .with("language", Optional(text("Language of a file")))
        .with("bytes", Optional(integer("Size of a file")))
        .with("is_binary", Optional(boolean("A binary file")))
        .with("withheld", Optional(text("Why its text is not searched")))
        .with("children", Optional(json!({ "type": "array", "items": { "$ref": "#/$defs/node" } })))
        .object()
}

/// A file or folder with how deep it is, in the order of the tree.
struct Row {
    depth: usize,
    told: Map<String, Value>,
}

async fn answer(call: Call<Arguments>) -> Result<Answer, Failure> {
    let arguments = &call.arguments;
    let page = Page::new(&arguments.paging, &call.raw)?;
    let matcher = arguments.glob.as_deref().map(glob).transpose()?;
    let project = call.shared.project_or_own(arguments.project.as_deref()).await?;
    let state = call.shared.bring_up_to_date(&project).await?;
    let path = call.shared.path_in_project(&project, arguments.path.as_deref().unwrap_or_default()).await?;
    let tree = call.shared.run(move |engine| engine.tree(&project)).await?;
    let name = tree.name.clone();
    let tree = below(tree, &path)?;
    let tree = matching(tree, matcher.as_ref()).unwrap_or_default();
    let (files, bytes) = sums(&tree);
    let mut rows = Vec::new();
    lay_out(&tree, 1, arguments.depth.unwrap_or(usize::MAX).max(1), &mut rows);
    let (shown, next) = fitting(&rows, page);
    let root_name = if tree.name.is_empty() { &name } else { &tree.name };
    let root = json!({ "name": root_name, "type": "folder", "files": files, "children": nested(&shown) });
    let mut answer = Answer::default()
        .with("project", name.clone())
        .with("root", root)
        .with("files", files)
        .with("bytes", bytes)
        .with("freshness", state.name());
    let notes =
        state.note(&name).into_iter().chain((files == 0).then(|| "no file matches".to_owned())).collect();
    page.close_at(&mut answer.fields, next, notes, || {
        format!("entries {}-{} of {}", page.offset + 1, next.unwrap_or(rows.len()), rows.len())
    });
    Ok(answer)
}

fn glob(pattern: &str) -> Result<GlobMatcher, Failure> {
    let glob = GlobBuilder::new(pattern).literal_separator(pattern.contains('/')).build();
    glob.map(|glob| glob.compile_matcher())
        .map_err(|error| Failure::new(error.to_string(), "patterns look like 'src/**/*.rs' or '*.md'"))
}

/// The folder at `path`.
fn below(tree: TreeNode, path: &str) -> Result<TreeNode, Failure> {
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

/// The tree of the files that match; `None` when there are none.
fn matching(mut node: TreeNode, matcher: Option<&GlobMatcher>) -> Option<TreeNode> {
    if let Some(file) = &node.file {
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        let is_match = matcher.is_none_or(|m| m.is_match(&file.path) || m.is_match(name));
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

/// All nodes down to a depth, each before what it holds.
fn lay_out(node: &TreeNode, depth: usize, most_depth: usize, rows: &mut Vec<Row>) {
    for child in &node.children {
        let told = match &child.file {
            Some(file) => file_node(&child.name, file),
            None => json!({ "name": child.name, "type": "folder", "files": sums(child).0 }),
        };
        rows.push(Row { depth, told: told.as_object().cloned().unwrap_or_default() });
        if depth < most_depth {
            lay_out(child, depth + 1, most_depth, rows);
        }
    }
}

fn file_node(name: &str, file: &FileEntry) -> Value {
    let mut told = json!({ "name": name, "type": "file", "bytes": file.size });
    match file.is_binary {
        true => told["is_binary"] = true.into(),
        false => told["language"] = json!(file.language),
    }
    if let Some(withheld) = file.withheld {
        told["withheld"] = json!(withheld);
    }
    told
}

/// The rows of a page, with the folders that they are in, and where the next page begins.
fn fitting(rows: &[Row], page: Page) -> (Vec<&Row>, Option<usize>) {
    let first = page.offset.min(rows.len());
    let told: Vec<&Map<String, Value>> = rows.iter().map(|row| &row.told).collect();
    let end = first + page.fit(told).items.len();
    let mut shown = parents(rows, first);
    shown.extend(&rows[first..end]);
    (shown, (end < rows.len()).then_some(end))
}

/// The folders that hold the row at `at`, outermost first.
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

/// Rows as the tree that they were.
fn nested(rows: &[&Row]) -> Vec<Value> {
    let mut nodes = Vec::new();
    let mut rest = rows;
    while let Some((row, after)) = rest.split_first() {
        let n_below = after.iter().take_while(|below| below.depth > row.depth).count();
        let mut told = row.told.clone();
        if n_below > 0 {
            told.insert("children".into(), nested(&after[..n_below]).into());
        }
        nodes.push(Value::Object(told));
        rest = &after[n_below..];
    }
    nodes
}
