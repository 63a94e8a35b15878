//! Prints the lines of files that secrets are overwritten in, as `PATH:LINE`, what was and what became of it, and counts all lines.
//!
//! `cargo run --release -p craig-source --example masked -- FOLDER ...`
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool")]

use std::path::Path;
use std::time::{Duration, Instant};

use craig_source::{Content, FileStamp, Root, SourceOptions, interpret, walk};

fn main() {
    let quiet = std::env::var_os("QUIET").is_some();
    let (mut n_lines, mut n_masked, mut n_bytes, mut time) = (0, 0, 0, Duration::ZERO);
    for folder in std::env::args().skip(1) {
        let Ok(root) = Root::open(Path::new(&folder)) else { continue };
        let Ok(listing) = walk(&root, &SourceOptions::default()) else { continue };
        for entry in listing.entries {
            let Ok(bytes) = std::fs::read(root.path().join(&entry.path)) else { continue };
            let Ok(before) = String::from_utf8(bytes.clone()) else { continue };
            n_bytes += bytes.len();
            let stamp = FileStamp { size: 0, modified_ns: 0, changed_ns: 0 };
            let started = Instant::now();
            let file = interpret(&entry.path, stamp, bytes);
            time += started.elapsed();
            let (Content::Text(after) | Content::Unindexed(after, _)) = file.content else { continue };
            let before = before.trim_start_matches('\u{feff}');
            n_lines += before.lines().count();
            if before == after {
                continue;
            }
            for (number, (was, is)) in
                before.lines().zip(after.lines()).enumerate().filter(|(_, (was, is))| was != is)
            {
                n_masked += 1;
                if !quiet {
                    print(&folder, &entry.path, number + 1, was, is);
                }
            }
        }
    }
    eprintln!(
        "{n_masked} of {n_lines} lines, {n_bytes} bytes in {time:?}: {:.3} ns a byte",
        time.as_nanos() as f64 / n_bytes as f64
    );
}

fn print(folder: &str, path: &str, line: usize, was: &str, is: &str) {
    let at = was.bytes().zip(is.bytes()).position(|(a, b)| a != b).unwrap_or_default();
    let end = was.len() - was.bytes().rev().zip(is.bytes().rev()).take_while(|(a, b)| a == b).count();
    let from = was.floor_char_boundary(at.saturating_sub(60));
    let name = folder.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let cut = |text: &str, most: usize| text[..text.floor_char_boundary(most)].to_owned();
    println!("{name}/{path}:{line}\t{}\u{ab}{}\u{bb}", &was[from..at], cut(&was[at..end], 120));
}
