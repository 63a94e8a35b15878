//! Prints the outline of files: `outline FILE…`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool")]

use craig_chunk::{Outline, chunk};
use craig_source::Language;

/// Headers are C unless their text looks like C++, as craig-source tells them.
fn language(path: &str, text: &str) -> Language {
    let language = Language::from_path(path).unwrap_or(Language::Text);
    let is_cpp = path.ends_with(".h")
        && ["\nnamespace ", "\nclass ", "\ntemplate "].iter().any(|mark| text.contains(mark));
    if is_cpp { Language::Cpp } else { language }
}

fn main() {
    for path in std::env::args().skip(1) {
        match std::fs::read_to_string(&path) {
            Ok(text) => show(&path, &chunk(language(&path, &text), &text)),
            Err(error) => eprintln!("{path}: {error}"),
        }
    }
}

fn show(path: &str, outline: &Outline) {
    println!("{path} {:?}", outline.parsed);
    for chunk in &outline.chunks {
        let lines = format!("{}-{}", chunk.line_start, chunk.line_end);
        let kind = format!("{:?}", chunk.kind);
        let name = chunk.symbol_name.as_deref().unwrap_or("-");
        let parent = chunk.parent.as_deref().map(|parent| format!(" in {parent}")).unwrap_or_default();
        println!(
            "  {lines:>11} {:>5}b +{:<3} {kind:<9} {name}{parent}",
            chunk.bytes.len(),
            chunk.overlap_bytes
        );
    }
    for symbol in &outline.symbols {
        let lines = format!("{}-{}", symbol.line, symbol.line_end);
        let parent = symbol.parent.as_deref().map(|parent| format!(" in {parent}")).unwrap_or_default();
        println!("  symbol {lines:>9} {:?} {}{parent}", symbol.kind, symbol.name);
    }
    for import in &outline.imports {
        println!("  import {} {:?} {}", import.line, import.names, import.target);
    }
}
