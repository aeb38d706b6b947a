//! The gRPC face of one engine.
//!
//! Owns the eight calls of `cuzk.v1`, the listeners (TCP and unix sockets), the translation between the wire and the
//! engine's types, and the metrics page.
//!
//! It holds no state of its own: every figure it tells comes from the engine at that moment. It does not parse payloads,
//! queue or prove; that is the engine's, and runs on threads of the engine or of the blocking pool, never on the
//! asynchronous runtime.

#![forbid(unsafe_code)]

mod convert;
mod deadline;
mod error;
mod exposition;
mod jobs;
mod listen;
mod metrics;
mod server;
mod service;
mod wire;

#[cfg(test)]
mod tests;

pub use error::ServerError;
pub use listen::ListenAddr;
pub use server::{Server, ServerConfig, serve};
pub use wire::{from_wire, to_wire};
