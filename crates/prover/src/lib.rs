//! Groth16 over BLS12-381.
//!
//! Owns the kernels (domains and FFTs, MSMs, subset sums, fixed-base multiplication), parameter files (reading,
//! checking, and generating for development), proving keys, the [`Backend`] trait with its CPU implementation
//! [`CpuBackend`], and verification against a key's own verifying key. Everything large is counted in the ledger.
//!
//! It does not know where a witness came from, nor which circuit proves what.

pub mod arith;
mod backend;
mod cpu;
pub mod fft;
pub mod fixed_base;
pub mod generate;
mod key;
pub mod msm;
pub mod params;
mod proof;
mod query;
pub mod quotient;
mod vk;

pub use backend::{Backend, EVALUATIONS, MSM_SCRATCH, PROVING, Pending, ProveError, QUOTIENT};
pub use cpu::CpuBackend;
pub use key::{KEY, ProvingKey};
pub use proof::{Proof, ProofDecodeError};
pub use vk::{VerifyError, VerifyingKey, VerifyingKeyError};
