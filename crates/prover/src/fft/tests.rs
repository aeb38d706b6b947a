use proptest::prelude::*;
use rand::{SeedableRng, rngs::StdRng};

use super::*;

fn random(seed: u64, len: usize) -> Vec<Scalar> {
    let mut random = StdRng::seed_from_u64(seed);
    (0..len).map(|_| Scalar::random(&mut random)).collect()
}

/// The value of the polynomial at `x`, by Horner's rule: the oracle.
fn value(coefficients: &[Scalar], x: Scalar) -> Scalar {
    coefficients.iter().rev().fold(Scalar::ZERO, |value, coefficient| value * x + coefficient)
}

fn values_on(coefficients: &[Scalar], domain: &Domain, shift: Scalar) -> Vec<Scalar> {
    let points = std::iter::successors(Some(shift), |point| Some(*point * domain.root()));
    points.take(domain.size()).map(|point| value(coefficients, point)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn transforms_evaluate_and_interpolate(seed: u64, log2 in 0u32..8) {
        let _limit = cuzk_testing::TimeLimit::seconds(60);
        let domain = Domain::new(log2);
        let coefficients = random(seed, domain.size());
        let mut values = coefficients.clone();
        domain.fft(&mut values);
        prop_assert_eq!(&values, &values_on(&coefficients, &domain, Scalar::ONE));
        domain.ifft(&mut values);
        prop_assert_eq!(&values, &coefficients);
        domain.coset_fft(&mut values);
        prop_assert_eq!(&values, &values_on(&coefficients, &domain, domain.shift()));
        domain.coset_ifft(&mut values);
        prop_assert_eq!(&values, &coefficients);
    }
}

/// Large enough for the depth-first and the parallel paths; a few points are checked, and that the inverse undoes all.
#[test]
fn large_transforms_evaluate_at_the_points() {
    let _limit = cuzk_testing::TimeLimit::seconds(120);
    let domain = Domain::new(17);
    let coefficients = random(1, domain.size());
    let (mut plain, mut coset) = (coefficients.clone(), coefficients.clone());
    domain.fft(&mut plain);
    domain.coset_fft(&mut coset);
    for i in [0u64, 1, 2, 3, 77_777, (1 << 16) - 1, 1 << 16, (1 << 17) - 1] {
        let point = domain.root().pow_vartime([i]);
        assert_eq!(plain[i as usize], value(&coefficients, point), "point {i}");
        assert_eq!(coset[i as usize], value(&coefficients, point * domain.shift()), "point {i} of the coset");
    }
    domain.ifft(&mut plain);
    domain.coset_ifft(&mut coset);
    assert!(plain == coefficients && coset == coefficients);
}

#[test]
fn the_coset_consists_of_roots_of_minus_one() {
    let _limit = cuzk_testing::TimeLimit::seconds(10);
    for log2 in [0, 1, 10] {
        let domain = Domain::new(log2);
        let n = domain.size() as u64;
        assert_eq!(domain.root().pow_vartime([n]), Scalar::ONE);
        assert_eq!(domain.shift().pow_vartime([n]), -Scalar::ONE);
        assert_eq!(Domain::bytes(log2), 16 * n.max(2));
        assert_eq!(domain.size_inverse() * Scalar::from(n), Scalar::ONE);
    }
}

#[test]
fn mirrored_twiddles_are_negated_inverses() {
    let _limit = cuzk_testing::TimeLimit::seconds(10);
    let domain = Domain::new(8);
    for node in 1..domain.size() {
        assert_eq!(domain.twiddles.at(node).times(&domain.twiddles.at(mirror(node))), Fr::from(-Scalar::ONE));
    }
}
