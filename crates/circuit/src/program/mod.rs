//! Witness programs: what is left of a circuit once it is compiled.
//!
//! A program computes the variables of one body in a [`Frame`]: first the externals, copied in from where the circuit has
//! them, then the advice, then everything else by the program's steps. Bits and scalars are kept apart, each numbered in
//! the order of allocation, so that many bits are computed at a time.

mod frame;
mod rows;
mod run;
mod sum;
mod words;

pub(crate) use frame::Frame;
pub(crate) use rows::{CODES, CodedRun, GeneralRow, MAX_BITS, RowProgram};
pub(crate) use sum::{Constants, Operand, Sum, SumRef, Sums, Weighted, Word};
pub(crate) use words::{Strided, load, mask, store};

use serde::{Deserialize, Serialize};

/// The program of one body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Program {
    pub(crate) shape: FrameShape,
    pub(crate) steps: Vec<Step>,
    pub(crate) checks: Vec<Check>,
    pub(crate) sums: Sums,
    /// Where the advice goes, in the order of allocation.
    pub(crate) advice: Vec<Place>,
}

/// How many bits and scalars a frame has of each sort, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FrameShape {
    pub(crate) external_bits: u32,
    pub(crate) local_bits: u32,
    pub(crate) external_scalars: u32,
    /// Inputs included.
    pub(crate) local_scalars: u32,
    /// Values that are needed more than once, but are none of the circuit's variables.
    pub(crate) temporaries: u32,
}

/// Where a variable is in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Place {
    Bit(u32),
    Scalar(u32),
}

/// One step of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Step {
    /// Bits that are looked up.
    Lookup(LookupRun),
    /// Bits of a sum of bits.
    Add(Addition),
    /// `output = sum`.
    Linear { output: u32, sum: SumRef },
    /// `output = factor · a · b + rest`.
    Product { output: u32, a: Operand, b: Operand, rest: Operand, factor: u32 },
    /// Bits `skip` … `skip + count` of the canonical form of a scalar.
    Bits { value: Operand, skip: u8, count: u8, output: Strided },
}

/// Up to 64 bits, each looked up in the same table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LookupRun {
    pub(crate) table: u8,
    pub(crate) arity: u8,
    pub(crate) count: u8,
    pub(crate) output_stride: i8,
    pub(crate) input_strides: [i8; 3],
    pub(crate) output: u32,
    pub(crate) inputs: [u32; 3],
}

/// Bits `skip` … `skip + count` of `constant` plus some words; the sum is not negative and below 2^63.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Addition {
    pub(crate) constant: i64,
    pub(crate) first_word: u32,
    pub(crate) words: u16,
    pub(crate) skip: u8,
    pub(crate) count: u8,
    pub(crate) output: Strided,
}

/// A row that must hold: `a · b = c`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Check {
    /// Number of the row in its body.
    pub(crate) row: u32,
    pub(crate) a: Operand,
    pub(crate) b: Operand,
    pub(crate) c: Operand,
}

impl FrameShape {
    pub(crate) fn bits(&self) -> u32 {
        self.external_bits + self.local_bits
    }

    /// Externals and locals.
    pub(crate) fn scalars(&self) -> u32 {
        self.external_scalars + self.local_scalars
    }
}

impl Program {
    /// Gives back what the allocator gave too much of.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.steps.shrink_to_fit();
        self.checks.shrink_to_fit();
        self.advice.shrink_to_fit();
        self.sums.shrink_to_fit();
    }

    /// Bytes taken from the allocator.
    pub(crate) fn bytes(&self) -> u64 {
        let Self { steps, checks, advice, sums, .. } = self;
        capacity_bytes(steps) + capacity_bytes(checks) + capacity_bytes(advice) + sums.bytes()
    }
}

/// Bytes that a vector has taken from the allocator.
fn capacity_bytes<T>(vector: &Vec<T>) -> u64 {
    (vector.capacity() * size_of::<T>()) as u64
}
