//! Any bytes on the standard input of `craig lsp`: the session ends when they do.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| craig::fuzzing::lsp(input));
