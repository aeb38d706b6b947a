//! A recorded circuit as the pipeline holds it.

use std::sync::Arc;

use bellperson::SynthesisError;
use cuzk_memory::{Class, Entry, Ledger, Place, Scope, Stage};

use crate::{CircuitError, Layout, R1cs, Recorder};

/// Recorded circuits.
pub static CIRCUIT: Class = Class::new("circuit");
/// A shared thing that stays until it is evicted.
pub static RESIDENT: Stage = Stage::new("resident");

/// A recorded constraint system with the layout of its witnesses; counted in the ledger while it lives.
#[derive(Debug)]
pub struct Circuit {
    r1cs: R1cs,
    layout: Arc<Layout>,
    entry: Entry,
}

impl Circuit {
    /// Records a blank circuit and derives its layout.
    ///
    /// # Errors
    /// As [`R1cs::record`].
    pub fn record(
        ledger: &Ledger,
        synthesize: impl FnOnce(&mut Recorder) -> Result<(), SynthesisError>,
    ) -> Result<Self, CircuitError> {
        Ok(Self::new(ledger, R1cs::record(synthesize)?))
    }

    /// Derives the layout of a recorded constraint system.
    pub fn new(ledger: &Ledger, r1cs: R1cs) -> Self {
        let layout = Arc::new(Layout::of(&r1cs));
        let bytes = r1cs.bytes() + layout.bytes();
        let entry = ledger.enter(&CIRCUIT, &RESIDENT, Place::Host, bytes, &Scope::default());
        Self { r1cs, layout, entry }
    }

    /// The constraint system.
    pub fn r1cs(&self) -> &R1cs {
        &self.r1cs
    }

    /// The layout of this circuit's witnesses.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Bytes counted for this circuit.
    pub fn bytes(&self) -> u64 {
        self.entry.bytes()
    }
}
