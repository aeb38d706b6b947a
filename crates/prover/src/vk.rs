//! The verifying key of a circuit: its encoding, its identity, and verification.

use std::{io, path::Path};

use blstrs::{Bls12, G1Affine, G2Affine, G2Prepared, Scalar};
use group::{Curve, Group};
use pairing::{MillerLoopResult, MultiMillerLoop};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::{
    Proof,
    msm::msm,
    params::{Existing, NewFile, ParamsError, Point, PointFault},
};

/// What a verifier needs to know of a circuit and its toxic waste (Groth 2016, section 3.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    /// `alpha · G1`.
    pub alpha_g1: G1Affine,
    /// `beta · G1`; provers only.
    pub beta_g1: G1Affine,
    /// `beta · G2`.
    pub beta_g2: G2Affine,
    /// `gamma · G2`.
    pub gamma_g2: G2Affine,
    /// `delta · G1`; provers only.
    pub delta_g1: G1Affine,
    /// `delta · G2`.
    pub delta_g2: G2Affine,
    /// `(beta·u_i(tau) + alpha·v_i(tau) + w_i(tau)) / gamma · G1` for every input `i`, the constant ONE first.
    pub ic: Vec<G1Affine>,
}

impl VerifyingKey {
    /// Bytes before the points of `ic`: three points of G1, three of G2, and the 32-bit number of inputs.
    pub(crate) const FIXED_BYTES: usize = 3 * G1Affine::BYTES + 3 * G2Affine::BYTES + 4;

    /// The encoding at the head of a parameter file, which is also a whole `.vk` file.
    ///
    /// Uncompressed big-endian points in the order of the fields, with `ic` behind its 32-bit big-endian length.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Self::FIXED_BYTES + self.ic.len() * G1Affine::BYTES);
        self.alpha_g1.encode(&mut bytes);
        self.beta_g1.encode(&mut bytes);
        self.beta_g2.encode(&mut bytes);
        self.gamma_g2.encode(&mut bytes);
        self.delta_g1.encode(&mut bytes);
        self.delta_g2.encode(&mut bytes);
        let inputs = u32::try_from(self.ic.len()).expect("a circuit's columns are counted in 32 bits");
        bytes.extend_from_slice(&inputs.to_be_bytes());
        for point in &self.ic {
            point.encode(&mut bytes);
        }
        bytes
    }

    /// Decodes a key that fills `bytes` exactly; every point must be finite and in its subgroup.
    ///
    /// # Errors
    /// [`VerifyingKeyError`] with the lengths, or with the field whose point is bad.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, VerifyingKeyError> {
        let expected = Self::encoded_len(bytes).unwrap_or(Self::FIXED_BYTES as u64);
        if bytes.len() as u64 != expected {
            return Err(VerifyingKeyError::Length { expected, found: bytes.len() as u64 });
        }
        let (fixed, ic) = bytes.split_at(Self::FIXED_BYTES);
        if ic.is_empty() {
            return Err(VerifyingKeyError::NoInputs);
        }
        let ic = ic
            .par_chunks_exact(G1Affine::BYTES)
            .enumerate()
            .map(|(index, bytes)| member("ic", Some(index), bytes))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            alpha_g1: member("alpha_g1", None, &fixed[..96])?,
            beta_g1: member("beta_g1", None, &fixed[96..192])?,
            beta_g2: member("beta_g2", None, &fixed[192..384])?,
            gamma_g2: member("gamma_g2", None, &fixed[384..576])?,
            delta_g1: member("delta_g1", None, &fixed[576..672])?,
            delta_g2: member("delta_g2", None, &fixed[672..864])?,
            ic,
        })
    }

    /// The length of the key that begins in `bytes`, from its number of inputs; `None` when that is not there yet.
    pub(crate) fn encoded_len(bytes: &[u8]) -> Option<u64> {
        let inputs = bytes.get(Self::FIXED_BYTES - 4..Self::FIXED_BYTES)?;
        let inputs = u32::from_be_bytes(inputs.try_into().expect("the range is four bytes"));
        Some(Self::FIXED_BYTES as u64 + u64::from(inputs) * G1Affine::BYTES as u64)
    }

    /// Reads a `.vk` file.
    ///
    /// # Errors
    /// [`ParamsError`] naming the file: unreadable, of the wrong length, or with a bad point.
    pub fn read(path: &Path) -> Result<Self, ParamsError> {
        // A key is at most some megabytes, and what follows the announced length is refused: read one byte more.
        let io_error = |source: io::Error| ParamsError::io(path, "read", source);
        let file = std::fs::File::open(path).map_err(|source| ParamsError::io(path, "open", source))?;
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut io::Read::take(&file, Self::FIXED_BYTES as u64), &mut bytes).map_err(io_error)?;
        let rest = Self::encoded_len(&bytes).map_or(0, |len| len - Self::FIXED_BYTES as u64 + 1);
        io::Read::read_to_end(&mut io::Read::take(&file, rest), &mut bytes).map_err(io_error)?;
        Self::from_bytes(&bytes).map_err(|source| ParamsError::VerifyingKey { path: path.to_owned(), source })
    }

    /// Writes the `.vk` file that the chain's API crate reads, atomically.
    ///
    /// # Errors
    /// [`ParamsError`] when the path is in the operators' directory, is occupied (see [`Existing`]), or cannot be
    /// written.
    pub fn write(&self, path: &Path, existing: Existing) -> Result<(), ParamsError> {
        let mut file = NewFile::create(path, existing)?;
        file.write_all(&self.to_bytes())?;
        file.commit()
    }

    /// The identity of the key: SHA-256 of its encoding. Two parameter files with one vk differ at most in damage.
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.to_bytes()).into()
    }

    /// Public inputs that a statement has, without the constant ONE.
    pub fn public_inputs(&self) -> usize {
        self.ic.len().saturating_sub(1)
    }

    /// Verifies a proof: `e(A, B) = e(alpha, beta) · e(ic[0] + Σ x_i·ic[i], gamma) · e(C, delta)`, as one product of
    /// four Miller loops and one final exponentiation.
    ///
    /// `public_inputs` are the `x_i` without the constant ONE; their sum runs on the caller's rayon pool.
    ///
    /// # Errors
    /// [`VerifyError::InputCount`] when the statement has another shape, [`VerifyError::Rejected`] when the proof
    /// does not prove it.
    pub fn verify(&self, proof: &Proof, public_inputs: &[Scalar]) -> Result<(), VerifyError> {
        if public_inputs.len() + 1 != self.ic.len() {
            return Err(VerifyError::InputCount { expected: self.public_inputs(), found: public_inputs.len() });
        }
        let statement = (msm(&self.ic[1..], public_inputs) + self.ic[0]).to_affine();
        let product = Bls12::multi_miller_loop(&[
            (&proof.a, &G2Prepared::from(proof.b)),
            (&-self.alpha_g1, &G2Prepared::from(self.beta_g2)),
            (&-statement, &G2Prepared::from(self.gamma_g2)),
            (&-proof.c, &G2Prepared::from(self.delta_g2)),
        ]);
        if bool::from(product.final_exponentiation().is_identity()) { Ok(()) } else { Err(VerifyError::Rejected) }
    }
}

fn member<P: Point>(field: &'static str, index: Option<usize>, bytes: &[u8]) -> Result<P, VerifyingKeyError> {
    let fault = match P::decode(bytes) {
        Ok(point) if point.in_subgroup() => return Ok(point),
        Ok(_) => PointFault::NotInSubgroup,
        Err(fault) => fault,
    };
    let field = index.map_or_else(|| field.to_owned(), |index| format!("{field}[{index}]"));
    Err(VerifyingKeyError::Point { field, fault })
}

/// Why some bytes are no verifying key.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum VerifyingKeyError {
    /// The length does not fit the number of inputs that the key announces.
    #[error("a verifying key with its number of inputs is {expected} bytes, found {found}")]
    Length {
        /// Bytes that the announced inputs need.
        expected: u64,
        /// Bytes given.
        found: u64,
    },
    /// The key announces no inputs, where even the constant ONE is one.
    #[error("the verifying key has no inputs, not even the constant ONE")]
    NoInputs,
    /// A point is not a finite member of its group.
    #[error("verifying key, {field}: {fault}")]
    Point {
        /// The field, with its index for `ic`.
        field: String,
        /// What is wrong with it.
        fault: PointFault,
    },
}

/// Why a proof does not verify.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum VerifyError {
    /// The statement has another number of public inputs than the circuit.
    #[error("the circuit has {expected} public inputs, the statement has {found}")]
    InputCount {
        /// Public inputs of the key's circuit, without ONE.
        expected: usize,
        /// Public inputs given.
        found: usize,
    },
    /// The pairing equation does not hold.
    #[error("the proof does not prove the statement under this key: the pairing equation does not hold")]
    Rejected,
}
