//! How a job ends.

use std::{
    fmt,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::Notify;

/// The end of a job: the same value for everybody who waits for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// What became of it.
    pub status: OutcomeStatus,
    /// Where the time went.
    pub timings: Timings,
}

/// What became of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutcomeStatus {
    /// The proof, verified: 192 bytes a partition, in partition order.
    Completed {
        /// The bytes that the chain takes.
        proof: Vec<u8>,
    },
    /// The work went wrong.
    Failed {
        /// At which step.
        stage: JobStage,
        /// Of which partition; `None` where the step concerns the whole job.
        partition: Option<u32>,
        /// What happened and what to do.
        message: String,
    },
    /// Somebody or something ended it early.
    Cancelled {
        /// Who or what.
        reason: CancelReason,
    },
}

/// A step of a job that can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobStage {
    /// Loading the proving key or recording its circuit.
    Load,
    /// Computing the witness and checking its constraints.
    Solve,
    /// The part of the proof that keeps the backend busy.
    Prove,
    /// The tail of the proof.
    Finish,
    /// Verification with the key's own verifying key.
    Verify,
    /// Putting the partitions' proofs together.
    Assemble,
}

impl JobStage {
    /// The name in messages and events.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Solve => "solve",
            Self::Prove => "prove",
            Self::Finish => "finish",
            Self::Verify => "verify",
            Self::Assemble => "assemble",
        }
    }
}

impl fmt::Display for JobStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a job ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CancelReason {
    /// [`Engine::cancel`](crate::Engine::cancel) was called.
    Requested,
    /// The last handle that held its interest was dropped.
    Withdrawn,
    /// Its deadline passed.
    Deadline,
    /// The engine shut down.
    Shutdown,
}

impl fmt::Display for CancelReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Requested => "cancelled on request",
            Self::Withdrawn => "cancelled because nobody waits for it any more",
            Self::Deadline => "cancelled because its deadline passed",
            Self::Shutdown => "cancelled because the engine shut down",
        })
    }
}

/// Where a job's time went. All but `queue_wait` and `total` are sums over its partitions, which may have run side by
/// side: they can exceed `total`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timings {
    /// From acceptance until the first partition was taken up.
    pub queue_wait: Duration,
    /// Waiting for the proving key and its circuit.
    pub srs_load: Duration,
    /// Computing and checking witnesses.
    pub synthesis: Duration,
    /// The backend's own work, `start` and `finish`.
    pub gpu_compute: Duration,
    /// Verification.
    pub verify: Duration,
    /// From acceptance to the outcome.
    pub total: Duration,
}

impl Timings {
    /// Adds a partition's share (everything but `queue_wait` and `total`, which belong to the job).
    pub(crate) fn add_partition(&mut self, partition: &Self) {
        self.srs_load += partition.srs_load;
        self.synthesis += partition.synthesis;
        self.gpu_compute += partition.gpu_compute;
        self.verify += partition.verify;
    }

    /// Adds a whole job.
    pub(crate) fn add_job(&mut self, job: &Self) {
        self.add_partition(job);
        self.queue_wait += job.queue_wait;
        self.total += job.total;
    }
}

/// The place where an outcome is put once and read by any number of threads and tasks.
#[derive(Debug, Default)]
pub(crate) struct Delivery {
    outcome: Mutex<Option<Arc<Outcome>>>,
    threads: Condvar,
    tasks: Notify,
}

impl Delivery {
    /// Delivers. The first outcome stays; the engine's table makes sure that there is only one.
    pub(crate) fn put(&self, outcome: Arc<Outcome>) {
        self.lock().get_or_insert(outcome);
        self.threads.notify_all();
        self.tasks.notify_waiters();
    }

    /// The outcome, if there is one yet.
    pub(crate) fn peek(&self) -> Option<Arc<Outcome>> {
        self.lock().clone()
    }

    /// Waits without blocking the thread.
    pub(crate) async fn wait(&self) -> Arc<Outcome> {
        loop {
            // Registered before the look, so a delivery in between is not missed.
            let notified = self.tasks.notified();
            if let Some(outcome) = self.peek() {
                return outcome;
            }
            notified.await;
        }
    }

    /// Blocks for at most `limit` (`None`: for as long as it takes).
    pub(crate) fn wait_blocking(&self, limit: Option<Duration>) -> Option<Arc<Outcome>> {
        let until = limit.and_then(|limit| Instant::now().checked_add(limit));
        let mut outcome = self.lock();
        while outcome.is_none() {
            outcome = match until {
                None => self.threads.wait(outcome).unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return None;
                    }
                    self.threads.wait_timeout(outcome, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        outcome.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Outcome>>> {
        // Nothing can panic while it is held; a poisoned lock would still hold a whole value.
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, thread, time::Duration};

    use super::{CancelReason, Delivery, Outcome, OutcomeStatus, Timings};

    fn outcome(reason: CancelReason) -> Arc<Outcome> {
        Arc::new(Outcome { status: OutcomeStatus::Cancelled { reason }, timings: Timings::default() })
    }

    #[test]
    fn everybody_gets_the_first_outcome() {
        let _limit = cuzk_testing::TimeLimit::seconds(20);
        let delivery = Arc::new(Delivery::default());
        assert_eq!(delivery.wait_blocking(Some(Duration::ZERO)), None);
        let blocked = thread::spawn({
            let delivery = delivery.clone();
            move || delivery.wait_blocking(None)
        });
        let asynchronous = thread::spawn({
            let delivery = delivery.clone();
            move || {
                let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime without drivers");
                runtime.block_on(delivery.wait())
            }
        });
        delivery.put(outcome(CancelReason::Deadline));
        delivery.put(outcome(CancelReason::Shutdown));
        let first = outcome(CancelReason::Deadline);
        assert_eq!(blocked.join().expect("no panic"), Some(first.clone()));
        assert_eq!(asynchronous.join().expect("no panic"), first);
        assert_eq!(delivery.wait_blocking(Some(Duration::ZERO)), Some(first));
    }
}
