//! Prints what is measured of files, and what they refer to: `measure metrics|references FILE...`.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a developer's tool")]

use craig_chunk::{metrics, references};
use craig_source::Language;

fn main() {
    let mut args = std::env::args().skip(1);
    let what = args.next().unwrap();
    for path in args {
        let Some(language) = Language::from_path(&path) else { continue };
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if what == "metrics" {
            for f in metrics(language, &text).unwrap_or_default() {
                println!(
                    "{path}\t{}\t{}\t{}\t{}\t{}",
                    f.line_start, f.line_end, f.name, f.complexity, f.nesting
                );
            }
        } else {
            println!("{path} {:#?}", references(language, &text));
        }
    }
}
