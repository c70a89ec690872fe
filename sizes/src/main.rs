//! `sizes FILE...`: prints which function takes which bytes.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
