//! What can go wrong with a request, and with what is made of it.

use std::io;
use std::path::PathBuf;

use cuzk_circuit::CircuitError;

use crate::{ChildFault, CircuitId};

/// Why a submission can never become a proof. Each names the field, as a path from the request's top level such as
/// `vanilla_proof.Phase1Out.vanilla_proofs[0][1].comm_d_proofs.path[3].hashes[0]`.
///
/// A server answers every one of them with `INVALID_ARGUMENT`; nothing has been queued.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// A field that this kind of proof needs is not there.
    #[error("{field}: missing: expected {expected}")]
    Missing {
        /// Where.
        field: String,
        /// What should be there.
        expected: String,
    },
    /// A value outside what the field may hold.
    #[error("{field}: {value} is not valid: expected {expected}")]
    Value {
        /// Where.
        field: String,
        /// The value.
        value: String,
        /// What it should be.
        expected: String,
    },
    /// Bytes that are not the JSON that they should be.
    #[error("{field}: not the expected JSON: {message} (line {line}, column {column} of {length} bytes)")]
    Json {
        /// Where; positions count from the start of this field.
        field: String,
        /// What the parser says.
        message: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1; 0 at a line's start.
        column: usize,
        /// The length of the JSON text.
        length: usize,
    },
    /// Bytes that are not the bincode that they should be.
    #[error("{field}: not the expected bincode: {message} ({length} bytes)")]
    Bincode {
        /// Where.
        field: String,
        /// What the parser says.
        message: String,
        /// The length of the field.
        length: usize,
    },
    /// Text that is not standard base64 with padding.
    #[error("{field}: not standard base64 with padding: {message}")]
    Base64 {
        /// Where.
        field: String,
        /// What the decoder says, with its offset.
        message: String,
    },
    /// 32 bytes that are no canonical element of the scalar field.
    #[error(
        "{field}: {value} is not a canonical field element: read as a little-endian number it must be less than the \
         order r of BLS12-381's scalar field"
    )]
    NotCanonical {
        /// Where.
        field: String,
        /// The bytes, in hex.
        value: String,
    },
    /// A list of the wrong length.
    #[error("{field}: {found} {what}, expected {expected}")]
    Count {
        /// Where.
        field: String,
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there must be.
        expected: usize,
    },
    /// Two parts of the request that cannot both be true.
    #[error("{field} is {value}, but {other_field} is {other_value}")]
    Contradiction {
        /// The one place.
        field: String,
        /// What stands there.
        value: String,
        /// The other place.
        other_field: String,
        /// What stands there, or follows from it.
        other_value: String,
    },
    /// The proof crates refused data that passed every check of ours.
    #[error("{field}: the proof crates refuse it: {message}")]
    Crates {
        /// Where.
        field: String,
        /// What they say.
        message: String,
    },
}

impl RequestError {
    /// The path of the field at fault (the first one, of a contradiction).
    pub fn field(&self) -> &str {
        match self {
            Self::Missing { field, .. }
            | Self::Value { field, .. }
            | Self::Json { field, .. }
            | Self::Bincode { field, .. }
            | Self::Base64 { field, .. }
            | Self::NotCanonical { field, .. }
            | Self::Count { field, .. }
            | Self::Contradiction { field, .. }
            | Self::Crates { field, .. } => field,
        }
    }
}

/// What can go wrong after a request was accepted.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A partition that the request does not have.
    #[error("there is no partition {partition}: this request has {partitions}, counted from 0")]
    Partition {
        /// The partition asked for.
        partition: usize,
        /// How many there are.
        partitions: usize,
    },
    /// The vanilla proof has other values, or more or fewer, than the circuit takes.
    #[error(
        "the vanilla proof does not fit the compiled circuit: {0}; a circuit has to be compiled for the request's own \
         kind and sector size"
    )]
    Unfit(#[from] CircuitError),
    /// Bytes of the vanilla proof that are no field element, although that was checked when the request was read.
    #[error("{value} in the vanilla proof is not a canonical field element")]
    NotCanonical {
        /// The bytes, in hex.
        value: String,
    },
    /// The circuit of a PoSt has a place for which the request has no sector, or not enough paths.
    #[error("nothing stands at place {place} of the circuit: this request has {sectors} sectors")]
    EmptyPlace {
        /// The place, counted from 0.
        place: usize,
        /// How many sectors there are.
        sectors: usize,
    },
    /// A result cannot be assembled from this many proofs.
    #[error("{found} proofs were given for a request of {expected} partitions")]
    ProofCount {
        /// How many were given.
        found: usize,
        /// How many are needed.
        expected: usize,
    },
    /// The proof crates failed or panicked on data that had passed every check.
    #[error("the proof crates failed for {circuit} while {doing}: {message}")]
    Crates {
        /// The circuit.
        circuit: CircuitId,
        /// What they were asked to do.
        doing: &'static str,
        /// What they said, or the panic's message.
        message: String,
    },
    /// No verifying key for the judge.
    #[error(
        "no verifying key: neither {vk} nor {params} can be read ({source}); generate or fetch the parameters first"
    )]
    VerifyingKey {
        /// The `.vk` file.
        vk: PathBuf,
        /// The `.params` file, whose head is the same key.
        params: PathBuf,
        /// Why the latter cannot be read.
        source: io::Error,
    },
    /// The place where the judge works could not be made.
    #[error("the judge's directory {} cannot be made: {source}", directory.display())]
    JudgeDirectory {
        /// The directory, or the one that it would be in.
        directory: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The judge's process gave no verdict.
    #[error("the judge's process {}: {source}", program.display())]
    Judge {
        /// The program.
        program: PathBuf,
        /// What happened.
        source: ChildFault,
    },
}
