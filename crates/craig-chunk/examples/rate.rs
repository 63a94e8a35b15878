//! Measures `chunk` against bare parsing, per language: `rate DIR…`.
#![expect(clippy::print_stdout, reason = "a developer's tool")]

use std::{collections::BTreeMap, fs, path::Path, time::Instant};

use craig_chunk::{Outline, Parsed, chunk, parse_only};
use craig_source::Language;

#[derive(Default)]
struct Row {
    files: usize,
    bytes: usize,
    parse_s: f64,
    chunk_s: f64,
    n_chunks: usize,
    n_symbols: usize,
    partly: usize,
    as_text: usize,
    sizes: Vec<usize>,
    slowest: (f64, String),
}

/// Headers are C unless their text looks like C++, as craig-source tells them.
fn language(path: &str, text: &str) -> Language {
    let language = Language::from_path(path).unwrap_or(Language::Text);
    let is_cpp = path.ends_with(".h")
        && ["\nnamespace ", "\nclass ", "\ntemplate "].iter().any(|mark| text.contains(mark));
    if is_cpp { Language::Cpp } else { language }
}

fn main() {
    let mut files = Vec::new();
    for root in std::env::args().skip(1) {
        collect(Path::new(&root), &mut files);
    }
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for (path, _) in files {
        if let Ok(text) = fs::read_to_string(&path) {
            let language = language(&path, &text);
            measure(rows.entry(language.id()).or_default(), &path, language, &text);
        }
    }
    println!(
        "language         files    MB  parse-MB/s chunk-MB/s ratio  chunks symbols partly text  p10  p50  p90  max slowest"
    );
    for (language, row) in &mut rows {
        show(language, row);
    }
}

fn collect(path: &Path, files: &mut Vec<(String, Language)>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            collect(&entry.path(), files);
        }
    } else if let Some(path) = path.to_str() {
        let is_small = fs::metadata(path).is_ok_and(|metadata| metadata.len() < 1_000_000);
        files.extend(
            Language::from_path(path).filter(|_| is_small).map(|language| (path.to_owned(), language)),
        );
    }
}

/// The faster of two runs each, alternating: the machine may be busy.
fn measure(row: &mut Row, path: &str, language: Language, text: &str) {
    let mut parse_s = f64::MAX;
    let mut chunk_s = f64::MAX;
    let mut outline = None;
    for _ in 0..2 {
        let start = Instant::now();
        parse_only(language, text);
        parse_s = parse_s.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        outline = Some(chunk(language, text));
        chunk_s = chunk_s.min(start.elapsed().as_secs_f64());
    }
    row.files += 1;
    row.bytes += text.len();
    row.parse_s += parse_s;
    row.chunk_s += chunk_s;
    if chunk_s > row.slowest.0 {
        row.slowest = (chunk_s, path.to_owned());
    }
    if let Some(outline) = outline {
        count(row, &outline);
    }
}

fn count(row: &mut Row, outline: &Outline) {
    row.n_chunks += outline.chunks.len();
    row.n_symbols += outline.symbols.len();
    row.partly += usize::from(outline.parsed == Parsed::Partly);
    row.as_text += usize::from(outline.parsed == Parsed::AsText);
    row.sizes.extend(outline.chunks.iter().map(|chunk| chunk.bytes.len()));
}

fn show(language: &str, row: &mut Row) {
    row.sizes.sort_unstable();
    let size = |percent: usize| {
        row.sizes.get((row.sizes.len().saturating_sub(1)) * percent / 100).copied().unwrap_or(0)
    };
    let mb = row.bytes as f64 / 1e6;
    println!(
        "{language:<16} {:>5} {mb:>5.1} {:>10.1} {:>10.1} {:>5.2} {:>7} {:>7} {:>6} {:>4} {:>4} {:>4} {:>4} {:>4} {:.2}s {}",
        row.files,
        mb / row.parse_s,
        mb / row.chunk_s,
        row.chunk_s / row.parse_s,
        row.n_chunks,
        row.n_symbols,
        row.partly,
        row.as_text,
        size(10),
        size(50),
        size(90),
        size(100),
        row.slowest.0,
        row.slowest.1,
    );
}
