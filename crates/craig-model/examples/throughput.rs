//! Measures a local embedder: texts per second and memory. `throughput FOLDER FILE...`
#![expect(clippy::print_stdout, reason = "the measurement is what the example is for")]

use std::path::Path;
use std::time::Instant;

use craig_model::{LocalOptions, local_embedder};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("a model folder");
    let started = Instant::now();
    let mut read = |file: &str| Ok(std::fs::read(Path::new(&folder).join(file)).ok());
    let model = local_embedder(&mut read, LocalOptions::default()).expect("a model");
    println!("{} loaded in {:.2} s", model.id(), started.elapsed().as_secs_f64());
    let texts: Vec<String> =
        arguments.flat_map(|file| pieces(&std::fs::read_to_string(file).unwrap_or_default())).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let started = Instant::now();
    let vectors = model.embed_documents(&texts).expect("vectors");
    let elapsed_s = started.elapsed().as_secs_f64();
    println!("{} texts in {elapsed_s:.2} s: {:.1} texts/s", vectors.len(), vectors.len() as f64 / elapsed_s);
    println!("{}", peak_memory());
}

/// Runs of 40 lines, about as long as chunks are.
fn pieces(text: &str) -> Vec<String> {
    text.lines().collect::<Vec<_>>().chunks(40).map(|lines| lines.join("\n")).collect()
}

fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("memory unknown").to_owned()
}
