//! The values that a program works on.

use blstrs::Scalar;
use ff::Field;

use super::{FrameShape, Place};

/// Words that are read beyond the last bit.
const PADDING: usize = 3;

/// The variables of one body in one place of the circuit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frame {
    pub(crate) bits: Vec<u64>,
    pub(crate) scalars: Vec<Scalar>,
}

impl Frame {
    /// Makes the frame one of this shape, with all bits zero. Scalars are not touched.
    pub(crate) fn reset(&mut self, shape: &FrameShape) {
        self.bits.clear();
        self.bits.resize((shape.bits() as usize).div_ceil(64) + PADDING, 0);
        self.scalars.resize((shape.scalars() + shape.temporaries) as usize, Scalar::ZERO);
    }

    /// Bytes of a frame of this shape.
    pub(crate) fn bytes(shape: &FrameShape) -> u64 {
        let words = (shape.bits() as usize).div_ceil(64) + PADDING;
        let scalars = (shape.scalars() + shape.temporaries) as usize;
        (words * size_of::<u64>() + scalars * size_of::<Scalar>()) as u64
    }

    pub(crate) fn bit(&self, position: u32) -> bool {
        self.bits[position as usize / 64] >> (position % 64) & 1 == 1
    }

    /// Sets a bit that is zero.
    pub(crate) fn set_bit(&mut self, position: u32, value: bool) {
        self.bits[position as usize / 64] |= u64::from(value) << (position % 64);
    }

    pub(crate) fn value(&self, place: Place) -> Scalar {
        match place {
            Place::Bit(position) => Scalar::from(u64::from(self.bit(position))),
            Place::Scalar(slot) => self.scalars[slot as usize],
        }
    }
}
