//! Any bytes on the standard input of `craig mcp`: the session ends when they do.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tokio::runtime::Runtime;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
static HOME: LazyLock<PathBuf> = LazyLock::new(|| tempfile::tempdir().unwrap().keep());

fuzz_target!(|input: &[u8]| RUNTIME.block_on(craig::fuzzing::mcp(&HOME, input)));
