//! The engine as its callers hold it.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError, mpsc::sync_channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant, SystemTime},
};

use cuzk_circuit::{CIRCUIT, SOLVER_SCRATCH, WITNESS};
use cuzk_filecoin::{CircuitId, Submission};
use cuzk_memory::Ledger;
use cuzk_prover::{EVALUATIONS, KEY, MSM_SCRATCH, QUOTIENT};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    BackendStatus, CancelReason, Config, EngineError, Evicted, Interest, JobHandle, KeyError, OutcomeStatus, Preloaded,
    Readiness, Status, SubmitError, UnknownJob,
    classes::{ADVICE, PROOF, REQUEST},
    keys::{KeyFiles, Keys},
    partition::{Filecoin, FilecoinPrepare},
    state::{Core, Limits, Phase},
    work::Prepare,
};

/// A proving engine. Clones are handles to the same one; with the last of them it ends: jobs in flight are cancelled and
/// its threads joined, which takes as long as a backend's current partition.
///
/// Engines share nothing: two of them run side by side in one process.
#[derive(Clone)]
pub struct Engine {
    owner: Arc<Owner>,
}

/// What ends with the last handle.
struct Owner {
    core: Arc<Core>,
    keys: Arc<Keys>,
    backends: Vec<String>,
    started: Instant,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Engine {
    /// Starts an engine and its threads. Keys are loaded when they are first needed, or by [`preload`](Self::preload).
    ///
    /// # Errors
    /// [`EngineError`] names the setting with which nothing could be proved, or the thread that the system refused.
    pub fn new(config: Config) -> Result<Self, EngineError> {
        config.check()?;
        let ledger = Ledger::new(&[
            &REQUEST,
            &ADVICE,
            &SOLVER_SCRATCH,
            &WITNESS,
            &EVALUATIONS,
            &QUOTIENT,
            &MSM_SCRATCH,
            &PROOF,
            &KEY,
            &CIRCUIT,
        ]);
        let limits = Limits {
            workers: config.workers,
            queue_depth: config.queue_depth,
            permit: config.permit,
            max_pending: config.max_pending,
            retention: config.retention,
            backends: config.backends.len(),
        };
        let names = config.backends.iter().map(|backend| backend.name().to_owned()).collect();
        let pool = Arc::new(pool(config.threads)?);
        let files = KeyFiles::new(&config, &ledger, pool.clone());
        let keys = Arc::new(files.residency());
        let filecoin = Filecoin::new(&config, ledger.clone(), files, keys.clone(), pool);
        Self::start(limits, names, ledger, keys, Arc::new(FilecoinPrepare(Arc::new(filecoin))))
    }

    /// Starts an engine whose work is `prepare`'s: the seam at which tests put theirs.
    pub(crate) fn start(
        limits: Limits,
        backends: Vec<String>,
        ledger: Ledger,
        keys: Arc<Keys>,
        prepare: Arc<dyn Prepare>,
    ) -> Result<Self, EngineError> {
        let core = Arc::new(Core::new(limits, ledger, prepare));
        let owner = Owner { core, keys, backends, started: Instant::now(), threads: Mutex::default() };
        // Should a thread be refused, dropping the owner ends those that run.
        owner.start_threads()?;
        Ok(Self { owner: Arc::new(owner) })
    }

    /// Parses, checks and queues. A submission equal to a job in flight shares it; one equal to a completed job that is
    /// still known gets that job with its proof; after a failure or a cancellation it becomes a new job.
    ///
    /// Blocks for the work of parsing: call it where that is allowed. The job's deadline is the latest that anybody who is
    /// interested in it has given; `None` is none.
    ///
    /// # Errors
    /// [`SubmitError`]; then nothing was queued.
    pub fn submit(
        &self,
        submission: Submission,
        interest: Interest,
        deadline: Option<SystemTime>,
    ) -> Result<JobHandle, SubmitError> {
        self.owner.core.submit(submission, interest, deadline)
    }

    /// The job with this id, if it is in flight or its end is still known. While the handle lives it is one of those who
    /// wait for the job: it keeps the job going when others withdraw, within the deadline that they gave.
    pub fn job(&self, job_id: &str) -> Option<JobHandle> {
        self.owner.core.find(job_id)
    }

    /// Ends a job for everybody who waits for it. `true`: it was pending or in progress; `false`: it had ended.
    ///
    /// What runs stops at the next step or partition; a backend that computes does so to the end of its step.
    ///
    /// # Errors
    /// When no job has this id.
    pub fn cancel(&self, job_id: &str) -> Result<bool, UnknownJob> {
        self.owner.core.cancel(job_id)
    }

    /// The engine at this moment.
    pub fn status(&self) -> Status {
        let Owner { core, keys, backends, started, .. } = &*self.owner;
        let limits = core.limits;
        // Nobody takes the engine's lock while holding that of the keys or of the ledger.
        let state = core.lock();
        let backend = |(name, job): (&String, &Option<Arc<crate::job::Job>>)| BackendStatus {
            name: name.clone(),
            current_job: job.as_ref().map(|job| job.id.clone()),
            current_kind: job.as_ref().map(|job| job.kind),
        };
        Status {
            queues: state.table.queues(),
            keys: keys.status(),
            backends: backends.iter().zip(&state.backends).map(backend).collect(),
            completed: state.ended.completed,
            failed: state.ended.failed,
            cancelled: state.ended.cancelled,
            timings: state.ended.timings,
            uptime: started.elapsed(),
            memory: core.ledger.snapshot(),
            workers: limits.workers,
            queue_depth: limits.queue_depth,
            permit: limits.permit,
            max_pending: limits.max_pending,
            draining: state.phase != Phase::Open,
        }
    }

    /// What this engine can prove with the parameter files that are there now, and why not the rest: a line for each of
    /// [`CircuitId::all`]. Looks at every file, which takes a moment; hashes none. Blocks for that long.
    pub fn readiness(&self) -> Vec<Readiness> {
        self.owner.core.prepare.readiness()
    }

    /// Loads a circuit's proving key, if it is not in memory. Blocks for as long as that takes.
    ///
    /// # Errors
    /// [`KeyError`] names the file and what is wrong with it.
    pub fn preload(&self, circuit: CircuitId) -> Result<Preloaded, KeyError> {
        self.owner.keys.preload(circuit)
    }

    /// Lets go of a circuit's proving key and recorded circuit. A key that partitions in flight use stays, and so does
    /// one that is being loaded: see [`Evicted`].
    ///
    /// # Errors
    /// None so far.
    pub fn evict(&self, circuit: CircuitId) -> Result<Evicted, KeyError> {
        Ok(self.owner.keys.evict(circuit))
    }

    /// The ledger of this engine's large buffers.
    pub fn ledger(&self) -> &Ledger {
        &self.owner.core.ledger
    }

    /// Refuses new work from now on, and blocks until everything accepted has ended and all that it held is dropped.
    /// Kept results can still be asked for.
    pub fn drain(&self) {
        self.owner.core.refuse_new_work();
        self.wait_idle(None);
    }

    /// As [`drain`](Self::drain), but blocks for at most `limit`. `false`: work is still going on.
    pub fn drain_for(&self, limit: Duration) -> bool {
        self.owner.core.refuse_new_work();
        self.wait_idle(Instant::now().checked_add(limit))
    }

    /// Blocks until everything accepted so far has ended and all that it held is dropped, or until `limit`.
    pub(crate) fn wait_idle(&self, limit: Option<Instant>) -> bool {
        self.owner.core.activity.wait_idle(limit)
    }

    /// Ends the engine, whoever else has a handle to it: cancels all jobs and joins all threads. Kept results can still be
    /// asked for.
    pub fn shutdown(self) {
        self.owner.end();
    }
}

/// The threads that load keys and check constraints.
fn pool(threads: usize) -> Result<ThreadPool, EngineError> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("cuzk-pool-{index}"))
        .build()
        .map_err(|error| EngineError::Pool { threads, message: error.to_string() })
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("backends", &self.owner.backends).finish_non_exhaustive()
    }
}

impl Owner {
    fn start_threads(&self) -> Result<(), EngineError> {
        self.spawn("cuzk-clock".into(), |core| core.watch_clock())?;
        for worker in 0..self.core.limits.workers {
            self.spawn(format!("cuzk-solve-{worker}"), |core| core.work())?;
        }
        for backend in 0..self.core.limits.backends {
            let (sender, receiver) = sync_channel(0);
            self.spawn(format!("cuzk-finish-{backend}"), move |core| core.finish(&receiver))?;
            self.spawn(format!("cuzk-backend-{backend}"), move |core| core.drive(backend, &sender))?;
        }
        Ok(())
    }

    fn spawn(&self, name: String, life: impl FnOnce(&Core) + Send + 'static) -> Result<(), EngineError> {
        let core = self.core.clone();
        let thread = thread::Builder::new()
            .name(name.clone())
            .spawn(move || life(&core))
            .map_err(|source| EngineError::Thread { thread: name, source })?;
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        Ok(())
    }

    fn end(&self) {
        self.core.close();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // A panic of a thread of ours was reported by its hook; there is nothing left to do about it.
            let _ = thread.join();
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.end();
    }
}

impl Core {
    /// Begins to refuse new work.
    fn refuse_new_work(&self) {
        let mut state = self.lock();
        if state.phase == Phase::Open {
            state.phase = Phase::Draining;
        }
    }

    /// Cancels all jobs and lets the threads end.
    fn close(&self) {
        let mut state = self.lock();
        state.phase = Phase::Closed;
        let status = OutcomeStatus::Cancelled { reason: CancelReason::Shutdown };
        let sequences = state.table.sequences();
        let ended: Vec<_> = sequences.into_iter().map(|job| state.take_out(job, status.clone())).collect();
        drop(state);
        for changed in [&self.unsolved, &self.solved, &self.room, &self.clock] {
            changed.notify_all();
        }
        for ending in ended {
            self.deliver(ending);
        }
    }
}
