//! The API crate as a second judge of a proof that was verified already.
//!
//! The API crate has state for the whole process: settings read once from the environment and the working directory,
//! and verifying keys kept for ever by sector size. So it judges in a process of its own, with an environment that
//! holds only what it needs and a parameter directory that holds only the verifying key: it then neither locks, writes
//! nor (where the `.vk` is missing) maps anything in the operator's directory.
//!
//! Verification needs the `.vk` file alone. Without one the API crate would take the key from the `.params` file, by
//! mapping all of it and writing the `.vk` next to it; here the key, which is the head of that file, is copied out.

mod child;
mod job;
mod key;

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub(crate) use child::malformed;

pub use child::child_main;
pub use job::{JudgeJob, Sealer, Verdict, Verifier};

use crate::child::{ChildFault, ask};
use crate::error::Error;
use crate::parameters::PARAMETER_DIR_VARIABLE;

/// How to start a judging process: a program that answers these arguments by calling [`child_main`] on its standard
/// input and output, and exiting with what that returns.
#[derive(Clone, Debug)]
pub struct JudgeProgram {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// How long it may take. Verifying takes milliseconds, reading a key for a large circuit a second.
    pub limit: Duration,
}

impl JudgeProgram {
    /// The program that is running now, with the arguments that make it a judge, and a minute's time.
    ///
    /// # Errors
    /// Where the system cannot say which file this process runs.
    pub fn this_program(arguments: &[&str]) -> io::Result<Self> {
        Ok(Self {
            program: std::env::current_exe()?,
            arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
            limit: Duration::from_secs(60),
        })
    }
}

/// Has a proof judged in a process of its own, with the verifying key from `params_dir`.
///
/// # Errors
/// [`Error::VerifyingKey`] without a key, [`Error::Judge`] when the process gives no verdict. An invalid proof is a
/// verdict.
pub fn run_child(program: &JudgeProgram, params_dir: &Path, job: &JudgeJob) -> Result<Verdict, Error> {
    let failed = |source| Error::Judge { program: program.program.clone(), source };
    let directory = tempfile::Builder::new()
        .prefix("cuzk-judge-")
        .tempdir()
        .map_err(|source| Error::JudgeDirectory { directory: std::env::temp_dir(), source })?;
    key::place(params_dir, job, directory.path())?;
    let question = serde_json::to_vec(job).map_err(|error| failed(ChildFault::Pipe(error.into())))?;
    let mut command = Command::new(&program.program);
    command
        .args(&program.arguments)
        .env_clear()
        .env(PARAMETER_DIR_VARIABLE, directory.path())
        .current_dir(directory.path());
    let answer = ask(command, question, program.limit).map_err(failed)?;
    serde_json::from_slice(&answer)
        .map_err(|error| failed(ChildFault::NoAnswer { bytes: answer.len(), message: error.to_string() }))
}
