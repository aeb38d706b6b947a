//! Work that the API crate does in processes of its own: it has state for the whole process.

use std::{
    io::{stdin, stdout},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::Context;
use cuzk_filecoin::{judge, sealed};

/// Arguments with which this program becomes the second judge.
pub(crate) const JUDGE: &[&str] = &["judge"];
/// Arguments with which this program seals a sector.
pub(crate) const SEAL: &[&str] = &["seal"];

/// The program to start for sealing.
pub(crate) fn program() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("cannot find this program's own file")
}

/// The second judge's process.
pub(crate) fn judge() -> ExitCode {
    ExitCode::from(judge::child_main(stdin().lock(), stdout().lock()))
}

/// The sealing process. The parent reads the answer from standard output; that it cannot be written there leaves only
/// the status.
pub(crate) fn seal() -> ExitCode {
    if sealed::child_main(stdin().lock(), stdout().lock()).is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
