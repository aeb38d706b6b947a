//! Proving keys in memory.

use std::sync::Arc;

use blstrs::{G1Affine, G2Affine};
use cuzk_circuit::{Circuit, RESIDENT};
use cuzk_memory::{Class, Entry, Ledger, Place, Scope};

use crate::{
    VerifyingKey,
    params::{G1Section, ParamsError, ParamsLayout, Reader, Section},
};

/// Proving keys.
pub static KEY: Class = Class::new("key");

/// A proving key in host memory, bound to the circuit that it belongs to; counted in the ledger while it lives.
#[derive(Debug)]
pub struct ProvingKey {
    circuit: Arc<Circuit>,
    vk: VerifyingKey,
    pub(crate) h: Vec<G1Affine>,
    pub(crate) l: Vec<G1Affine>,
    pub(crate) a: Vec<G1Affine>,
    pub(crate) b_g1: Vec<G1Affine>,
    pub(crate) b_g2: Vec<G2Affine>,
    entry: Entry,
}

impl ProvingKey {
    /// Reads the key from an opened parameter file, on the current rayon pool. Its counts are held against the circuit's
    /// before anything is allocated, and the ledger counts the whole key before the first point is read.
    ///
    /// # Errors
    /// When the file is damaged (every point is checked to be on its curve) or another circuit's.
    pub fn load(reader: &Reader, circuit: Arc<Circuit>, ledger: &Ledger) -> Result<Self, ParamsError> {
        reader.expect_layout(&ParamsLayout::of_circuit(circuit.r1cs()))?;
        let bytes = Self::bytes_for(&reader.header().layout);
        let entry = ledger.enter(&KEY, &RESIDENT, Place::Host, bytes, &Scope::default());
        Ok(Self {
            h: reader.g1(G1Section::H)?,
            l: reader.g1(G1Section::L)?,
            a: reader.g1(G1Section::A)?,
            b_g1: reader.g1(G1Section::BG1)?,
            b_g2: reader.g2()?,
            vk: reader.header().vk.clone(),
            circuit,
            entry,
        })
    }

    /// Bytes that a key of this layout takes in memory.
    pub fn bytes_for(layout: &ParamsLayout) -> u64 {
        // A point in memory is as large as in the file: two coordinates in Montgomery form.
        Section::QUERIES.iter().map(|section| layout.bytes(*section)).sum()
    }

    /// The circuit.
    pub fn circuit(&self) -> &Arc<Circuit> {
        &self.circuit
    }

    /// The verifying key.
    pub fn vk(&self) -> &VerifyingKey {
        &self.vk
    }

    /// Bytes counted for this key.
    pub fn bytes(&self) -> u64 {
        self.entry.bytes()
    }
}
