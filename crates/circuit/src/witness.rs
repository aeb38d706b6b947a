//! The packed assignment of one partition.

use std::sync::Arc;

use blstrs::Scalar;
use cuzk_memory::{Class, Entry, Stage};

use crate::{Bitset, Layout, layout::Slot};

/// Witnesses.
pub static WITNESS: Class = Class::new("witness");
/// A witness whose values are being computed.
pub static SOLVING: Stage = Stage::new("solving");

/// Values for every variable of a circuit: inputs as scalars, auxiliary variables packed by their [`Layout`].
#[derive(Debug)]
pub struct Witness {
    pub(crate) layout: Arc<Layout>,
    pub(crate) inputs: Vec<Scalar>,
    pub(crate) bits: Bitset,
    pub(crate) scalars: Vec<Scalar>,
    pub(crate) entry: Entry,
}

/// The value of an auxiliary variable in its stored form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// A bit of the layout.
    Bit(bool),
    /// A scalar of the layout; it may still be 0 or 1.
    Scalar(&'a Scalar),
}

impl Witness {
    /// Bytes that a witness of this layout takes: known before it is made.
    pub fn bytes_for(layout: &Layout) -> u64 {
        let scalars = (layout.inputs() + layout.scalars()) * size_of::<Scalar>();
        (scalars + layout.bits().div_ceil(64) * size_of::<u64>()) as u64
    }

    /// The inputs, ONE first.
    pub fn inputs(&self) -> &[Scalar] {
        &self.inputs
    }

    /// The layout that says which auxiliary variables are bits.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// The bits, by boolean rank.
    pub fn bits(&self) -> &Bitset {
        &self.bits
    }

    /// The scalars, by scalar rank.
    pub fn scalars(&self) -> &[Scalar] {
        &self.scalars
    }

    /// The value of auxiliary variable `aux`.
    ///
    /// # Panics
    /// When the circuit has no such variable.
    pub fn value(&self, aux: usize) -> Value<'_> {
        match self.layout.slot(aux) {
            Slot::Bit(rank) => Value::Bit(self.bits.get(rank)),
            Slot::Scalar(rank) => Value::Scalar(&self.scalars[rank]),
        }
    }

    /// The values of all auxiliary variables in allocation order.
    pub fn values(&self) -> impl Iterator<Item = Value<'_>> {
        let (mut bit, mut scalar) = (0, 0);
        self.layout.iter().map(move |is_bit| {
            if is_bit {
                bit += 1;
                Value::Bit(self.bits.get(bit - 1))
            } else {
                scalar += 1;
                Value::Scalar(&self.scalars[scalar - 1])
            }
        })
    }

    /// The plain assignment of the auxiliary variables: 32 bytes each. For oracles and small circuits.
    pub fn expand(&self) -> Vec<Scalar> {
        self.values().map(|value| value.to_scalar()).collect()
    }

    /// Moves the witness on to `stage` of the pipeline.
    pub fn move_to(&mut self, stage: &'static Stage) {
        self.entry.move_to(stage);
    }

    /// Bytes counted for this witness.
    pub fn bytes(&self) -> u64 {
        self.entry.bytes()
    }

    /// The ledger entry: whoever makes further buffers for this partition counts them in the same ledger and scope.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }
}

impl Value<'_> {
    /// The value as a scalar.
    pub fn to_scalar(self) -> Scalar {
        match self {
            Self::Bit(bit) => Scalar::from(u64::from(bit)),
            Self::Scalar(scalar) => *scalar,
        }
    }
}
