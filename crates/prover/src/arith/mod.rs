//! Field elements and curve points as the kernels see them: open limbs instead of opaque types.
//!
//! The kernels' public functions take the types of `blstrs`, which are `repr(transparent)` over those of `blst`, whose
//! limbs are public. This module is the one place that looks through that wrapping, so it is the only one in the crate
//! that may contain `unsafe`. What it adds to `blst`:
//!
//! - additions, subtractions and negations in portable Rust that inlines into the caller (2 ns instead of the 8 ns that a
//!   call across the language border costs); multiplications, squarings and inversions stay with blst's assembly;
//! - one [`Coordinate`] trait over Fp and Fp2, so that every curve kernel is written once for G1 and G2;
//! - [`Exponent`], a scalar in canonical form with its sign split off.

#![allow(unsafe_code)]

mod coordinate;
mod curve;
mod exponent;
mod fr;
mod limbs;
mod prefetch;

pub use coordinate::Coordinate;
pub use curve::{Affine, CurveAffine};
pub use exponent::Exponent;
pub(crate) use fr::{Fr, elements_mut};
pub(crate) use prefetch::prefetch;
