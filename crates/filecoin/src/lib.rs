//! What the chain's proofs are.
//!
//! Owns the way from a submission as it came off the wire to something that can be proved: parsing and checking
//! requests ([`Request`]), the blank circuit of every [`CircuitId`] ([`synthesize_blank`]), the advice that its witnesses
//! are solved from ([`Request::advice`]), the files of compiled circuits ([`CircuitFiles`]), witnesses through the proof crates' gadgets, public inputs, the names of
//! parameter files ([`parameters`]), requests made up for tests and measurements ([`synthetic`], [`sealed`]), and the API
//! crate as a second judge of a proof ([`judge`]).
//!
//! Does not prove anything, and knows neither keys nor queues nor the network.
//!
//! Kinds are modules like `porep` and `snap`, each at the five published sector sizes; another one is one more module,
//! and one more entry in `kinds`.

#![forbid(unsafe_code)]

mod bincode;
mod child;
mod circuit_files;
mod circuit_id;
mod compiled;
mod error;
mod field_path;
mod guard;
mod hex;
mod json;
pub mod judge;
mod kind;
mod kinds;
mod merkle;
pub mod parameters;
mod porep;
mod post;
pub mod prover_id;
pub mod registered;
mod request;
pub mod sealed;
mod shape;
mod size;
mod snap;
mod submission;
pub mod synthetic;
mod work;

pub use child::ChildFault;
pub use circuit_files::{CircuitFiles, CircuitOrigin, LoadedCircuit, circuit_identity};
pub use circuit_id::{CircuitId, UnknownCircuit};
pub use compiled::{compile, compile_whole, constraint_path};
pub use error::{Error, RequestError};
pub use kind::{Priority, ProofKind};
pub use parameters::{params_file_name, vk_file_name};
pub use porep::PorepRequest;
pub use post::PostRequest;
pub use request::{PROOF_BYTES, Request, synthesize_blank};
pub use size::{SectorSize, UnknownSectorSize};
pub use snap::SnapRequest;
pub use submission::Submission;

pub use filecoin_proofs_api::{RegisteredPoStProof, RegisteredSealProof, RegisteredUpdateProof};

use hex::hex;
