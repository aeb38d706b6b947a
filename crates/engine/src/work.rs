//! What the pipeline runs: a job's partitions as a chain of steps, each of which consumes the one before.
//!
//! The pipeline knows nothing of circuits and keys. Real work is in [`partition`](crate::partition); tests bring their
//! own, whose steps do what the test needs.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use cuzk_filecoin::{CircuitId, ProofKind, Submission};
use cuzk_memory::Scope;

use crate::{JobStage, Readiness, SubmitError, outcome::Timings};

/// Turns a submission into work, or says why it never can be.
pub(crate) trait Prepare: Send + Sync {
    /// Parses and checks; queues nothing.
    fn prepare(&self, submission: Submission) -> Result<Box<dyn Work>, SubmitError>;
    /// What could be prepared now, for every circuit there is.
    fn readiness(&self) -> Vec<Readiness>;
}

/// One job's work.
pub(crate) trait Work: Send + Sync {
    /// The kind of proof.
    fn kind(&self) -> ProofKind;
    /// The circuit of every partition.
    fn circuit(&self) -> CircuitId;
    /// The priority; a higher one goes first.
    fn urgency(&self) -> u8;
    /// The number of partitions, at least one.
    fn partitions(&self) -> u32;
    /// Host memory of what witnesses are made from, which the job holds while it lives.
    fn advice_bytes(&self) -> u64;
    /// Computes and checks a partition's witness. Adds what it waits for the key to `timings.srs_load`.
    fn solve(&self, partition: &Partition, timings: &mut Timings) -> Result<Box<dyn Solved>, Stop>;
    /// Puts the proofs together; one for each partition, in order.
    fn assemble(&self, proofs: Vec<Vec<u8>>) -> Result<Vec<u8>, Stop>;
}

/// A solved partition, waiting for a backend.
pub(crate) trait Solved: Send {
    /// Tells the ledger that the partition waits from now on.
    fn wait(&mut self);
    /// Keeps backend number `backend` busy with this partition until the backend is free again.
    fn start(self: Box<Self>, backend: usize) -> Result<Box<dyn Started>, Stop>;
}

/// A partition that a backend has let go. Dropping it is legal.
pub(crate) trait Started: Send {
    /// Computes the rest of the proof.
    fn finish(self: Box<Self>) -> Result<Box<dyn Proved>, Stop>;
}

/// A proof that nobody has checked.
pub(crate) trait Proved: Send {
    /// Checks the proof; only then are its bytes to be had.
    fn verify(self: Box<Self>) -> Result<Vec<u8>, Stop>;
}

/// Which partition a step works on, and for whom.
#[derive(Debug, Clone)]
pub(crate) struct Partition {
    /// The partition's number.
    pub(crate) index: u32,
    /// The ledger's scope of everything made for it.
    pub(crate) scope: Scope,
    /// Set once the job needs it no more.
    pub(crate) cancelled: Arc<AtomicBool>,
}

impl Partition {
    /// Ends a step early once its result is not wanted any more.
    pub(crate) fn check_wanted(&self) -> Result<(), Stop> {
        if self.cancelled.load(Ordering::Acquire) { Err(Stop::Unwanted) } else { Ok(()) }
    }
}

/// Why a step did not reach its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The job has ended; nobody needs the result.
    Unwanted,
    /// It went wrong, and with it the job.
    Failed {
        /// At which step.
        stage: JobStage,
        /// What happened and what to do.
        message: String,
    },
}

impl Stop {
    /// A step that went wrong.
    pub(crate) fn failed(stage: JobStage, message: impl ToString) -> Self {
        Self::Failed { stage, message: message.to_string() }
    }
}

/// Runs a step so that a panic in it fails its job instead of its thread.
pub(crate) fn guarded<T>(stage: JobStage, step: impl FnOnce() -> Result<T, Stop>) -> Result<T, Stop> {
    // Whatever the step was working on is dropped with it, so nothing half-made is seen afterwards.
    catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|panic| {
        let message = panic_message(&*panic);
        Err(Stop::failed(stage, format!("the code of this step panicked: {message}; this is a bug, please report it")))
    })
}

/// The text that a panic was raised with.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&'static str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("(no message)")
}

#[cfg(test)]
mod tests {
    use super::{Stop, guarded};
    use crate::JobStage;

    #[test]
    fn a_panic_becomes_a_failure_of_its_step() {
        let _limit = cuzk_testing::TimeLimit::seconds(5);
        assert_eq!(guarded(JobStage::Solve, || Ok(7)), Ok(7));
        let unwanted: Result<(), _> = guarded(JobStage::Solve, || Err(Stop::Unwanted));
        assert_eq!(unwanted, Err(Stop::Unwanted));
        let number = 3;
        let panicked: Result<(), _> = guarded(JobStage::Prove, || panic!("the number is {number}"));
        let Err(Stop::Failed { stage: JobStage::Prove, message }) = panicked else {
            unreachable!("a panic fails the step: {panicked:?}")
        };
        assert!(message.contains("the number is 3"), "{message}");
    }
}
