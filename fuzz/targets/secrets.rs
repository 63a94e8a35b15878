//! Any text as a file: masking keeps the length and the lines, and masking it once more only adds to it.
#![no_main]

use craig_source::{Content, FileStamp, interpret};
use libfuzzer_sys::fuzz_target;

const PATHS: [&str; 6] = ["main.py", "config.yaml", ".npmrc", "notes.md", "terraform.tfvars", "wp-config.php"];

fuzz_target!(|input: (u8, &str)| {
    let (number, text) = input;
    let path = PATHS[usize::from(number) % PATHS.len()];
    // A mark at the beginning is dropped, and NUL makes a file binary or UTF-16.
    let text = text.replace('\0', "");
    let text = text.trim_start_matches('\u{feff}');
    let Some(masked) = text_of(path, text) else { return };
    let lines = |text: &str| text.split('\n').map(str::len).collect::<Vec<_>>();
    assert_eq!(lines(&masked), lines(text), "every byte stays where it is");
    let Some(again) = text_of(path, &masked) else { return };
    let is_masked_for_good = |(once, twice): (u8, u8)| once == twice || twice == b'*';
    assert!(masked.bytes().zip(again.bytes()).all(is_masked_for_good), "{masked:?} became {again:?}");
});

fn text_of(path: &str, text: &str) -> Option<String> {
    let stamp = FileStamp { size: text.len() as u64, modified_ns: 0, changed_ns: 0 };
    match interpret(path, stamp, text.as_bytes().to_vec()).content {
        Content::Text(text) | Content::Unindexed(text, _) => Some(text),
        Content::Secret | Content::Binary => None,
    }
}
