//! A judging process by itself: reads a job on standard input, writes the verdict to standard output.
//!
//! The daemon's own binary does the same behind an argument; the tests use this one.

fn main() -> std::process::ExitCode {
    cuzk_filecoin::judge::child_main(std::io::stdin().lock(), std::io::stdout().lock()).into()
}
