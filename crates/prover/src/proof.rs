//! A Groth16 proof and its encoding on the wire.

use blstrs::{G1Affine, G2Affine};
use thiserror::Error;

use crate::params::{Point, PointFault};

/// A Groth16 proof over BLS12-381 (Groth 2016, section 3.2): `e(A, B) = e(alpha, beta) · e(IC(x), gamma) · e(C, delta)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// `A`, in G1.
    pub a: G1Affine,
    /// `B`, in G2.
    pub b: G2Affine,
    /// `C`, in G1.
    pub c: G1Affine,
}

impl Proof {
    /// Length of an encoded proof: `A` (48), `B` (96), `C` (48), each compressed and big-endian.
    pub const BYTES: usize = 192;

    /// The encoding that the chain's verifiers read.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..48].copy_from_slice(&self.a.to_compressed());
        bytes[48..144].copy_from_slice(&self.b.to_compressed());
        bytes[144..].copy_from_slice(&self.c.to_compressed());
        bytes
    }

    /// Decodes one proof, with every point checked to be a finite member of its prime-order group.
    ///
    /// # Errors
    /// [`ProofDecodeError::Length`] when `bytes` is not exactly one proof, [`ProofDecodeError::Point`] for the first
    /// element that is no such point.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ProofDecodeError> {
        if bytes.len() != Self::BYTES {
            return Err(ProofDecodeError::Length { expected: Self::BYTES, found: bytes.len() });
        }
        Ok(Self { a: element("A", &bytes[..48])?, b: element("B", &bytes[48..144])?, c: element("C", &bytes[144..])? })
    }
}

fn element<P: Point>(name: &'static str, bytes: &[u8]) -> Result<P, ProofDecodeError> {
    P::decode_compressed(bytes).map_err(|fault| ProofDecodeError::Point { element: name, fault })
}

/// Why some bytes are no proof.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ProofDecodeError {
    /// The bytes are not exactly one proof long.
    #[error("a proof is {expected} bytes, found {found}")]
    Length {
        /// Bytes in a proof.
        expected: usize,
        /// Bytes given.
        found: usize,
    },
    /// One of the three elements is not a point of its group.
    #[error("proof element {element}: {fault}")]
    Point {
        /// `A`, `B` or `C`.
        element: &'static str,
        /// What is wrong with it.
        fault: PointFault,
    },
}

#[cfg(test)]
mod tests {
    use blstrs::{G1Projective, G2Projective, Scalar};
    use cuzk_testing::TimeLimit;
    use ff::Field;
    use group::{Curve, Group};
    use proptest::prelude::*;
    use rand::{SeedableRng, rngs::StdRng};

    use super::*;

    fn proof(seed: u64) -> Proof {
        let mut rng = StdRng::seed_from_u64(seed);
        Proof {
            a: (G1Projective::generator() * Scalar::random(&mut rng)).to_affine(),
            b: (G2Projective::generator() * Scalar::random(&mut rng)).to_affine(),
            c: (G1Projective::generator() * Scalar::random(&mut rng)).to_affine(),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn encoding_round_trips_and_equals_bellperson(seed: u64) {
            let _limit = TimeLimit::seconds(60);
            let proof = proof(seed);
            let bytes = proof.to_bytes();
            prop_assert_eq!(Proof::from_bytes(&bytes), Ok(proof));
            let mut theirs = Vec::new();
            bellperson::groth16::Proof::<blstrs::Bls12> { a: proof.a, b: proof.b, c: proof.c }.write(&mut theirs).unwrap();
            prop_assert_eq!(&bytes[..], &theirs[..]);
        }

        #[test]
        fn a_changed_byte_never_decodes_to_the_same_proof(seed: u64, at in 0..Proof::BYTES, flip in 1u8..) {
            let _limit = TimeLimit::seconds(60);
            let proof = proof(seed);
            let mut bytes = proof.to_bytes();
            bytes[at] ^= flip;
            prop_assert_ne!(Proof::from_bytes(&bytes), Ok(proof));
        }
    }

    #[test]
    fn bad_encodings_name_the_element_and_the_fault() {
        let _limit = TimeLimit::seconds(60);
        let good = proof(1).to_bytes();
        let fault_after = |at: usize, bytes: &[u8]| {
            let mut bad = good;
            bad[at..at + bytes.len()].copy_from_slice(bytes);
            Proof::from_bytes(&bad).unwrap_err()
        };
        let infinity = |len: usize| [&[0xc0][..], &vec![0; len - 1]].concat();
        let point = |element, fault| ProofDecodeError::Point { element, fault };

        assert_eq!(Proof::from_bytes(&good[1..]), Err(ProofDecodeError::Length { expected: 192, found: 191 }));
        assert_eq!(Proof::from_bytes(&[0; 193]), Err(ProofDecodeError::Length { expected: 192, found: 193 }));
        assert_eq!(fault_after(0, &infinity(48)), point("A", PointFault::Infinity));
        assert_eq!(fault_after(48, &infinity(96)), point("B", PointFault::Infinity));
        assert_eq!(fault_after(144, &infinity(48)), point("C", PointFault::Infinity));
        assert_eq!(fault_after(0, &[good[0] & 0x7f]), point("A", PointFault::Flags { found: good[0] & 0xe0 & 0x7f }));
        assert_eq!(fault_after(48, &[0x9f, 0xff]), point("B", PointFault::Coordinate));
        assert_eq!(
            fault_after(144, &[0x9f, 0xff]).to_string(),
            "proof element C: a coordinate is not below the field modulus"
        );
    }

    /// The curve G1 lies on has points outside the prime-order group: a proof made of one must not decode.
    #[test]
    fn a_point_outside_the_subgroup_is_refused() {
        let _limit = TimeLimit::seconds(60);
        let mut bytes = proof(2).to_bytes();
        let stray = (1u8..)
            .map(|x| {
                let mut encoded = [0u8; 48];
                encoded[0] = 0x80;
                encoded[47] = x;
                encoded
            })
            .find(|encoded| bool::from(G1Affine::from_compressed_unchecked(encoded).is_some()))
            .expect("half of all x coordinates are on the curve");
        bytes[..48].copy_from_slice(&stray);
        let expected = ProofDecodeError::Point { element: "A", fault: PointFault::NotInSubgroup };
        assert_eq!(Proof::from_bytes(&bytes), Err(expected));
    }
}
