//! Any text in any language: its chunks cover it without a gap, and nothing else that reads it panics.
#![no_main]

use craig_source::Language;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str)| {
    let (number, text) = input;
    let languages: Vec<Language> = Language::all().collect();
    let language = languages[usize::from(number) % languages.len()];
    let outline = craig_chunk::chunk(language, text);
    let mut at = 0;
    for chunk in &outline.chunks {
        assert_eq!(chunk.bytes.start, at, "chunks follow each other");
        assert!(chunk.bytes.end > at && text.is_char_boundary(chunk.bytes.end));
        assert!(text.is_char_boundary(at - chunk.overlap_bytes));
        assert!(chunk.line_start >= 1 && chunk.line_end >= chunk.line_start);
        at = chunk.bytes.end;
    }
    assert_eq!(at, text.len(), "chunks cover the text");
    craig_chunk::metrics(language, text);
    craig_chunk::references(language, text);
});
