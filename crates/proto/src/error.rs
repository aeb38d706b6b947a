//! What can go wrong on a client's side.

use thiserror::Error;
use tonic::Code;

use crate::Address;

/// Why a call did not return a response.
#[derive(Debug, Error)]
pub enum ClientError {
    /// The address cannot be read.
    #[error("'{address}' is not the address of a daemon: {reason}; write host:port or unix:///path")]
    Address {
        /// As it was given.
        address: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Nobody answers at the address.
    #[error("cannot connect to {address}: {}; is the daemon running there?", root_cause(.source))]
    Connect {
        /// Where the daemon should be.
        address: Address,
        /// What the transport says.
        #[source]
        source: tonic::transport::Error,
    },
    /// The daemon refused the call, or the connection broke.
    #[error("{method} at {address}: {}: {}", code_name(.status.code()), .status.message())]
    Call {
        /// The RPC.
        method: &'static str,
        /// Where the daemon is.
        address: Address,
        /// Its answer. Boxed because it is large.
        status: Box<tonic::Status>,
    },
    /// The daemon left out a field that it always sends.
    #[error("{method} at {address}: the response has no {field}; the daemon does not speak this protocol")]
    Incomplete {
        /// The RPC.
        method: &'static str,
        /// Where the daemon is.
        address: Address,
        /// The field.
        field: &'static str,
    },
}

impl ClientError {
    /// The gRPC code, when the daemon or the transport gave one.
    pub fn code(&self) -> Option<Code> {
        match self {
            Self::Call { status, .. } => Some(status.code()),
            _ => None,
        }
    }
}

/// The transport's own message is only "transport error": what a reader wants is at the end of the chain.
fn root_cause(error: &tonic::transport::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// A code as the gRPC specification spells it, such as `INVALID_ARGUMENT`.
fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}
