//! Prints the syntax tree of a file, for whoever mends the tables: `tree LANGUAGE FILE [DEPTH]`.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a developer's tool")]

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[2]).unwrap();
    let depth: usize = args.get(3).map_or(99, |d| d.parse().unwrap());
    let language: tree_sitter::Language = match args[1].as_str() {
        "ts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        "js" => tree_sitter_javascript::LANGUAGE.into(),
        "py" => tree_sitter_python::LANGUAGE.into(),
        "java" => tree_sitter_java::LANGUAGE.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        "rs" => tree_sitter_rust::LANGUAGE.into(),
        "c" => tree_sitter_c::LANGUAGE.into(),
        "cpp" => tree_sitter_cpp::LANGUAGE.into(),
        "cs" => tree_sitter_c_sharp::LANGUAGE.into(),
        "rb" => tree_sitter_ruby::LANGUAGE.into(),
        "php" => tree_sitter_php::LANGUAGE_PHP.into(),
        "kt" => tree_sitter_kotlin_ng::LANGUAGE.into(),
        "swift" => tree_sitter_swift::LANGUAGE.into(),
        "scala" => tree_sitter_scala::LANGUAGE.into(),
        "lua" => tree_sitter_lua::LANGUAGE.into(),
        "sh" => tree_sitter_bash::LANGUAGE.into(),
        "ex" => tree_sitter_elixir::LANGUAGE.into(),
        "hs" => tree_sitter_haskell::LANGUAGE.into(),
        "zig" => tree_sitter_zig::LANGUAGE.into(),
        "html" => tree_sitter_html::LANGUAGE.into(),
        "css" => tree_sitter_css::LANGUAGE.into(),
        "json" => tree_sitter_json::LANGUAGE.into(),
        "yaml" => tree_sitter_yaml::LANGUAGE.into(),
        "toml" => tree_sitter_toml_ng::LANGUAGE.into(),
        "sql" => tree_sitter_sequel::LANGUAGE.into(),
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
