//! One counted buffer.

use crate::{Class, Ledger, Place, Scope, Stage};

/// A buffer's line in the ledger. It is uncounted when this value is dropped.
#[derive(Debug)]
#[must_use = "dropping an entry uncounts its buffer"]
pub struct Entry {
    pub(crate) ledger: Ledger,
    pub(crate) class: &'static Class,
    pub(crate) stage: &'static Stage,
    pub(crate) place: Place,
    pub(crate) bytes: u64,
    pub(crate) scope: Scope,
}

impl Entry {
    /// Moves the buffer on to `stage`.
    pub fn move_to(&mut self, stage: &'static Stage) {
        let from = std::mem::replace(&mut self.stage, stage);
        if from != stage {
            self.ledger.moved(self, from);
        }
    }

    /// Sets the counted size to `bytes`.
    pub fn resize(&mut self, bytes: u64) {
        let from = std::mem::replace(&mut self.bytes, bytes);
        if from != bytes {
            self.ledger.resized(self, from);
        }
    }

    /// The counted size in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The ledger that counts this buffer.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// For whom the buffer exists.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.ledger.left(self);
    }
}
