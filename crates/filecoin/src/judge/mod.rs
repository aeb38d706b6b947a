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

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

pub use child::child_main;
pub use job::{JudgeJob, Sealer, Verdict, Verifier};

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

    fn failed(&self, source: io::Error) -> Error {
        Error::JudgeProcess { program: self.program.clone(), source }
    }
}

/// Has a proof judged in a process of its own, with the verifying key from `params_dir`.
///
/// # Errors
/// [`Error::VerifyingKey`] without a key; [`Error::JudgeProcess`], [`Error::JudgeTimeout`] and [`Error::JudgeFailed`]
/// when the process gives no verdict. An invalid proof is a verdict.
pub fn run_child(program: &JudgeProgram, params_dir: &Path, job: &JudgeJob) -> Result<Verdict, Error> {
    let directory = tempfile::Builder::new().prefix("cuzk-judge-").tempdir().map_err(|e| program.failed(e))?;
    key::place(params_dir, job, directory.path())?;
    let question = serde_json::to_vec(job).map_err(|error| program.failed(error.into()))?;
    let child = Command::new(&program.program)
        .args(&program.arguments)
        .env_clear()
        .env(PARAMETER_DIR_VARIABLE, directory.path())
        .current_dir(directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| program.failed(error))?;
    let answer = converse(program, child, question)?;
    serde_json::from_slice(&answer.output).map_err(|_| answer.failed(program))
}

/// What a finished process left behind.
struct Answer {
    output: Vec<u8>,
    errors: Vec<u8>,
    status: String,
}

impl Answer {
    fn failed(&self, program: &JudgeProgram) -> Error {
        let tail = self.errors.len().saturating_sub(2000);
        Error::JudgeFailed {
            program: program.program.clone(),
            status: self.status.clone(),
            stderr: String::from_utf8_lossy(&self.errors[tail..]).trim().to_owned(),
        }
    }
}

/// Gives a process its input and waits for it to end, within the limit.
fn converse(program: &JudgeProgram, mut child: Child, question: Vec<u8>) -> Result<Answer, Error> {
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(mut input), Some(mut output), Some(mut errors)) = pipes else {
        end(&mut child);
        return Err(program.failed(io::Error::other("no pipes to its standard streams")));
    };
    // A process that reads nothing must not block us, nor one that writes on both of its streams: one thread a pipe.
    // They end when the process does, since that closes the pipes.
    thread::spawn(move || input.write_all(&question));
    let errors = thread::spawn(move || {
        let mut bytes = Vec::new();
        errors.read_to_end(&mut bytes).map(|_| bytes)
    });
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.read_to_end(&mut bytes);
        // The receiver is gone only after the limit, when nobody wants the answer.
        let _ = sender.send(read.map(|_| bytes));
    });
    let Ok(read) = receiver.recv_timeout(program.limit) else {
        end(&mut child);
        return Err(Error::JudgeTimeout { program: program.program.clone(), limit: program.limit });
    };
    let status = child.wait().map_err(|error| program.failed(error))?;
    Ok(Answer {
        output: read.map_err(|error| program.failed(error))?,
        errors: errors.join().ok().and_then(Result::ok).unwrap_or_default(),
        status: status.to_string(),
    })
}

/// Ends a process and takes note of its end, so that it does not linger as a zombie.
fn end(child: &mut Child) {
    // Both fail only when it has ended already.
    let _ = child.kill();
    let _ = child.wait();
}
