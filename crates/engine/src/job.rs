//! One job, as its waiters see it.

use std::{
    sync::{Arc, Weak, atomic::AtomicBool},
    time::{Duration, Instant},
};

use cuzk_filecoin::{CircuitId, ProofKind};

use crate::{
    outcome::{Delivery, Outcome},
    state::Core,
};

/// The hash of a submission's whole content: equal for equal work.
pub(crate) type Identity = [u8; 32];

/// What stays the same during a job's life, and its outcome. What changes is in the engine's table.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) id: Arc<str>,
    /// The job's number in this engine.
    pub(crate) sequence: u64,
    pub(crate) identity: Identity,
    pub(crate) kind: ProofKind,
    pub(crate) circuit: CircuitId,
    pub(crate) partitions: u32,
    pub(crate) accepted: Instant,
    /// Set once its partitions are not wanted any more.
    pub(crate) cancelled: Arc<AtomicBool>,
    pub(crate) delivery: Delivery,
}

#[cfg(test)]
impl Job {
    /// A job that nobody works on.
    pub(crate) fn for_test(sequence: u64) -> Arc<Self> {
        let kind = ProofKind::PorepSealCommit;
        Arc::new(Self {
            id: format!("job-{sequence}").into(),
            sequence,
            identity: [sequence as u8; 32],
            kind,
            circuit: CircuitId::new(kind, cuzk_filecoin::SectorSize::KiB2),
            partitions: 1,
            accepted: Instant::now(),
            cancelled: Arc::default(),
            delivery: Delivery::default(),
        })
    }
}

/// How far a job has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    /// None of its partitions has been taken up.
    Pending,
    /// It is being worked on.
    InProgress {
        /// Partitions whose proof is there and verified.
        proved: u32,
        /// All partitions.
        partitions: u32,
    },
    /// Its outcome is there.
    Finished,
}

/// A job of an engine. It outlives the job's stay in the engine's table, and even the engine.
///
/// Dropping a handle that [`Engine::submit`](crate::Engine::submit) returned for
/// [`Interest::WhileHeld`](crate::Interest::WhileHeld) withdraws that interest.
pub struct JobHandle {
    /// Weak, so that a forgotten handle does not keep an engine's keys in memory.
    pub(crate) core: Weak<Core>,
    pub(crate) job: Arc<Job>,
    pub(crate) ticket: Option<u64>,
    pub(crate) position: u32,
}

impl JobHandle {
    /// The job's id: the submission's `request_id` where that was free, otherwise made unique.
    pub fn job_id(&self) -> &str {
        &self.job.id
    }

    /// The kind of proof.
    pub fn kind(&self) -> ProofKind {
        self.job.kind
    }

    /// The circuit of its partitions.
    pub fn circuit(&self) -> CircuitId {
        self.job.circuit
    }

    /// Jobs that stood before this one when the handle was made; 0 once the job's partitions are all taken up.
    pub fn queue_position(&self) -> u32 {
        self.position
    }

    /// How far the job has come.
    pub fn state(&self) -> JobState {
        // An engine that ends gives every job its outcome first.
        self.core.upgrade().map_or(JobState::Finished, |core| core.job_state(&self.job))
    }

    /// The outcome, if it is there.
    pub fn try_outcome(&self) -> Option<Arc<Outcome>> {
        self.job.delivery.peek()
    }

    /// Waits for the outcome. Needs no particular runtime; may be dropped and called again.
    pub async fn outcome(&mut self) -> Arc<Outcome> {
        self.job.delivery.wait().await
    }

    /// Blocks the thread until the outcome is there, or `None` when that takes longer than `limit`.
    pub fn outcome_blocking(&self, limit: Option<Duration>) -> Option<Arc<Outcome>> {
        self.job.delivery.wait_blocking(limit)
    }
}

impl std::fmt::Debug for JobHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JobHandle")
            .field("job_id", &self.job.id)
            .field("holds_interest", &self.ticket.is_some())
            .finish_non_exhaustive()
    }
}

impl Drop for JobHandle {
    fn drop(&mut self) {
        if let (Some(ticket), Some(core)) = (self.ticket.take(), self.core.upgrade()) {
            core.withdraw(&self.job, ticket);
        }
    }
}
