//! The state that all threads of an engine share, and the changes that a caller can make to it.
//!
//! One lock guards everything that moves: a change is seen whole or not at all, and a snapshot is of one moment. Nothing
//! long happens under it; what a change sets free is dropped after it is released.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use cuzk_memory::Ledger;

use crate::{
    CancelReason, Interest, JobState, OutcomeStatus, UnknownJob,
    activity::Activity,
    config::{Permit, Retention},
    handover::Handover,
    job::{Job, JobHandle},
    outcome::Timings,
    pipeline::Waiting,
    queue::Queue,
    table::Table,
    work::Prepare,
};

/// The numbers that the core needs of the configuration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) workers: usize,
    pub(crate) queue_depth: usize,
    pub(crate) permit: Permit,
    pub(crate) max_pending: usize,
    pub(crate) retention: Retention,
    pub(crate) backends: usize,
}

/// What all threads and handles of one engine share.
pub(crate) struct Core {
    pub(crate) limits: Limits,
    pub(crate) ledger: Ledger,
    pub(crate) activity: Activity,
    pub(crate) prepare: Arc<dyn Prepare>,
    state: Mutex<State>,
    /// Partitions to solve were added.
    pub(crate) unsolved: Condvar,
    /// A solved partition was added.
    pub(crate) solved: Condvar,
    /// A solved partition was taken out.
    pub(crate) room: Condvar,
    /// The next moment at which the clock has to act may have changed.
    pub(crate) clock: Condvar,
}

/// What is guarded by the lock.
pub(crate) struct State {
    pub(crate) table: Table,
    pub(crate) queue: Queue<Arc<Job>>,
    pub(crate) handover: Handover<Waiting>,
    /// For whom each backend works.
    pub(crate) backends: Vec<Option<Arc<Job>>>,
    pub(crate) phase: Phase,
    pub(crate) ended: Ended,
    /// The number of the next job.
    pub(crate) next_sequence: u64,
}

/// What the engine takes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Everything.
    Open,
    /// Nothing new.
    Draining,
    /// Nothing; its threads end.
    Closed,
}

/// Jobs that ended since the start.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ended {
    pub(crate) completed: u64,
    pub(crate) failed: u64,
    pub(crate) cancelled: u64,
    /// The sums of their timings.
    pub(crate) timings: Timings,
}

impl Core {
    pub(crate) fn new(limits: Limits, ledger: Ledger, prepare: Arc<dyn Prepare>) -> Self {
        let state = State {
            table: Table::new(limits.retention),
            queue: Queue::new(),
            handover: Handover::new(limits.queue_depth * limits.backends, limits.permit),
            backends: vec![None; limits.backends],
            phase: Phase::Open,
            ended: Ended::default(),
            next_sequence: 0,
        };
        Self {
            limits,
            ledger,
            activity: Activity::default(),
            prepare,
            state: Mutex::new(state),
            unsolved: Condvar::new(),
            solved: Condvar::new(),
            room: Condvar::new(),
            clock: Condvar::new(),
        }
    }

    /// Opens the state.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // No step that can panic runs under the lock; every single change below leaves the state whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// See [`Engine::job`](crate::Engine::job).
    pub(crate) fn find(self: &Arc<Self>, job_id: &str) -> Option<JobHandle> {
        let mut state = self.lock();
        let job = state.table.find(job_id)?.clone();
        // Whoever waits keeps the job from ending with somebody else's call, but brings no deadline of their own.
        let ticket = state.table.record(job.sequence).and_then(|record| {
            let limit = record.interests.limit()?;
            record.interests.add(Interest::WhileHeld, limit)
        });
        Some(self.handle(&mut state, job, ticket))
    }

    /// See [`JobHandle::state`].
    pub(crate) fn job_state(&self, job: &Job) -> JobState {
        self.lock().table.state(job)
    }

    /// Withdraws an interest; the job ends when it was the last one.
    pub(crate) fn withdraw(&self, job: &Job, ticket: u64) {
        let mut state = self.lock();
        if let Some(record) = state.table.record(job.sequence) {
            record.interests.withdraw(ticket);
        }
        let ending = state
            .follow_interests(job.sequence)
            .then(|| state.take_out(job.sequence, OutcomeStatus::Cancelled { reason: CancelReason::Withdrawn }))
            .flatten();
        drop(state);
        // The deadline of those who are left may be earlier.
        self.clock.notify_all();
        self.deliver(ending);
    }

    /// See [`Engine::cancel`](crate::Engine::cancel).
    pub(crate) fn cancel(&self, job_id: &str) -> Result<bool, UnknownJob> {
        let mut state = self.lock();
        let Some(job) = state.table.find(job_id).cloned() else {
            return Err(UnknownJob { job_id: job_id.to_owned() });
        };
        let status = OutcomeStatus::Cancelled { reason: CancelReason::Requested };
        let ending = state.take_out(job.sequence, status);
        drop(state);
        Ok(self.deliver(ending))
    }
}

impl State {
    /// Gives a job in flight the deadline of those who are interested in it. `true`: nobody is.
    pub(crate) fn follow_interests(&mut self, sequence: u64) -> bool {
        let Some(record) = self.table.record(sequence) else { return false };
        let Some(limit) = record.interests.limit() else { return true };
        let (from, to) = (record.rank, record.rank.with_limit(limit));
        if from != to {
            record.rank = to;
            self.queue.move_to(from, to);
            self.handover.move_to(from, to);
        }
        false
    }
}
