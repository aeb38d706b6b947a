//! A sealing process by itself: reads a job on standard input, writes the output of the first commit phase to standard
//! output.
//!
//! The daemon's own binary does the same behind an argument; the tests use this one.

fn main() -> std::io::Result<()> {
    cuzk_filecoin::sealed::child_main(std::io::stdin().lock(), std::io::stdout().lock())
}
