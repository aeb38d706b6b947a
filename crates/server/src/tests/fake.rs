//! An engine whose jobs end when the test says so.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Condvar, Mutex, MutexGuard},
    time::{Duration, SystemTime},
};

use cuzk_engine::{
    CancelReason, Evicted, Interest, KeyError, Outcome, OutcomeStatus, Permit, Preloaded, QueueStatus, Status,
    SubmitError, Timings, UnknownJob,
};
use cuzk_filecoin::{CircuitId, ProofKind, Submission};
use cuzk_memory::Snapshot;
use tokio::sync::{mpsc, watch};

use crate::jobs::{Handle, Jobs};

type Delivery = watch::Sender<Option<Arc<Outcome>>>;

/// The engine. Clones are handles of one.
#[derive(Clone)]
pub(super) struct Fake(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    withdrawn: mpsc::UnboundedSender<String>,
}

#[derive(Default)]
struct State {
    jobs: HashMap<String, Delivery>,
    refusals: VecDeque<SubmitError>,
    seen: Vec<(Submission, Interest, Option<SystemTime>)>,
    /// Submissions do not return while this is set.
    held_up: bool,
    /// Submissions that do not return.
    waiting: usize,
    draining: bool,
}

impl Fake {
    /// An engine, and the ids of the jobs from which an interest was withdrawn.
    pub(super) fn new() -> (Self, mpsc::UnboundedReceiver<String>) {
        let (withdrawn, watched) = mpsc::unbounded_channel();
        (Self(Arc::new(Shared { state: Mutex::default(), changed: Condvar::new(), withdrawn })), watched)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().expect("no test panics under the lock")
    }

    /// Ends a job.
    pub(super) fn finish(&self, job_id: &str, status: OutcomeStatus) {
        let timings = Timings { total: Duration::from_millis(1234), ..Timings::default() };
        self.state().jobs[job_id].send_replace(Some(Arc::new(Outcome { status, timings })));
        self.0.changed.notify_all();
    }

    /// Refuses the next submission.
    pub(super) fn refuse(&self, error: SubmitError) {
        self.state().refusals.push_back(error);
    }

    /// What was submitted last.
    pub(super) fn last_seen(&self) -> (Submission, Interest, Option<SystemTime>) {
        self.state().seen.last().cloned().expect("something was submitted")
    }

    /// Makes submissions hang, or lets them go on.
    pub(super) fn hold_up(&self, held_up: bool) {
        self.state().held_up = held_up;
        self.0.changed.notify_all();
    }

    /// Blocks until `predicate` holds for the number of hanging submissions and for draining.
    pub(super) fn wait_until(&self, predicate: impl Fn(usize, bool) -> bool) {
        let waited = self.0.changed.wait_while(self.state(), |state| !predicate(state.waiting, state.draining));
        drop(waited.expect("no test panics under the lock"));
    }
}

/// A job of the fake.
pub(super) struct FakeHandle {
    job_id: String,
    outcome: watch::Receiver<Option<Arc<Outcome>>>,
    /// Present when dropping the handle withdraws an interest.
    withdrawn: Option<mpsc::UnboundedSender<String>>,
}

impl Handle for FakeHandle {
    fn job_id(&self) -> &str {
        &self.job_id
    }

    fn queue_position(&self) -> u32 {
        7
    }

    async fn outcome(&mut self) -> Arc<Outcome> {
        let outcome = self.outcome.wait_for(Option::is_some).await.expect("the fake outlives its jobs");
        outcome.clone().expect("just waited for")
    }
}

impl Drop for FakeHandle {
    fn drop(&mut self) {
        if let Some(withdrawn) = &self.withdrawn {
            // The test may have ended.
            let _ = withdrawn.send(self.job_id.clone());
        }
    }
}

impl Jobs for Fake {
    type Handle = FakeHandle;

    fn submit(
        &self,
        submission: Submission,
        interest: Interest,
        deadline: Option<SystemTime>,
    ) -> Result<FakeHandle, SubmitError> {
        let mut state = self.state();
        if state.held_up {
            state.waiting += 1;
            self.0.changed.notify_all();
            state = self.0.changed.wait_while(state, |state| state.held_up).expect("no test panics under the lock");
            state.waiting -= 1;
        }
        if state.draining {
            return Err(SubmitError::Draining);
        }
        if let Some(error) = state.refusals.pop_front() {
            return Err(error);
        }
        let job_id = submission.request_id.clone();
        let delivery = state.jobs.entry(job_id.clone()).or_insert_with(|| watch::Sender::new(None));
        let outcome = delivery.subscribe();
        state.seen.push((submission, interest, deadline));
        let withdrawn = (interest == Interest::WhileHeld).then(|| self.0.withdrawn.clone());
        Ok(FakeHandle { job_id, outcome, withdrawn })
    }

    fn job(&self, job_id: &str) -> Option<FakeHandle> {
        let outcome = self.state().jobs.get(job_id)?.subscribe();
        Some(FakeHandle { job_id: job_id.to_owned(), outcome, withdrawn: None })
    }

    fn cancel(&self, job_id: &str) -> Result<bool, UnknownJob> {
        let was_running = match self.state().jobs.get(job_id) {
            None => return Err(UnknownJob { job_id: job_id.to_owned() }),
            Some(delivery) => delivery.borrow().is_none(),
        };
        if was_running {
            self.finish(job_id, OutcomeStatus::Cancelled { reason: CancelReason::Requested });
        }
        Ok(was_running)
    }

    fn status(&self) -> Status {
        let state = self.state();
        let in_flight = state.jobs.values().filter(|delivery| delivery.borrow().is_none()).count();
        Status {
            queues: vec![QueueStatus { kind: ProofKind::PorepSealCommit, pending: in_flight as u32, in_progress: 0 }],
            keys: Vec::new(),
            backends: Vec::new(),
            completed: 0,
            failed: 0,
            cancelled: 0,
            timings: Timings::default(),
            uptime: Duration::from_secs(5),
            memory: Snapshot::default(),
            workers: 1,
            queue_depth: 1,
            permit: Permit::UntilQueued,
            max_pending: 9,
            draining: state.draining,
        }
    }

    fn preload(&self, _circuit: CircuitId) -> Result<Preloaded, KeyError> {
        Ok(Preloaded { already_loaded: false, load_time: Duration::from_millis(321) })
    }

    fn evict(&self, _circuit: CircuitId) -> Result<Evicted, KeyError> {
        Ok(Evicted { was_loaded: true, freed_bytes: 4096 })
    }

    fn drain(&self) {
        let mut state = self.state();
        state.draining = true;
        self.0.changed.notify_all();
        let busy = |state: &mut State| state.jobs.values().any(|delivery| delivery.borrow().is_none());
        drop(self.0.changed.wait_while(state, busy).expect("no test panics under the lock"));
    }
}
