//! The first byte picks a language, the rest is the text: its chunks must partition it.
#![no_main]

use craig_source::Language;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str)| {
    let (pick, text) = input;
    let languages: Vec<Language> = Language::all().collect();
    let outline = craig_chunk::chunk(languages[usize::from(pick) % languages.len()], text);
    let mut at = 0;
    for chunk in &outline.chunks {
        assert!(chunk.bytes.start == at && chunk.bytes.end > at);
        assert!(!chunk.text(text).is_empty());
        at = chunk.bytes.end;
    }
    assert_eq!(at, text.len());
});
