//! What can go wrong while serving, apart from single calls.

use std::{io, path::PathBuf};

use thiserror::Error;

use crate::ListenAddr;

/// Why the server cannot start or go on.
#[derive(Debug, Error)]
pub enum ServerError {
    /// There is nothing to listen on.
    #[error("no address to listen on; name at least one host:port or unix:///path")]
    NoListener,
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Where.
        address: ListenAddr,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// Another process answers on the socket.
    #[error("cannot listen on unix://{}: another process already does; stop it, or choose another path", .path.display())]
    InUse {
        /// The socket.
        path: PathBuf,
    },
    /// Something that is not a socket stands in the way.
    #[error(
        "cannot listen on unix://{}: a file that is no socket is there; move it away, or choose another path",
        .path.display()
    )]
    NotASocket {
        /// The file.
        path: PathBuf,
    },
    /// A listener ended although nobody asked for it.
    #[error("stopped listening on {address}: {reason}")]
    Ended {
        /// Where.
        address: ListenAddr,
        /// What the transport says.
        reason: String,
    },
}
