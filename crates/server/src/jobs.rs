//! What the calls need of an engine.
//!
//! The engine is the only one that ships. The tests bring another, whose jobs end when the test says so: what is tested
//! here is the way to the engine and back, not proving.

use std::{future::Future, sync::Arc, time::SystemTime};

use cuzk_engine::{
    Engine, Evicted, Interest, JobHandle, KeyError, Outcome, Preloaded, Status, SubmitError, UnknownJob,
};
use cuzk_filecoin::{CircuitId, Submission};

/// An engine, as far as the calls know it. See the methods of [`Engine`].
pub(crate) trait Jobs: Clone + Send + Sync + 'static {
    /// A job that was accepted or found.
    type Handle: Handle;

    /// Parses, which takes CPU time, and queues.
    fn submit(
        &self,
        submission: Submission,
        interest: Interest,
        deadline: Option<SystemTime>,
    ) -> Result<Self::Handle, SubmitError>;
    /// Finds. Quick.
    fn job(&self, job_id: &str) -> Option<Self::Handle>;
    /// Ends a job. Quick.
    fn cancel(&self, job_id: &str) -> Result<bool, UnknownJob>;
    /// A snapshot. Quick.
    fn status(&self) -> Status;
    /// Loads a key, which takes long.
    fn preload(&self, circuit: CircuitId) -> Result<Preloaded, KeyError>;
    /// Frees a key.
    fn evict(&self, circuit: CircuitId) -> Result<Evicted, KeyError>;
    /// Refuses new work and waits for the rest, which takes long.
    fn drain(&self);
}

/// A job, until it is dropped.
pub(crate) trait Handle: Send + 'static {
    /// The job's id.
    fn job_id(&self) -> &str;
    /// Jobs in front of it.
    fn queue_position(&self) -> u32;
    /// Waits for its end.
    fn outcome(&mut self) -> impl Future<Output = Arc<Outcome>> + Send;
}

impl Jobs for Engine {
    type Handle = JobHandle;

    fn submit(
        &self,
        submission: Submission,
        interest: Interest,
        deadline: Option<SystemTime>,
    ) -> Result<JobHandle, SubmitError> {
        Engine::submit(self, submission, interest, deadline)
    }

    fn job(&self, job_id: &str) -> Option<JobHandle> {
        Engine::job(self, job_id)
    }

    fn cancel(&self, job_id: &str) -> Result<bool, UnknownJob> {
        Engine::cancel(self, job_id)
    }

    fn status(&self) -> Status {
        Engine::status(self)
    }

    fn preload(&self, circuit: CircuitId) -> Result<Preloaded, KeyError> {
        Engine::preload(self, circuit)
    }

    fn evict(&self, circuit: CircuitId) -> Result<Evicted, KeyError> {
        Engine::evict(self, circuit)
    }

    fn drain(&self) {
        Engine::drain(self);
    }
}

impl Handle for JobHandle {
    fn job_id(&self) -> &str {
        JobHandle::job_id(self)
    }

    fn queue_position(&self) -> u32 {
        JobHandle::queue_position(self)
    }

    fn outcome(&mut self) -> impl Future<Output = Arc<Outcome>> + Send {
        JobHandle::outcome(self)
    }
}
