//! The way of partitions through the engine's threads.
//!
//! ```text
//! queue → worker: solve → hand-over queue → backend owner: start → finisher: finish, verify → table
//! ```
//! A partition moves as a value from step to step, with the job's payload. Whenever its job has ended meanwhile, it is
//! dropped at the next step.

use std::{
    sync::{
        Arc,
        mpsc::{Receiver, SyncSender},
    },
    time::Instant,
};

use cuzk_memory::Scope;
use tracing::debug;

use crate::{
    JobStage, OutcomeStatus,
    classes::IN_PROGRESS,
    job::Job,
    outcome::Timings,
    state::{Core, Phase},
    table::Payload,
    work::{Partition, Solved, Started, Stop, guarded},
};

/// A partition on its way.
pub(crate) struct Task {
    job: Arc<Job>,
    partition: Partition,
    timings: Timings,
    payload: Arc<Payload>,
}

/// A solved partition in the hand-over queue.
pub(crate) struct Waiting {
    solved: Box<dyn Solved>,
    task: Task,
}

/// A started partition on its way to the finisher.
pub(crate) struct Unfinished {
    started: Box<dyn Started>,
    task: Task,
}

impl Core {
    /// A worker's life: solves partitions until the engine closes.
    pub(crate) fn work(&self) {
        while let Some(mut task) = self.next_unsolved() {
            let begun = Instant::now();
            let solved = guarded(JobStage::Solve, || task.payload.work.solve(&task.partition, &mut task.timings));
            task.timings.synthesis += begun.elapsed().saturating_sub(task.timings.srs_load);
            match solved {
                Ok(solved) => {
                    task.log("partition solved", begun);
                    self.hand_over(Waiting { solved, task });
                }
                Err(stop) => self.stopped(task, stop),
            }
        }
    }

    /// The life of the thread that owns a backend: starts solved partitions until the engine closes.
    ///
    /// The channel to its finisher has no room: at most one started partition waits here while another one is finished.
    pub(crate) fn drive(&self, backend: usize, finisher: &SyncSender<Unfinished>) {
        while let Some(Waiting { solved, mut task }) = self.next_solved(backend) {
            let begun = Instant::now();
            let started = guarded(JobStage::Prove, || solved.start(backend));
            task.timings.gpu_compute += begun.elapsed();
            self.lock().backends[backend] = None;
            match started {
                Ok(started) => {
                    task.log("partition started", begun);
                    // The finisher lives as long as this end of the channel; were it gone, the partition is dropped.
                    let _ = finisher.send(Unfinished { started, task });
                }
                Err(stop) => self.stopped(task, stop),
            }
        }
    }

    /// A finisher's life: finishes and verifies what its backend has started, until that one's thread ends.
    pub(crate) fn finish(&self, started: &Receiver<Unfinished>) {
        for Unfinished { started, mut task } in started {
            match task.finish(started) {
                Ok(proof) => self.proved(task, proof),
                Err(stop) => self.stopped(task, stop),
            }
        }
    }

    /// Waits for a partition to solve. `None`: the engine closes.
    fn next_unsolved(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if state.phase == Phase::Closed {
                return None;
            }
            if let Some((job, index)) = state.queue.take() {
                // Jobs leave the queue and the table together, so the record is there.
                let Some(record) = state.table.record(job.sequence) else { continue };
                record.queue_wait.get_or_insert_with(|| job.accepted.elapsed());
                let payload = record.payload.clone();
                drop(state);
                payload.move_to(&IN_PROGRESS);
                return Some(Task::new(job, index, payload));
            }
            state = self.unsolved.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }

    /// Puts a solved partition into the queue to the backends, and waits for room if the permit says so.
    fn hand_over(&self, mut waiting: Waiting) {
        waiting.solved.wait();
        let sequence = waiting.task.job.sequence;
        let index = waiting.task.partition.index;
        let mut state = self.lock();
        // Asked for now: the job may have ended or got another deadline while it was being solved.
        let Some(rank) = state.table.record(sequence).map(|record| record.rank) else {
            drop(state);
            return drop(waiting);
        };
        let full = state.handover.push(rank, index, waiting);
        self.solved.notify_one();
        if full {
            while !state.handover.may_leave() && state.phase != Phase::Closed {
                state = self.room.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
            }
            state.handover.leave();
        }
    }

    /// Waits for a solved partition and marks the backend as working for it. `None`: the engine closes.
    fn next_solved(&self, backend: usize) -> Option<Waiting> {
        let mut state = self.lock();
        loop {
            if state.phase == Phase::Closed {
                return None;
            }
            if let Some(waiting) = state.handover.take() {
                state.backends[backend] = Some(waiting.task.job.clone());
                drop(state);
                self.room.notify_all();
                return Some(waiting);
            }
            state = self.solved.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }

    /// Adds a verified proof to its job, and ends the job with the last one.
    fn proved(&self, task: Task, proof: Vec<u8>) {
        let complete = {
            let mut state = self.lock();
            let Some(record) = state.table.record(task.job.sequence) else { return };
            record.timings.add_partition(&task.timings);
            record.add_proof(task.partition.index, proof)
        };
        let Some(proofs) = complete else { return };
        let Task { job, payload, .. } = task;
        let assembled = guarded(JobStage::Assemble, || payload.work.assemble(proofs));
        // Nothing of the job is left in this thread once its outcome is there.
        drop(payload);
        match assembled {
            Ok(proof) => self.conclude(&job, OutcomeStatus::Completed { proof }),
            Err(Stop::Unwanted) => {}
            Err(Stop::Failed { stage, message }) => {
                self.conclude(&job, OutcomeStatus::Failed { stage, partition: None, message });
            }
        }
    }

    /// A partition did not reach its end: fails its job, unless that has ended.
    fn stopped(&self, task: Task, stop: Stop) {
        let Stop::Failed { stage, message } = stop else { return };
        let Task { job, partition, timings, payload } = task;
        if let Some(record) = self.lock().table.record(job.sequence) {
            record.timings.add_partition(&timings);
        }
        drop(payload);
        self.conclude(&job, OutcomeStatus::Failed { stage, partition: Some(partition.index), message });
    }
}

impl Task {
    fn new(job: Arc<Job>, index: u32, payload: Arc<Payload>) -> Self {
        let scope = Scope::partition(job.id.clone(), index);
        let partition = Partition { index, scope, cancelled: job.cancelled.clone() };
        Self { job, partition, timings: Timings::default(), payload }
    }

    /// The last two steps.
    fn finish(&mut self, started: Box<dyn Started>) -> Result<Vec<u8>, Stop> {
        self.partition.check_wanted()?;
        let begun = Instant::now();
        let proved = guarded(JobStage::Finish, || started.finish());
        self.timings.gpu_compute += begun.elapsed();
        let proved = proved?;
        self.log("partition proved", begun);
        self.partition.check_wanted()?;
        let begun = Instant::now();
        let proof = guarded(JobStage::Verify, || proved.verify());
        self.timings.verify += begun.elapsed();
        let proof = proof?;
        self.log("partition verified", begun);
        Ok(proof)
    }

    fn log(&self, what: &'static str, begun: Instant) {
        debug!(
            target: "cuzk::engine",
            job = %self.job.id,
            partition = self.partition.index,
            elapsed_ms = begun.elapsed().as_millis() as u64,
            "{what}"
        );
    }
}
