//! The surfaces of Craig: command line, MCP server, LSP server, gateway. `main.rs` makes a program of them.

mod assistants;
mod cli;
mod installation;
mod json;
mod json_rpc;
mod lsp;
mod mcp;
mod memory;
mod place;
mod savings;
mod workspace;

#[cfg(any(test, fuzzing))]
pub mod fuzzing;

/// Runs the command line of this process.
pub fn main() -> std::process::ExitCode {
    cli::main()
}
