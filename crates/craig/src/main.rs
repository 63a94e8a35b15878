//! `craig`: hands any coding assistant the right code and documentation of a workspace.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
