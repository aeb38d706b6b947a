//! The toxic waste of development parameters: public, so that nobody can take them for real ones.

use blstrs::{G1Affine, G2Affine, Scalar};
use group::{Curve, prime::PrimeCurveAffine};
use sha2::{Digest, Sha256};

use crate::VerifyingKey;

/// The seed from which every value is derived, with the value's name appended.
pub const DEVELOPMENT_SEED: &str = "cuzk development parameters, version 1, not for production: ";

/// The secrets of a parameter generation. Whoever knows them can prove anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToxicWaste {
    /// Ties A to the key.
    pub alpha: Scalar,
    /// Ties B to the key.
    pub beta: Scalar,
    /// Divides the inputs' part off.
    pub gamma: Scalar,
    /// Divides the witness' part off.
    pub delta: Scalar,
    /// The point at which the circuit's polynomials are evaluated.
    pub tau: Scalar,
}

impl ToxicWaste {
    /// The published values: `SHA-256(DEVELOPMENT_SEED ‖ name)` as a little-endian number with the two top bits cleared,
    /// which puts it below the group order.
    pub fn development() -> Self {
        let value = |name: &str| {
            let mut bytes: [u8; 32] = Sha256::digest(format!("{DEVELOPMENT_SEED}{name}")).into();
            bytes[31] &= 0x3f;
            Option::<Scalar>::from(Scalar::from_bytes_le(&bytes)).expect("a number of 254 bits is below the order")
        };
        Self {
            alpha: value("alpha"),
            beta: value("beta"),
            gamma: value("gamma"),
            delta: value("delta"),
            tau: value("tau"),
        }
    }

    /// The part of a verifying key that does not depend on the circuit, over the standard generators.
    pub(super) fn fixed_points(&self) -> FixedPoints {
        let g1 = |scalar: Scalar| (G1Affine::generator() * scalar).to_affine();
        let g2 = |scalar: Scalar| (G2Affine::generator() * scalar).to_affine();
        FixedPoints {
            alpha_g1: g1(self.alpha),
            beta_g1: g1(self.beta),
            beta_g2: g2(self.beta),
            gamma_g2: g2(self.gamma),
            delta_g1: g1(self.delta),
            delta_g2: g2(self.delta),
        }
    }
}

/// The fields of a verifying key but `ic`.
pub(super) struct FixedPoints {
    alpha_g1: G1Affine,
    beta_g1: G1Affine,
    beta_g2: G2Affine,
    gamma_g2: G2Affine,
    delta_g1: G1Affine,
    delta_g2: G2Affine,
}

impl FixedPoints {
    /// The verifying key of a circuit.
    pub(super) fn with(self, ic: Vec<G1Affine>) -> VerifyingKey {
        let Self { alpha_g1, beta_g1, beta_g2, gamma_g2, delta_g1, delta_g2 } = self;
        VerifyingKey { alpha_g1, beta_g1, beta_g2, gamma_g2, delta_g1, delta_g2, ic }
    }
}

/// Whether a key was made from the published toxic waste, so that its proofs convince nobody.
///
/// It is told by the points that do not depend on the circuit; names and places of files do not matter.
pub fn is_development(vk: &VerifyingKey) -> bool {
    ToxicWaste::development().fixed_points().with(vk.ic.clone()) == *vk
}

#[cfg(test)]
mod tests {
    use cuzk_testing::TimeLimit;
    use ff::{Field, PrimeField};

    use super::*;

    #[test]
    fn the_values_are_distinct_and_tau_is_outside_every_domain() {
        let _limit = TimeLimit::seconds(10);
        let ToxicWaste { alpha, beta, gamma, delta, tau } = ToxicWaste::development();
        let values = [alpha, beta, gamma, delta, tau];
        for (index, value) in values.iter().enumerate() {
            assert!(!bool::from(value.is_zero()));
            assert!(!values[..index].contains(value));
        }
        // The domains are subgroups of the one of order 2^32, whose members this would be one for.
        assert_ne!(tau.pow_vartime([1u64 << Scalar::S]), Scalar::ONE);
    }

    #[test]
    fn a_key_is_development_only_with_all_six_points() {
        let _limit = TimeLimit::seconds(30);
        let ic = vec![G1Affine::generator()];
        let good = ToxicWaste::development().fixed_points().with(ic);
        assert!(is_development(&good));
        let (g1, g2) = (G1Affine::generator(), G2Affine::generator());
        let changes: [fn(&mut VerifyingKey, G1Affine, G2Affine); 6] = [
            |vk, g1, _| vk.alpha_g1 = g1,
            |vk, g1, _| vk.beta_g1 = g1,
            |vk, _, g2| vk.beta_g2 = g2,
            |vk, _, g2| vk.gamma_g2 = g2,
            |vk, g1, _| vk.delta_g1 = g1,
            |vk, _, g2| vk.delta_g2 = g2,
        ];
        for change in changes {
            let mut vk = good.clone();
            change(&mut vk, g1, g2);
            assert!(!is_development(&vk));
        }
    }
}
