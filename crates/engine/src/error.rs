//! What can go wrong with an engine's calls.

use std::io;

use cuzk_filecoin::RequestError;

use crate::KeyError;

/// An engine could not be started.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A setting with which nothing could be proved.
    #[error("the engine's setting `{field}` is {found}; expected {expected}")]
    Config {
        /// The field of [`Config`](crate::Config).
        field: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// The system refused a thread.
    #[error(
        "the engine's thread `{thread}` could not be started: {source}; the system may be out of threads or memory"
    )]
    Thread {
        /// The thread's name.
        thread: String,
        /// What the system said.
        source: io::Error,
    },
    /// The threads that load keys and check constraints could not be started.
    #[error("the engine's {threads} shared threads could not be started: {message}; set `threads` lower")]
    Pool {
        /// How many there should be.
        threads: usize,
        /// What the system said.
        message: String,
    },
}

/// A submission was refused. Nothing of it was queued.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// It can never succeed.
    #[error(transparent)]
    Invalid(#[from] RequestError),
    /// There are too many jobs already.
    #[error("{pending} jobs are pending or in progress, and the limit is {limit}; try again when some are done")]
    QueueFull {
        /// Jobs in flight.
        pending: usize,
        /// How many there may be.
        limit: usize,
    },
    /// The engine takes no new work.
    #[error("the engine is draining and takes no new work; submit to another one, or to this one after its restart")]
    Draining,
    /// The parameters of its circuit cannot be used.
    #[error(transparent)]
    Parameters(#[from] KeyError),
}

/// No job has this id: there never was one, or it ended so long ago that it was forgotten.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no job `{job_id}`: it was never accepted here, or ended long enough ago to be forgotten")]
pub struct UnknownJob {
    /// The id that was asked for.
    pub job_id: String,
}
