//! Lists what git tracks in a working tree and Craig does not search, with the reason.
//!
//! `git -C DIR ls-files -z | cargo run -p craig-source --example left_out DIR` prints `REASON<tab>PATH` for each text, and on
//! the last line how many texts git tracks. Binary files, secrets, links and submodules do not count.

use std::{
    collections::HashSet,
    error::Error,
    io::{Read as _, Write as _},
};

use craig_source::{Content, ReadError, Root, SourceOptions, left_out, read, walk};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Root::open(std::env::args().nth(1).ok_or("which directory?")?)?;
    let mut tracked = String::new();
    std::io::stdin().read_to_string(&mut tracked)?;
    let options = SourceOptions::default();
    let listed: HashSet<String> =
        walk(&root, &options)?.entries.into_iter().map(|entry| entry.path).collect();
    let unlimited = SourceOptions { max_file_size_bytes: u64::MAX, ..SourceOptions::default() };
    let mut out = std::io::stdout().lock();
    let mut n_texts = 0;
    for path in tracked.split_terminator('\0') {
        let withheld = match read(&root, path, &unlimited).map(|file| file.content) {
            Ok(Content::Text(_)) => None,
            Ok(Content::Unindexed(_, why)) => Some(format!("{why:?}")),
            Ok(Content::Secret | Content::Binary)
            | Err(ReadError::NotAFile { .. } | ReadError::Vanished { .. }) => continue,
            Err(error) => Some(error.to_string()),
        };
        n_texts += 1;
        let missing = match listed.contains(path) {
            true => None,
            false => {
                Some(left_out(&root, &options, path)?.map_or("not listed".into(), |it| it.why.to_string()))
            }
        };
        if let Some(why) = missing.or(withheld) {
            writeln!(out, "{why}\t{path}")?;
        }
    }
    writeln!(out, "{n_texts} texts are tracked")?;
    Ok(())
}
