//! What an engine says of itself.

use std::{sync::Arc, time::Duration};

use cuzk_filecoin::{CircuitId, ProofKind};
use cuzk_memory::Snapshot;

use crate::{Permit, Timings};

/// An engine at one moment.
#[derive(Debug, Clone)]
pub struct Status {
    /// A line for every kind of proof. Every accepted job is in exactly one number, until its result is ready.
    pub queues: Vec<QueueStatus>,
    /// A line for every circuit whose key is in memory or on its way there.
    pub keys: Vec<KeyStatus>,
    /// A line for every backend, in the order of the configuration.
    pub backends: Vec<BackendStatus>,
    /// Jobs completed since the start.
    pub completed: u64,
    /// Jobs failed since the start.
    pub failed: u64,
    /// Jobs cancelled since the start.
    pub cancelled: u64,
    /// The sums of the timings of all jobs counted in these three.
    pub timings: Timings,
    /// Time since the start.
    pub uptime: Duration,
    /// All counts of the ledger.
    pub memory: Snapshot,
    /// Partitions that may be solved at once.
    pub workers: usize,
    /// Solved partitions that may wait, for each backend.
    pub queue_depth: usize,
    /// How long a worker keeps its permit.
    pub permit: Permit,
    /// Jobs that may be pending or in progress.
    pub max_pending: usize,
    /// Whether new work is refused.
    pub draining: bool,
}

/// The jobs of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueStatus {
    /// The kind.
    pub kind: ProofKind,
    /// Jobs of which no partition was taken up.
    pub pending: u32,
    /// Jobs that are being worked on.
    pub in_progress: u32,
}

/// A proving key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyStatus {
    /// Its circuit.
    pub circuit: CircuitId,
    /// Where it is.
    pub tier: Tier,
    /// Host memory of the key and its recorded circuit; 0 while it is loaded.
    pub bytes: u64,
    /// Partitions in flight that use it.
    pub ref_count: u32,
}

/// Where a proving key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tier {
    /// Where the backend computes: for the CPU backend, host memory.
    Hot,
    /// In host memory, while the backend computes elsewhere.
    Warm,
    /// In its file, or being loaded from it.
    Cold,
}

/// A backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackendStatus {
    /// Its name.
    pub name: String,
    /// The job that it works for now.
    pub current_job: Option<Arc<str>>,
    /// That job's kind.
    pub current_kind: Option<ProofKind>,
}
