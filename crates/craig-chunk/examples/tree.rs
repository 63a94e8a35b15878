//! Prints the syntax tree of a file, for work on the tables: `tree GRAMMAR FILE [DEPTH]`. Grammars have the names of
//! `craig-grammars/build.rs`, in lower case.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a developer's tool")]

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[2]).unwrap();
    let depth: usize = args.get(3).map_or(99, |d| d.parse().unwrap());
    let grammar = craig_grammars::ALL.iter().find(|(name, _)| *name == args[1]);
    let (_, grammar) = grammar.unwrap_or_else(|| panic!("no grammar {}", args[1]));
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter::Language::new(*grammar)).unwrap();
    let tree = parser.parse(&text, None).unwrap();
    show(&mut tree.walk(), &text, 0, depth);
}

fn show(cursor: &mut tree_sitter::TreeCursor<'_>, text: &str, level: usize, depth: usize) {
    let node = cursor.node();
    if level > depth || !(node.is_named() || node.kind().chars().any(char::is_alphabetic)) {
        return;
    }
    let line = text[node.byte_range()].lines().next().unwrap_or("");
    let line: String = line.chars().take(50).collect();
    let field = cursor.field_name().map(|f| format!("{f}: ")).unwrap_or_default();
    let quote = if node.is_named() { "" } else { "\"" };
    println!("{}{field}{quote}{}{quote}  {line}", "  ".repeat(level), node.kind());
    if cursor.goto_first_child() {
        loop {
            show(cursor, text, level + 1, depth);
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        cursor.goto_parent();
    }
}
