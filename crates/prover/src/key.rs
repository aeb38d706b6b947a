//! Proving keys in memory.

use std::sync::Arc;

use blstrs::{G1Affine, G2Affine};
use cuzk_circuit::{Bitset, Circuit, LOADING, RESIDENT};
use cuzk_memory::{Class, Entry, Ledger, Place, Scope};

use crate::{
    VerifyingKey,
    params::{G1Section, ParamsError, ParamsLayout, Reader, Section},
    query::Query,
};

/// Proving keys.
pub static KEY: Class = Class::new("key");

/// A proving key in host memory, bound to the circuit that it belongs to; counted in the ledger while it lives.
#[derive(Debug)]
pub struct ProvingKey {
    circuit: Arc<Circuit>,
    vk: VerifyingKey,
    pub(crate) h: Vec<G1Affine>,
    pub(crate) l: Query<G1Affine>,
    pub(crate) a: Query<G1Affine>,
    pub(crate) b_g1: Query<G1Affine>,
    pub(crate) b_g2: Query<G2Affine>,
    entry: Entry,
}

impl ProvingKey {
    /// Reads the key from an opened parameter file, on the current rayon pool. Its counts are held against the circuit's
    /// before anything is allocated, and the ledger counts the whole key before the first point is read.
    ///
    /// # Errors
    /// When the file is damaged (every point is checked to be on its curve) or another circuit's.
    pub fn load(reader: &Reader, circuit: Arc<Circuit>, ledger: &Ledger) -> Result<Self, ParamsError> {
        reader.expect_layout(&ParamsLayout::of_circuit(circuit.counts()))?;
        let bytes = Self::bytes_for(&reader.header().layout);
        let mut entry = ledger.enter(&KEY, &RESIDENT, Place::Host, bytes, &Scope::default());
        let (layout, densities) = (circuit.layout().clone(), circuit.densities());
        let inputs = layout.inputs();
        let sets = [&densities.a_aux, &densities.b_inputs, &densities.b_aux].map(Bitset::bytes);
        let _densities = ledger.enter(&KEY, &LOADING, Place::Host, sets.iter().sum(), &Scope::default());
        let (no_input, every_input) = (Bitset::new(inputs), Bitset::full(inputs));
        let every_aux = Bitset::full(layout.aux());
        let (a_aux, b_inputs, b_aux) = (&densities.a_aux, &densities.b_inputs, &densities.b_aux);
        let (h, l, a, b_g1, b_g2) = (
            reader.g1(G1Section::H)?,
            Query::load(reader, Section::L, &layout, &no_input, &every_aux)?,
            Query::load(reader, Section::A, &layout, &every_input, a_aux)?,
            Query::load(reader, Section::BG1, &layout, b_inputs, b_aux)?,
            Query::load(reader, Section::BG2, &layout, b_inputs, b_aux)?,
        );
        let h_bytes = (h.capacity() * size_of::<G1Affine>()) as u64;
        entry.resize(h_bytes + l.bytes() + a.bytes() + b_g1.bytes() + b_g2.bytes());
        Ok(Self { vk: reader.header().vk.clone(), circuit, h, l, a, b_g1, b_g2, entry })
    }

    /// Bytes that a key of this layout takes in memory, within a few hundredths: missing bases may be padded.
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
