//! What an engine can prove, and why not the rest.

use std::fmt;

use cuzk_filecoin::CircuitId;

use crate::KeyError;

/// Whether the proofs of a circuit can be made with the parameter file that is there now.
#[derive(Debug, Clone)]
pub struct Readiness {
    /// The circuit.
    pub circuit: CircuitId,
    /// Where its key comes from, or why it cannot be used. A file of another circuit whose head is sound is found out
    /// only when a job needs it.
    pub key: Result<KeyOrigin, KeyError>,
}

/// How far a parameter file can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyOrigin {
    /// Its digest is the published one, and it has not changed since that was computed.
    Published,
    /// Its digest was not computed since it last changed.
    NotChecked,
    /// It came from the development generator, and development keys are allowed.
    Development,
}

impl KeyOrigin {
    /// One or two words for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::NotChecked => "not checked",
            Self::Development => "development",
        }
    }
}

impl fmt::Display for KeyOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
