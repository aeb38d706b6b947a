//! Every job that the engine knows: in flight, and finished ones that can still be asked for.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use cuzk_filecoin::ProofKind;
use cuzk_memory::{Entry, Stage};

use crate::{
    JobState, QueueStatus, Retention,
    activity::Busy,
    interest::Interests,
    job::{Identity, Job},
    order::Rank,
    outcome::Timings,
    retention::{Kept, Retained},
    work::Work,
};

/// A job's parsed request, shared by its partitions in flight and counted until the last of them lets go.
pub(crate) struct Payload {
    pub(crate) work: Box<dyn Work>,
    advice: Mutex<Entry>,
    /// Last, so that the job counts as busy until the rest is gone.
    _busy: Busy,
}

impl Payload {
    /// Binds a request to its line in the ledger.
    pub(crate) fn new(work: Box<dyn Work>, advice: Entry, busy: Busy) -> Self {
        Self { work, advice: Mutex::new(advice), _busy: busy }
    }

    /// Moves the request on to `stage`.
    pub(crate) fn move_to(&self, stage: &'static Stage) {
        self.advice.lock().unwrap_or_else(PoisonError::into_inner).move_to(stage);
    }
}

/// A job in flight.
pub(crate) struct Record {
    pub(crate) job: Arc<Job>,
    pub(crate) payload: Arc<Payload>,
    pub(crate) rank: Rank,
    pub(crate) interests: Interests,
    /// Until its outcome is delivered.
    pub(crate) busy: Busy,
    /// How long it waited until its first partition was taken up.
    pub(crate) queue_wait: Option<Duration>,
    /// What its partitions took so far.
    pub(crate) timings: Timings,
    /// A verified proof for each partition that has one.
    proofs: Vec<Option<Vec<u8>>>,
    proved: u32,
}

impl Record {
    /// A job that nobody has taken up.
    pub(crate) fn new(job: Arc<Job>, payload: Arc<Payload>, rank: Rank, interests: Interests, busy: Busy) -> Self {
        let proofs = vec![None; job.partitions as usize];
        Self { job, payload, rank, interests, busy, queue_wait: None, timings: Timings::default(), proofs, proved: 0 }
    }

    /// Puts a partition's proof in its place. With the last one, all of them come back, in order.
    pub(crate) fn add_proof(&mut self, partition: u32, proof: Vec<u8>) -> Option<Vec<Vec<u8>>> {
        let place = self.proofs.get_mut(partition as usize)?;
        self.proved += u32::from(place.replace(proof).is_none());
        if self.proved < self.job.partitions { None } else { std::mem::take(&mut self.proofs).into_iter().collect() }
    }

    fn state(&self) -> JobState {
        match self.queue_wait {
            None => JobState::Pending,
            Some(_) => JobState::InProgress { proved: self.proved, partitions: self.job.partitions },
        }
    }
}

/// The jobs, and the ways to find one.
pub(crate) struct Table {
    in_flight: HashMap<u64, Record>,
    /// Jobs that were taken out of flight, as they were then, until their outcome is there.
    ending: HashMap<u64, (ProofKind, JobState)>,
    retained: Retained,
    by_id: HashMap<Arc<str>, Arc<Job>>,
    /// Jobs that answer an equal submission: in flight, or completed and retained.
    by_identity: HashMap<Identity, Arc<Job>>,
}

impl Table {
    /// An empty table.
    pub(crate) fn new(retention: Retention) -> Self {
        Self {
            in_flight: HashMap::new(),
            ending: HashMap::new(),
            retained: Retained::new(retention),
            by_id: HashMap::new(),
            by_identity: HashMap::new(),
        }
    }

    /// The job that answers a submission with this identity.
    pub(crate) fn equal(&self, identity: &Identity) -> Option<&Arc<Job>> {
        self.by_identity.get(identity)
    }

    /// The job with this id.
    pub(crate) fn find(&self, id: &str) -> Option<&Arc<Job>> {
        self.by_id.get(id)
    }

    /// `wanted`, or where another job has that id, the first free one of `wanted#2`, `wanted#3`, …
    pub(crate) fn free_id(&self, wanted: &str) -> Arc<str> {
        let mut id: Arc<str> = wanted.into();
        // Ends: there are no more taken ids than jobs in the table.
        for number in 2u64.. {
            if !self.by_id.contains_key(&id) {
                break;
            }
            id = format!("{wanted}#{number}").into();
        }
        id
    }

    /// Accepted jobs whose outcome is not there yet.
    pub(crate) fn unfinished(&self) -> usize {
        self.in_flight.len() + self.ending.len()
    }

    /// Adds a job in flight.
    pub(crate) fn insert(&mut self, record: Record) {
        let job = record.job.clone();
        self.by_id.insert(job.id.clone(), job.clone());
        self.by_identity.insert(job.identity, job.clone());
        self.in_flight.insert(job.sequence, record);
    }

    /// The job in flight with this number.
    pub(crate) fn record(&mut self, sequence: u64) -> Option<&mut Record> {
        self.in_flight.get_mut(&sequence)
    }

    /// Takes a job out of flight. Whoever gets the record is the one to deliver its outcome. `reusable`: it still answers
    /// equal submissions.
    pub(crate) fn take(&mut self, sequence: u64, reusable: bool) -> Option<Record> {
        let record = self.in_flight.remove(&sequence)?;
        self.ending.insert(sequence, (record.job.kind, record.state()));
        if !reusable {
            self.by_identity.remove(&record.job.identity);
        }
        Some(record)
    }

    /// Keeps a job that was taken out of flight and gets its outcome now. Returns the jobs that are forgotten for it.
    pub(crate) fn retain(&mut self, kept: Kept) -> Vec<Kept> {
        self.ending.remove(&kept.job.sequence);
        let gone = self.retained.keep(kept);
        self.forget(gone)
    }

    /// Forgets finished jobs that are too old.
    pub(crate) fn sweep(&mut self, now: Instant) -> Vec<Kept> {
        let gone = self.retained.sweep(now);
        self.forget(gone)
    }

    fn forget(&mut self, gone: Vec<Kept>) -> Vec<Kept> {
        for kept in &gone {
            let job = &kept.job;
            self.by_id.remove(&job.id);
            // An equal submission after a failure has put a job of its own there.
            if self.by_identity.get(&job.identity).is_some_and(|known| known.sequence == job.sequence) {
                self.by_identity.remove(&job.identity);
            }
        }
        gone
    }

    /// Numbers of the jobs in flight whose deadline has passed.
    pub(crate) fn overdue(&self, now: Instant) -> Vec<u64> {
        let overdue = self.in_flight.iter().filter(|(_, record)| record.rank.limit().has_passed(now));
        overdue.map(|(sequence, _)| *sequence).collect()
    }

    /// Numbers of all jobs in flight.
    pub(crate) fn sequences(&self) -> Vec<u64> {
        self.in_flight.keys().copied().collect()
    }

    /// When the next deadline or age is reached.
    pub(crate) fn next_moment(&self) -> Option<Instant> {
        let deadlines = self.in_flight.values().filter_map(|record| record.rank.limit().moment());
        deadlines.chain(self.retained.next_expiry()).min()
    }

    /// How far a job has come.
    pub(crate) fn state(&self, job: &Job) -> JobState {
        let ending = || self.ending.get(&job.sequence).map(|(_, state)| *state);
        self.in_flight.get(&job.sequence).map(Record::state).or_else(ending).unwrap_or(JobState::Finished)
    }

    /// Accepted jobs of every kind whose outcome is not there yet.
    pub(crate) fn queues(&self) -> Vec<QueueStatus> {
        let mut queues = ProofKind::ALL.map(|kind| QueueStatus { kind, pending: 0, in_progress: 0 });
        let in_flight = self.in_flight.values().map(|record| (record.job.kind, record.state()));
        for (kind, state) in in_flight.chain(self.ending.values().copied()) {
            let Some(queue) = queues.iter_mut().find(|queue| queue.kind == kind) else { continue };
            match state {
                JobState::Pending => queue.pending += 1,
                _ => queue.in_progress += 1,
            }
        }
        queues.into()
    }
}
