//! The way of a submission to a job: a new one, or one that is there.

use std::{
    sync::Arc,
    time::{Instant, SystemTime},
};

use cuzk_filecoin::Submission;
use cuzk_memory::{Place, Scope};
use tracing::info;

use crate::{
    CancelReason, Interest, OutcomeStatus, SubmitError,
    classes::{ADVICE, PARSING, PENDING, REQUEST},
    interest::Interests,
    job::{Identity, Job, JobHandle},
    order::{Limit, Rank},
    outcome::Delivery,
    state::{Core, Phase, State},
    table::{Payload, Record},
    work::Work,
};

impl Core {
    /// See [`Engine::submit`](crate::Engine::submit).
    pub(crate) fn submit(
        self: &Arc<Self>,
        submission: Submission,
        interest: Interest,
        deadline: Option<SystemTime>,
    ) -> Result<JobHandle, SubmitError> {
        let wish = Wish { identity: submission.digest(), interest, limit: limit_of(deadline) };
        // Before the work of parsing, and again after it: an equal submission may have come in meanwhile.
        if let Some(handle) = self.admit(&mut self.lock(), &wish)? {
            return Ok(handle);
        }
        let request_id = submission.request_id.clone();
        let scope = Scope::default();
        let payload = self.ledger.enter(&REQUEST, &PARSING, Place::Host, submission.payload_bytes() as u64, &scope);
        let work = self.prepare.prepare(submission)?;
        drop(payload);
        let mut state = self.lock();
        if let Some(handle) = self.admit(&mut state, &wish)? {
            return Ok(handle);
        }
        let handle = self.accept(&mut state, &wish, &request_id, work);
        let ending = wish
            .limit
            .has_passed(Instant::now())
            .then(|| state.take_out(handle.job.sequence, OutcomeStatus::Cancelled { reason: CancelReason::Deadline }));
        drop(state);
        self.unsolved.notify_all();
        self.clock.notify_all();
        info!(
            target: "cuzk::engine",
            job = %handle.job.id,
            kind = %handle.job.kind,
            circuit = %handle.job.circuit,
            partitions = handle.job.partitions,
            position = handle.position,
            "job accepted"
        );
        self.deliver(ending.flatten());
        Ok(handle)
    }

    /// Answers a submission from what is there, or says whether it may be accepted.
    fn admit(self: &Arc<Self>, state: &mut State, wish: &Wish) -> Result<Option<JobHandle>, SubmitError> {
        if state.phase != Phase::Open {
            return Err(SubmitError::Draining);
        }
        if let Some(job) = state.table.equal(&wish.identity).cloned() {
            let ticket =
                state.table.record(job.sequence).and_then(|record| record.interests.add(wish.interest, wish.limit));
            let gone = state.follow_interests(job.sequence);
            debug_assert!(!gone, "somebody was just added");
            self.clock.notify_all();
            return Ok(Some(self.handle(state, job, ticket)));
        }
        let pending = state.table.unfinished();
        if pending >= self.limits.max_pending {
            return Err(SubmitError::QueueFull { pending, limit: self.limits.max_pending });
        }
        Ok(None)
    }

    /// Enters a new job and queues its partitions.
    fn accept(self: &Arc<Self>, state: &mut State, wish: &Wish, request_id: &str, work: Box<dyn Work>) -> JobHandle {
        let sequence = state.next_sequence;
        state.next_sequence += 1;
        let id = match request_id {
            "" => state.table.free_id(&generated_id(&*work, &wish.identity)),
            wanted => state.table.free_id(wanted),
        };
        let job = Arc::new(Job {
            id,
            sequence,
            identity: wish.identity,
            kind: work.kind(),
            circuit: work.circuit(),
            partitions: work.partitions(),
            accepted: Instant::now(),
            cancelled: Arc::default(),
            delivery: Delivery::default(),
        });
        let rank = Rank::new(work.urgency(), wish.limit, sequence);
        let scope = Scope::job(job.id.clone());
        let advice = self.ledger.enter(&ADVICE, &PENDING, Place::Host, work.advice_bytes(), &scope);
        let payload = Arc::new(Payload::new(work, advice, self.activity.begin()));
        let mut interests = Interests::default();
        let ticket = interests.add(wish.interest, wish.limit);
        state.table.insert(Record::new(job.clone(), payload, rank, interests, self.activity.begin()));
        state.queue.add(rank, job.clone(), job.partitions);
        self.handle(state, job, ticket)
    }

    /// A handle as of this moment.
    pub(crate) fn handle(self: &Arc<Self>, state: &mut State, job: Arc<Job>, ticket: Option<u64>) -> JobHandle {
        let position = match state.table.record(job.sequence) {
            Some(record) if record.queue_wait.is_none() => state.queue.position(record.rank),
            _ => 0,
        };
        JobHandle { core: Arc::downgrade(self), job, ticket, position }
    }
}

/// What a submission asks of the table.
struct Wish {
    identity: Identity,
    interest: Interest,
    limit: Limit,
}

/// The same moment on the clock that never jumps.
fn limit_of(deadline: Option<SystemTime>) -> Limit {
    let Some(deadline) = deadline else { return Limit::Never };
    // A deadline in the past has passed now; one beyond the clock's range never passes.
    let left = deadline.duration_since(SystemTime::now()).unwrap_or_default();
    Instant::now().checked_add(left).map_or(Limit::Never, Limit::At)
}

/// An id for a submission that brings none.
fn generated_id(work: &dyn Work, identity: &Identity) -> String {
    let number = identity.iter().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    format!("{}-{number:016x}", work.circuit())
}
