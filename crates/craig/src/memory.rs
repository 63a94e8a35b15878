//! How the process uses memory.

/// Keeps huge pages out of this process from now on. A server with huge pages takes twice the memory; a command that ends
/// soon saves a few thousand page faults with them (`docs/benchmarks.md`).
pub(crate) fn disable_huge_pages() {
    #[cfg(target_os = "linux")]
    {
        // If this fails, the server only takes more memory.
        let _ = rustix::thread::disable_transparent_huge_pages(true);
    }
}
