//! How an engine is set up.

use std::{fmt, num::NonZero, path::PathBuf, sync::Arc, thread, time::Duration};

use blstrs::Scalar;
use cuzk_prover::Backend;
use ff::Field;
use rand::rngs::OsRng;

use crate::EngineError;

/// How an engine is set up. [`Config::new`] fills in the defaults; every field may be changed afterwards.
#[derive(Clone)]
pub struct Config {
    /// Partitions being solved at once; by default a worker for two cores, from 1 to 4.
    pub workers: usize,
    /// Threads that load keys and check constraints, shared by all workers; by default one a core.
    pub threads: usize,
    /// Solved partitions that may wait, for each backend; by default as many as `workers`.
    pub queue_depth: usize,
    /// How long a worker keeps its permit.
    pub permit: Permit,
    /// Jobs that may be pending or in progress; further ones are refused with
    /// [`SubmitError::QueueFull`](crate::SubmitError::QueueFull). 256 by default.
    pub max_pending: usize,
    /// What is kept of finished jobs.
    pub retention: Retention,
    /// The directory of the parameter files.
    pub params_dir: PathBuf,
    /// Where digests of parameter files and compiled circuits are kept when `params_dir` cannot be written; by default
    /// nowhere else.
    pub cache_dir: Option<PathBuf>,
    /// Whether keys of the development generator are taken. They prove nothing to the chain; `false` by default.
    pub allow_development_keys: bool,
    /// What proves: one owner thread each. At least one.
    pub backends: Vec<Arc<dyn Backend>>,
    /// Where witnesses come from.
    pub witness: WitnessSource,
    /// Where r and s come from. For tests alone: whoever knows r and s of a proof can read its witness.
    pub randomness: Arc<dyn Randomness>,
}

impl Config {
    /// The defaults, with parameter files in `params_dir`, proving on `backends`.
    pub fn new(params_dir: impl Into<PathBuf>, backends: Vec<Arc<dyn Backend>>) -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let workers = (cores / 2).clamp(1, 4);
        Self {
            workers,
            threads: cores,
            queue_depth: workers,
            permit: Permit::default(),
            max_pending: 256,
            retention: Retention::default(),
            params_dir: params_dir.into(),
            cache_dir: None,
            allow_development_keys: false,
            backends,
            witness: WitnessSource::default(),
            randomness: Arc::new(SystemRandomness),
        }
    }

    /// Refuses settings with which nothing could be proved.
    pub(crate) fn check(&self) -> Result<(), EngineError> {
        let counts = [
            ("workers", self.workers),
            ("threads", self.threads),
            ("queue_depth", self.queue_depth),
            ("max_pending", self.max_pending),
            ("backends", self.backends.len()),
        ];
        match counts.into_iter().find(|(_, count)| *count == 0) {
            Some((field, _)) => Err(EngineError::Config { field, expected: "at least 1", found: "0".into() }),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("workers", &self.workers)
            .field("threads", &self.threads)
            .field("queue_depth", &self.queue_depth)
            .field("permit", &self.permit)
            .field("max_pending", &self.max_pending)
            .field("retention", &self.retention)
            .field("params_dir", &self.params_dir)
            .field("cache_dir", &self.cache_dir)
            .field("allow_development_keys", &self.allow_development_keys)
            .field("backends", &self.backends.len())
            .field("witness", &self.witness)
            .finish_non_exhaustive()
    }
}

/// How long a worker that has solved a partition keeps its permit, that is, does not take the next one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Permit {
    /// Until its partition has a place in the queue to the backends. Partitions in flight are bounded.
    #[default]
    UntilQueued,
    /// Until its partition is solved. Solved partitions pile up before a slow backend; exists so that the pile-up can
    /// be shown and measured.
    UntilSolved,
}

/// Where witnesses come from. Proofs are the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WitnessSource {
    /// The compiled circuit solves them from the vanilla proof.
    #[default]
    Compiled,
    /// The proof crates' own gadgets compute them, 16 to 160 times slower; then they are held against every constraint.
    /// For comparison, and for circuits that the compiler has no rules for.
    Gadgets,
}

impl WitnessSource {
    /// The name in settings and status.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Compiled => "compiled",
            Self::Gadgets => "gadgets",
        }
    }
}

impl fmt::Display for WitnessSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Permit {
    /// The name in settings and status.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UntilQueued => "until-queued",
            Self::UntilSolved => "until-solved",
        }
    }
}

impl fmt::Display for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What is kept of finished jobs, whatever their end, so that a result can be fetched later. The oldest go first when a
/// bound is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Finished jobs; 1024 by default.
    pub max_jobs: usize,
    /// Bytes of their proofs, messages and ids; 64 MiB by default.
    pub max_bytes: u64,
    /// Time since their end; 24 hours by default.
    pub max_age: Duration,
}

impl Default for Retention {
    fn default() -> Self {
        Self { max_jobs: 1024, max_bytes: 64 << 20, max_age: Duration::from_secs(24 * 60 * 60) }
    }
}

/// Where the blinding factors of a proof come from. Another source than the system's is for tests alone.
pub trait Randomness: Send + Sync {
    /// r and s of one proof. They are used once, and never logged or kept.
    fn blinding(&self) -> (Scalar, Scalar);
}

/// The system's generator.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemRandomness;

impl Randomness for SystemRandomness {
    fn blinding(&self) -> (Scalar, Scalar) {
        (Scalar::random(OsRng), Scalar::random(OsRng))
    }
}
