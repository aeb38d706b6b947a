//! Proving jobs from acceptance to delivery.
//!
//! Owns jobs and their identity, the order in which they are taken up, the pipeline that solves, proves and verifies their
//! partitions, which proving keys are in memory, deadlines, cancellation, and what is kept of finished jobs; also what is
//! known of the parameter files, and the making of development parameters where they are missing. Everything is a value: two [`Engine`]s run side by side in one process.
//!
//! It does not know gRPC or HTTP, how a request is written, or how a proof is computed: those are the crates `server`,
//! `filecoin` and `prover`.
//!
//! ```text
//! submit ─ parse ─ table ─ queue ─► workers ─ solve ─► hand-over queue ─► backend owners ─ start
//!                                   (workers)          (queue_depth)      (one a backend)    │
//!                 outcome ◄─ assemble ◄─ verify ◄─ finish ◄─ finishers ◄─────────────────────┘
//! ```
//!
//! Threads: the configured number of workers, and for each backend its owner and a finisher; one clock. All state is
//! behind one lock that is never held during work.

#![forbid(unsafe_code)]

mod activity;
mod classes;
mod config;
mod deadline;
mod development;
mod ending;
mod engine;
mod error;
mod handover;
mod interest;
mod job;
mod keys;
mod order;
mod outcome;
mod parameters;
mod partition;
mod pipeline;
mod queue;
mod readiness;
mod residency;
mod retention;
mod state;
mod status;
mod submit;
mod table;
mod work;

#[cfg(test)]
mod tests;

pub use classes::{ADVICE, FINISHED, IN_PROGRESS, PARSING, PENDING, PROOF, REQUEST, WAITING};
pub use config::{Config, Permit, Randomness, Retention, SystemRandomness, WitnessSource};
pub use development::{DevelopmentError, DevelopmentParams, ensure_development_params, replace_development_params};
pub use engine::Engine;
pub use error::{EngineError, SubmitError, UnknownJob};
pub use interest::Interest;
pub use job::{JobHandle, JobState};
pub use keys::KeyError;
pub use outcome::{CancelReason, JobStage, Outcome, OutcomeStatus, Timings};
pub use parameters::{FileReport, FileState, inspect};
pub use readiness::{KeyOrigin, Readiness};
pub use residency::{Evicted, Preloaded};
pub use status::{BackendStatus, KeyStatus, QueueStatus, Status, Tier};
