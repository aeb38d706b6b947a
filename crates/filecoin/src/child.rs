//! One question to a process of its own, and its answer, within a time limit.

use std::{
    io::{self, Read, Write},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// How much of what a process says on standard error a fault repeats.
const STDERR_TAIL_BYTES: usize = 2000;
/// How often a process that has closed its pipes is looked at until it ends.
const END_POLL: Duration = Duration::from_millis(5);

/// Why a process gave no answer. Each completes the sentence "the process …".
#[derive(Debug, thiserror::Error)]
pub enum ChildFault {
    /// The system refused to start it.
    #[error("cannot be started: {0}")]
    Start(io::Error),
    /// It took too long.
    #[error("was ended after its limit of {} s; allow it more time", .0.as_secs_f64())]
    TimedOut(Duration),
    /// It ended with a status other than success.
    #[error("ended with {status}: {stderr}")]
    Ended {
        /// Its exit status.
        status: ExitStatus,
        /// The end of what it wrote to standard error.
        stderr: String,
    },
    /// It ended well, but what it wrote is no answer.
    #[error("wrote {bytes} bytes that are no answer: {message}")]
    NoAnswer {
        /// How much it wrote.
        bytes: usize,
        /// What is wrong with it.
        message: String,
    },
    /// It answered that it could not do its work.
    #[error("reports: {0}")]
    Reported(String),
    /// The system refused something else.
    #[error("cannot be spoken to: {0}")]
    Pipe(io::Error),
}

/// Starts `command`, gives it `question` on standard input and returns what it writes to standard output.
pub(crate) fn ask(mut command: Command, question: Vec<u8>, limit: Duration) -> Result<Vec<u8>, ChildFault> {
    let until = Instant::now() + limit;
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(ChildFault::Start)?;
    let (stdin, output, errors) =
        (child.stdin.take(), read_to_end(child.stdout.take()), read_to_end(child.stderr.take()));
    // A process that ends before it has read everything says why by its answer or its status.
    thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&question)));
    let text = output.recv_timeout(limit).ok();
    let status = match text {
        Some(_) => ended(&mut child, until).map_err(ChildFault::Pipe)?,
        None => None,
    };
    let (Some(text), Some(status)) = (text, status) else {
        // Both fail only when it has ended already.
        let _ = child.kill();
        let _ = child.wait();
        return Err(ChildFault::TimedOut(limit));
    };
    if status.success() {
        return text.map_err(ChildFault::Pipe);
    }
    let errors = errors.recv().ok().and_then(Result::ok).unwrap_or_default();
    let tail = &errors[errors.len().saturating_sub(STDERR_TAIL_BYTES)..];
    Err(ChildFault::Ended { status, stderr: String::from_utf8_lossy(tail).trim().to_owned() })
}

/// Waits for a process that has closed its standard output; it ends at once unless something is wrong with it.
fn ended(child: &mut Child, until: Instant) -> io::Result<Option<ExitStatus>> {
    loop {
        match child.try_wait()? {
            Some(status) => return Ok(Some(status)),
            None if Instant::now() >= until => return Ok(None),
            None => thread::sleep(END_POLL),
        }
    }
}

/// Reads a pipe in a thread of its own, so that a process which fills several pipes is never blocked.
fn read_to_end(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut bytes));
        // Nobody listens any more once the limit has passed.
        let _ = sender.send(read.map(|_| bytes));
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::{ChildFault, ask};
    use cuzk_testing::TimeLimit;
    use std::{process::Command, time::Duration};

    #[test]
    fn a_process_that_closes_its_output_and_lives_on_is_ended() {
        let _limit = TimeLimit::seconds(30);
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "exec >&- 2>&-; exec sleep 60"]);
        let fault = ask(shell, Vec::new(), Duration::from_millis(200)).expect_err("it does not end by itself");
        assert!(matches!(fault, ChildFault::TimedOut(_)), "{fault}");
    }
}
