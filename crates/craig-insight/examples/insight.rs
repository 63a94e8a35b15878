//! Analyses a folder without a database, for measuring: `insight dependencies FOLDER`.
#![expect(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, reason = "a developer's tool")]

use craig_insight::Analysis;
use craig_source::{Content, Root, SourceOptions, read, walk};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let root = Root::open(&args[2]).unwrap();
    let options = SourceOptions { max_file_size_bytes: 16 << 20, ..SourceOptions::default() };
    let listing = walk(&root, &options).unwrap();
    let mut texts = Vec::new();
    for entry in &listing.entries {
        let Ok(file) = read(&root, &entry.path, &options) else { continue };
        if let Content::Text(text) | Content::Unindexed(text, _) = file.content {
            texts.push((file.path, text));
        }
    }
    let started = std::time::Instant::now();
    let pairs = texts.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let report = match args[1].as_str() {
        "dependencies" => serde_json::to_string(&Analysis::from_texts(pairs).dependencies()),
        "architecture" => serde_json::to_string(&Analysis::from_texts(pairs).architecture()),
        "quality" => serde_json::to_string(&craig_insight::quality_of_texts(pairs)),
        "relations" => {
            serde_json::to_string(&Analysis::from_texts(pairs.clone()).relations_in(pairs, &args[3]).unwrap())
        }
        other => panic!("no analysis {other}"),
    };
    println!("{}", report.unwrap());
    eprintln!("{} files, {:.2} s", texts.len(), started.elapsed().as_secs_f64());
}
