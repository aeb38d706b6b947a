//! The wire: the `cuzk.v1` protocol and a small client.
//!
//! Owns the schema (`proto/cuzk/v1/proving.proto`), the types and stubs generated from it ([`v1`]), the way an address
//! is written ([`Address`]) and a client for one daemon ([`Client`]).
//!
//! It does not own any server behaviour, and it does not look into payloads.

#![forbid(unsafe_code)]

mod address;
mod client;
mod error;

pub use address::Address;
pub use client::Client;
pub use error::ClientError;
pub use tonic::Code;

/// Messages of this many bytes travel each way unless something else is set: 256 MiB.
pub const DEFAULT_MAX_MESSAGE_BYTES: usize = 256 << 20;

/// Generated from `proto/cuzk/v1/proving.proto`, which holds the documentation of every field.
#[allow(missing_docs, unreachable_pub, clippy::all)]
pub mod v1 {
    tonic::include_proto!("cuzk.v1");
}
