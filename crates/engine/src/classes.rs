//! What the engine itself counts in the ledger.

use cuzk_memory::{Class, Stage};

/// Payloads of requests, while they are parsed.
pub static REQUEST: Class = Class::new("request");
/// What the witnesses of jobs in flight are made from: parsed vanilla proofs.
pub static ADVICE: Class = Class::new("advice");
/// Results that are kept for whoever asks for them later.
pub static PROOF: Class = Class::new("proof");

/// A request that is being parsed.
pub static PARSING: Stage = Stage::new("parsing");
/// A job of which no partition was taken up.
pub static PENDING: Stage = Stage::new("pending");
/// A job that is being worked on.
pub static IN_PROGRESS: Stage = Stage::new("in-progress");
/// A solved partition before a backend.
pub static WAITING: Stage = Stage::new("waiting");
/// A result that is kept.
pub static FINISHED: Stage = Stage::new("finished");
