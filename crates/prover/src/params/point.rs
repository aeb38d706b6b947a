//! Points as parameter files and proofs encode them: big-endian, the three top bits of the first byte are flags.
//!
//! The flags are those of the Zcash encoding of BLS12-381: bit 7 compressed, bit 6 infinity, bit 5 the sign of y
//! (compressed form only).

use blstrs::{G1Affine, G2Affine, Scalar};
use group::prime::{PrimeCurve, PrimeCurveAffine};
use thiserror::Error;

/// The modulus of the base field, big-endian.
const MODULUS: [u8; 48] = [
    0x1a, 0x01, 0x11, 0xea, 0x39, 0x7f, 0xe6, 0x9a, 0x4b, 0x1b, 0xa7, 0xb6, 0x43, 0x4b, 0xac, 0xd7, 0x64, 0x77, 0x4b,
    0x84, 0xf3, 0x85, 0x12, 0xbf, 0x67, 0x30, 0xd2, 0xa0, 0xf6, 0xb0, 0xf6, 0x24, 0x1e, 0xab, 0xff, 0xfe, 0xb1, 0x53,
    0xff, 0xff, 0xb9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xaa, 0xab,
];

const COMPRESSED: u8 = 0x80;
const INFINITY: u8 = 0x40;
const FLAGS: u8 = 0xe0;

/// What is wrong with an encoded point.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum PointFault {
    /// The flag bits do not fit the encoding that is expected here.
    #[error("the flag bits {found:#04x} do not belong to this encoding")]
    Flags {
        /// The three top bits of the first byte, in place.
        found: u8,
    },
    /// The point at infinity, which no key and no proof may hold.
    #[error("it is the point at infinity")]
    Infinity,
    /// A coordinate is not a canonical field element.
    #[error("a coordinate is not below the field modulus")]
    Coordinate,
    /// The coordinates do not satisfy the curve equation, or x is 0, where no member of the group lies.
    #[error("it is not on the curve")]
    NotOnCurve,
    /// On the curve, but not in its subgroup of prime order.
    #[error("it is on the curve but not in the subgroup of prime order")]
    NotInSubgroup,
}

/// A point of G1 or G2 with its encodings.
pub trait Point: PrimeCurveAffine<Scalar = Scalar, Curve: PrimeCurve<Affine = Self>> + Send + Sync {
    /// Bytes of the uncompressed encoding.
    const BYTES: usize;

    /// Reads an uncompressed point that must be finite and on the curve; its subgroup is not looked at.
    ///
    /// # Errors
    /// What is wrong with the point.
    ///
    /// # Panics
    /// When `bytes` is not [`Self::BYTES`] long.
    fn decode(bytes: &[u8]) -> Result<Self, PointFault>;

    /// Reads a compressed point that must be finite and in the subgroup of prime order.
    ///
    /// # Errors
    /// What is wrong with the point.
    ///
    /// # Panics
    /// When `bytes` is not half of [`Self::BYTES`] long.
    fn decode_compressed(bytes: &[u8]) -> Result<Self, PointFault>;

    /// Appends the uncompressed encoding.
    fn encode(&self, out: &mut Vec<u8>);

    /// Whether the point is in the subgroup of prime order.
    fn in_subgroup(&self) -> bool;
}

macro_rules! point {
    ($affine:ty, $bytes:expr) => {
        impl Point for $affine {
            const BYTES: usize = $bytes;

            fn decode(bytes: &[u8]) -> Result<Self, PointFault> {
                let bytes: &[u8; $bytes] = bytes.try_into().expect("the caller passes one point");
                // blst reads a compressed point here when the flag says so, and takes infinity: neither is legal.
                if bytes[0] & FLAGS != 0 {
                    return Err(flag_fault(bytes));
                }
                // Despite its name the call checks that both coordinates are canonical and that the curve equation
                // holds; only the subgroup is unchecked. The tests hold it to that.
                Option::from(<$affine>::from_uncompressed_unchecked(bytes)).ok_or_else(|| coordinate_fault(bytes))
            }

            fn decode_compressed(bytes: &[u8]) -> Result<Self, PointFault> {
                let bytes: &[u8; $bytes / 2] = bytes.try_into().expect("the caller passes one point");
                if bytes[0] & (COMPRESSED | INFINITY) != COMPRESSED {
                    let infinity = bytes[0] == COMPRESSED | INFINITY && bytes[1..].iter().all(|byte| *byte == 0);
                    return Err(if infinity {
                        PointFault::Infinity
                    } else {
                        PointFault::Flags { found: bytes[0] & FLAGS }
                    });
                }
                let point: Self =
                    Option::from(<$affine>::from_compressed_unchecked(bytes)).ok_or_else(|| coordinate_fault(bytes))?;
                if point.in_subgroup() { Ok(point) } else { Err(PointFault::NotInSubgroup) }
            }

            fn encode(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_uncompressed());
            }

            fn in_subgroup(&self) -> bool {
                self.is_torsion_free().into()
            }
        }
    };
}

point!(G1Affine, 96);
point!(G2Affine, 192);

#[cold]
fn flag_fault(bytes: &[u8]) -> PointFault {
    if bytes[0] == INFINITY && bytes[1..].iter().all(|byte| *byte == 0) {
        PointFault::Infinity
    } else {
        PointFault::Flags { found: bytes[0] & FLAGS }
    }
}

/// Why blst refused a point whose flags are in order.
#[cold]
fn coordinate_fault(bytes: &[u8]) -> PointFault {
    let canonical = |(index, coordinate): (usize, &[u8])| {
        let mut value = [0u8; 48];
        value.copy_from_slice(coordinate);
        if index == 0 {
            value[0] &= !FLAGS;
        }
        value < MODULUS
    };
    if !bytes.chunks_exact(48).enumerate().all(canonical) {
        return PointFault::Coordinate;
    }
    PointFault::NotOnCurve
}

#[cfg(test)]
mod tests {
    use cuzk_testing::TimeLimit;
    use ff::Field;
    use group::{Curve, Group, GroupEncoding};
    use proptest::prelude::*;
    use rand::{SeedableRng, rngs::StdRng};

    use super::*;

    fn encoded<P: Point>(seed: u64) -> Vec<u8> {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut bytes = Vec::new();
        (P::Curve::generator() * Scalar::random(&mut rng)).to_affine().encode(&mut bytes);
        bytes
    }

    fn round_trip<P: Point>(seed: u64) {
        let bytes = encoded::<P>(seed);
        let mut again = Vec::new();
        P::decode(&bytes).unwrap().encode(&mut again);
        assert_eq!(bytes, again);
    }

    fn faults<P: Point>(seed: u64) {
        let good = encoded::<P>(seed);
        let with = |at: usize, value: u8| {
            let mut bytes = good.clone();
            bytes[at] = value;
            P::decode(&bytes).unwrap_err()
        };
        let last = P::BYTES - 1;
        assert_eq!(with(last, good[last] ^ 1), PointFault::NotOnCurve);
        assert_eq!(with(0, good[0] | 0x80), PointFault::Flags { found: 0x80 });
        assert_eq!(with(0, good[0] | 0x20), PointFault::Flags { found: 0x20 });
        assert_eq!(with(0, 0x1f), PointFault::Coordinate);
        assert_eq!(with(P::BYTES / 2, 0xff), PointFault::Coordinate);
        let mut infinity = vec![0; P::BYTES];
        infinity[0] = 0x40;
        assert_eq!(P::decode(&infinity).unwrap_err(), PointFault::Infinity);
        // A compressed point followed by anything is what blst alone would take.
        let mut compressed = vec![0u8; P::BYTES];
        let half = P::decode(&good).unwrap().to_curve().to_bytes();
        compressed[..P::BYTES / 2].copy_from_slice(half.as_ref());
        assert!(matches!(P::decode(&compressed).unwrap_err(), PointFault::Flags { .. }));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn uncompressed_round_trips(seed: u64) {
            let _limit = TimeLimit::seconds(60);
            round_trip::<G1Affine>(seed);
            round_trip::<G2Affine>(seed);
        }

        #[test]
        fn faults_are_told_apart(seed: u64) {
            let _limit = TimeLimit::seconds(60);
            faults::<G1Affine>(seed);
            faults::<G2Affine>(seed);
        }
    }

    /// `(0, 2)` satisfies the equation of G1 and has order 3.
    #[test]
    fn the_point_of_order_three_is_refused() {
        let _limit = TimeLimit::seconds(60);
        let mut bytes = [0u8; 96];
        bytes[95] = 2;
        assert_eq!(G1Affine::decode(&bytes), Err(PointFault::NotOnCurve));
    }
}
