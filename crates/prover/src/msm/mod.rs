//! Sums of scalar multiples of curve points, in G1 and G2.
//!
//! Two kinds, all exact for any input (repeated and opposite points, points at infinity, zero scalars, no terms):
//!
//! - [`msm`]: full scalars, by signed digits (`digits`) and buckets (`buckets`);
//! - [`subset_sum`]: scalars that are 0 or 1, given as a bit mask.
//!
//! All of them spend their time in batched affine additions (`pairs`). They run on the rayon pool that they are called
//! in (`pool.install(|| msm(..))`), use all of its threads, and say in advance how much memory they hold
//! ([`scratch_bytes`]).
//! [`naive`] is the oracle that the tests hold them against.

mod buckets;
mod digits;
pub mod naive;
mod pairs;
mod pippenger;
#[cfg(test)]
pub(crate) mod samples;
mod subset;
mod tasks;

pub use pippenger::{exponents_scratch_bytes, msm, msm_exponents, scratch_bytes};
pub use subset::subset_sum;

pub(crate) use digits::Window;
pub(crate) use pairs::PairAdder;
pub(crate) use subset::subset_bytes;
