//! What can be wrong with a parameter file, and with writing one.

use std::{
    io,
    path::{Path, PathBuf},
};

use thiserror::Error;

use super::{PointFault, Section};
use crate::VerifyingKeyError;

/// An error of reading, checking, writing or generating parameter files.
#[derive(Debug, Error)]
pub enum ParamsError {
    /// The operating system refused an operation on the file.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was attempted: `open`, `read`, `write` …
        action: &'static str,
        /// The system's answer.
        source: io::Error,
    },
    /// The file ends before a section does.
    #[error(
        "{}: truncated, or no Groth16 parameter file: section {section} announces {points} points and so needs \
         {expected} bytes of file, found {found}; fetch or generate the file again", path.display()
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// The section that does not fit.
        section: Section,
        /// Points that the section's count announces (0 when the count itself is missing).
        points: u64,
        /// Bytes of file that the sections up to here need.
        expected: u64,
        /// Bytes in the file.
        found: u64,
    },
    /// The file goes on behind its last section.
    #[error(
        "{}: {} trailing bytes: the sections end at byte {expected}, the file has {found}; fetch or generate the \
         file again", path.display(), found - expected
    )]
    Trailing {
        /// The file.
        path: PathBuf,
        /// Bytes that the sections need.
        expected: u64,
        /// Bytes in the file.
        found: u64,
    },
    /// A count fits the file but no circuit, or not the circuit that the file is read for.
    #[error("{}: section {section} has {found} points, expected {expected}: the file belongs to another circuit or is damaged", path.display())]
    Count {
        /// The file.
        path: PathBuf,
        /// The section.
        section: Section,
        /// What the count should be, in words or digits.
        expected: String,
        /// The count in the file.
        found: u64,
    },
    /// A point of a section is not a legal one.
    #[error("{}: section {section}, point {index}: {fault}; fetch or generate the file again", path.display())]
    Point {
        /// The file.
        path: PathBuf,
        /// The section.
        section: Section,
        /// Index of the point in its section.
        index: u64,
        /// What is wrong with it.
        fault: PointFault,
    },
    /// The verifying key of the file is not a legal one.
    #[error("{}: {source}", path.display())]
    VerifyingKey {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: VerifyingKeyError,
    },
    /// The points of a section do not fit into memory.
    #[error("{}: no memory for the {bytes} bytes of section {section}", path.display())]
    Memory {
        /// The file.
        path: PathBuf,
        /// The section.
        section: Section,
        /// Bytes that were asked for.
        bytes: u64,
    },
    /// Development parameters would land among the published ones.
    #[error(
        "refusing to write {} into {}, where operators keep the published parameters: choose another directory",
        path.display(), directory.display()
    )]
    OperatorsDirectory {
        /// The file that was asked for.
        path: PathBuf,
        /// The operators' directory.
        directory: PathBuf,
    },
    /// There is a file already.
    #[error("{} exists and was not to be replaced: choose another name or remove it", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// There is a file already that was not made by the development generator.
    #[error("refusing to replace {}: it is not development parameters ({reason}); choose another name", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// How that was seen.
        reason: String,
    },
    /// A variable of the circuit occurs in no constraint, so no sound parameters exist for it.
    #[error("auxiliary variable {index} is unconstrained: it occurs in no constraint of the circuit")]
    Unconstrained {
        /// Index among the auxiliary variables.
        index: usize,
    },
    /// The circuit needs a larger domain than the field has roots of unity for.
    #[error("the circuit has {constraints} constraints with those of its inputs, more than {limit}")]
    TooLarge {
        /// Constraints, with one for every input.
        constraints: u64,
        /// The largest domain.
        limit: u64,
    },
}

impl ParamsError {
    /// An [`ParamsError::Io`] on `path`.
    pub(crate) fn io(path: &Path, action: &'static str, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), action, source }
    }
}
