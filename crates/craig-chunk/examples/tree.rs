//! Prints the syntax tree of a file, for work on the tables: `tree LANGUAGE FILE [DEPTH]`.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a developer's tool")]

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[2]).unwrap();
    let depth: usize = args.get(3).map_or(99, |d| d.parse().unwrap());
    let language: tree_sitter::Language = match args[1].as_str() {
        "ts" => craig_grammars::TYPESCRIPT.into(),
        "tsx" => craig_grammars::TSX.into(),
        "js" => craig_grammars::JAVASCRIPT.into(),
        "py" => craig_grammars::PYTHON.into(),
        "java" => craig_grammars::JAVA.into(),
        "go" => craig_grammars::GO.into(),
        "rs" => craig_grammars::RUST.into(),
        "c" => craig_grammars::C.into(),
        "cpp" => craig_grammars::CPP.into(),
        "cs" => craig_grammars::C_SHARP.into(),
        "rb" => craig_grammars::RUBY.into(),
        "php" => craig_grammars::PHP.into(),
        "kt" => craig_grammars::KOTLIN.into(),
        "swift" => craig_grammars::SWIFT.into(),
        "scala" => craig_grammars::SCALA.into(),
        "lua" => craig_grammars::LUA.into(),
        "sh" => craig_grammars::BASH.into(),
        "ex" => craig_grammars::ELIXIR.into(),
        "hs" => craig_grammars::HASKELL.into(),
        "zig" => craig_grammars::ZIG.into(),
        "html" => craig_grammars::HTML.into(),
        "css" => craig_grammars::CSS.into(),
        "json" => craig_grammars::JSON.into(),
        "yaml" => craig_grammars::YAML.into(),
        "toml" => craig_grammars::TOML.into(),
        "sql" => craig_grammars::SQL.into(),
        other => panic!("no grammar {other}"),
    };
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&language).unwrap();
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
