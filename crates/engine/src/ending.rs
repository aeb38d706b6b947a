//! How a job ends: the only way to an outcome.
//!
//! In two steps. First the job is taken out of the queues under the lock; whoever gets it there is the one to end it. Then what
//! it held is dropped, without the lock, and only after that its outcome is delivered: whoever has the outcome finds a
//! ledger without the job, but for steps of it that still run on other threads. Until the delivery, the job counts as in flight.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use cuzk_memory::{Place, Scope};
use tracing::info;

use crate::{
    OutcomeStatus,
    classes::{FINISHED, PROOF},
    job::Job,
    outcome::{Outcome, Timings},
    pipeline::Waiting,
    retention::Kept,
    state::{Core, Ended, State},
    table::Record,
};

/// A job between the two steps. It has to be handed to [`Core::deliver`].
#[must_use = "nobody else delivers the outcome"]
pub(crate) struct Ending {
    record: Record,
    solved: Vec<Waiting>,
    status: OutcomeStatus,
    ended: Instant,
}

impl State {
    /// Takes a job out of the queues and tells its running steps that it is not wanted any more. `None`: it has ended, or
    /// somebody else is about to end it.
    pub(crate) fn take_out(&mut self, sequence: u64, status: OutcomeStatus) -> Option<Ending> {
        let reusable = matches!(status, OutcomeStatus::Completed { .. });
        let record = self.table.take(sequence, reusable)?;
        self.queue.remove(record.rank);
        let solved = self.handover.remove(record.rank);
        record.job.cancelled.store(true, Ordering::Release);
        Some(Ending { record, solved, status, ended: Instant::now() })
    }
}

impl Core {
    /// Ends a job with `status`, unless it has ended already.
    pub(crate) fn conclude(&self, job: &Job, status: OutcomeStatus) {
        let ending = self.lock().take_out(job.sequence, status);
        self.deliver(ending);
    }

    /// Drops what a job has left and delivers its outcome. Not to be called under the lock. `false`: there is none.
    pub(crate) fn deliver(&self, ending: Option<Ending>) -> bool {
        let Some(Ending { record, solved, status, ended }) = ending else { return false };
        self.room.notify_all();
        // To the end of this function, so that a drained engine has delivered everything.
        let Record { job, payload, queue_wait, timings, busy: _busy, .. } = record;
        drop(solved);
        drop(payload);

        let total = ended.saturating_duration_since(job.accepted);
        let timings = Timings { queue_wait: queue_wait.unwrap_or(total), total, ..timings };
        let outcome = Arc::new(Outcome { status, timings });
        let kept = self.kept(&job, &outcome, ended);
        let forgotten = {
            let mut state = self.lock();
            state.ended.count(&outcome);
            let forgotten = state.table.retain(kept);
            job.delivery.put(outcome.clone());
            forgotten
        };
        drop(forgotten);
        // The job's age is one more thing to look after.
        self.clock.notify_all();
        log(&job, &outcome);
        true
    }

    fn kept(&self, job: &Arc<Job>, outcome: &Outcome, ended: Instant) -> Kept {
        let (text, proof) = match &outcome.status {
            OutcomeStatus::Completed { proof } => (0, Some(proof.capacity() as u64)),
            OutcomeStatus::Failed { message, .. } => (message.len() as u64, None),
            OutcomeStatus::Cancelled { .. } => (0, None),
        };
        let bytes = job.id.len() as u64 + text + proof.unwrap_or_default();
        let scope = Scope::job(job.id.clone());
        let entry = proof.map(|bytes| self.ledger.enter(&PROOF, &FINISHED, Place::Host, bytes, &scope));
        Kept { job: job.clone(), bytes, ended, _proof: entry }
    }
}

impl Ended {
    fn count(&mut self, outcome: &Outcome) {
        let counter = match &outcome.status {
            OutcomeStatus::Completed { .. } => &mut self.completed,
            OutcomeStatus::Failed { .. } => &mut self.failed,
            OutcomeStatus::Cancelled { .. } => &mut self.cancelled,
        };
        *counter += 1;
        self.timings.add_job(&outcome.timings);
    }
}

/// Tells the log of a job's end.
fn log(job: &Job, outcome: &Outcome) {
    let timings = &outcome.timings;
    let (status, detail) = match &outcome.status {
        OutcomeStatus::Completed { proof } => ("completed", format!("{} bytes of proof", proof.len())),
        OutcomeStatus::Failed { stage, partition: None, message } => ("failed", format!("{stage}: {message}")),
        OutcomeStatus::Failed { stage, partition: Some(partition), message } => {
            ("failed", format!("{stage}, partition {partition}: {message}"))
        }
        OutcomeStatus::Cancelled { reason } => ("cancelled", reason.to_string()),
    };
    info!(
        target: "cuzk::engine",
        job = %job.id,
        kind = %job.kind,
        status,
        detail,
        queue_wait_ms = timings.queue_wait.as_millis() as u64,
        srs_load_ms = timings.srs_load.as_millis() as u64,
        synthesis_ms = timings.synthesis.as_millis() as u64,
        gpu_compute_ms = timings.gpu_compute.as_millis() as u64,
        verify_ms = timings.verify.as_millis() as u64,
        total_ms = timings.total.as_millis() as u64,
        "job done"
    );
}
