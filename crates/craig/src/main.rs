//! `craig`: hands any coding assistant the right code and documentation of a workspace.

/// Parsing makes and drops many small nodes, in C and in Rust: this allocator takes a fifth less of the processor's time
/// for an ingestion than the system's (`docs/benchmarks.md`).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    craig::main()
}
