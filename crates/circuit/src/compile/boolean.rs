//! Rule: a variable is a bit because a row says so.

use blstrs::Scalar;
use ff::{Field, PrimeField};
use rustc_hash::FxHashMap;

use super::row::Small;
use crate::coefficients::Coefficients;

/// What a row that is quadratic in its latest variable says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Forced {
    /// It may be something else than 0 or 1.
    No,
    /// It is 0 or 1.
    ToBit,
    /// It is 0 or 1, and for some values of the others it can be only one of them.
    ToBitAndMore,
}

/// Rows that are quadratic in their latest variable `x`, by shape.
#[derive(Debug, Default)]
pub(super) struct Booleanity {
    known: FxHashMap<Vec<u32>, Forced>,
    key: Vec<u32>,
}

impl Booleanity {
    /// Whether the row forces the variable at place `x` to be 0 or 1, all its others being bits.
    ///
    /// For any values of the others the row is a polynomial `λx² + βx + γ = 0`. If `λ ≠ 0`, it has no more than two roots,
    /// and it has none but 0 and 1 exactly if it is a multiple of `x(x - 1)`, `x²` or `(x - 1)²`. The last two come from
    /// conditional forms such as `(1 - m - x)·x = 0`, where the bit `m` forbids a one.
    pub(super) fn of(&mut self, small: &Small, x: usize, coefficients: &Coefficients) -> Forced {
        self.key.clear();
        self.key.extend_from_slice(&small.shape);
        self.key.push(x as u32);
        if let Some(&known) = self.known.get(&self.key) {
            return known;
        }
        let others = small.variables.len() - 1;
        let mut forced = Forced::ToBit;
        for assignment in 0..1u64 << others {
            let value = |value_of_x: u64| {
                small.residue(coefficients, |place| match place {
                    place if place == x => value_of_x,
                    place => assignment >> (if place > x { place - 1 } else { place }) & 1,
                })
            };
            match bits_as_roots([value(0), value(1), value(2)]) {
                Forced::No => {
                    forced = Forced::No;
                    break;
                }
                Forced::ToBit => {}
                Forced::ToBitAndMore => forced = Forced::ToBitAndMore,
            }
        }
        self.known.insert(self.key.clone(), forced);
        forced
    }
}

/// What the quadratic with these values at 0, 1 and 2 says of its roots.
fn bits_as_roots([at_0, at_1, at_2]: [Scalar; 3]) -> Forced {
    // λ = (f(0) - 2 f(1) + f(2)) / 2, β = f(1) - f(0) - λ.
    let lambda = (at_0 - at_1.double() + at_2) * Scalar::TWO_INV;
    let beta = at_1 - at_0 - lambda;
    let is_zero = |value: Scalar| bool::from(value.is_zero());
    if is_zero(lambda) {
        Forced::No
    } else if is_zero(at_0) && is_zero(at_1) {
        Forced::ToBit
    } else if (is_zero(at_0) && is_zero(beta)) || (is_zero(at_1) && beta == -lambda.double()) {
        Forced::ToBitAndMore
    } else {
        Forced::No
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuzk_testing::TimeLimit;

    #[test]
    fn quadratics_are_told_apart_by_their_roots() {
        let _limit = TimeLimit::seconds(10);
        let scalar = |value: i64| if value < 0 { -Scalar::from(-value as u64) } else { Scalar::from(value as u64) };
        let of = |roots: [i64; 2], lambda: i64| {
            bits_as_roots([0, 1, 2].map(|x| scalar(lambda) * scalar(x - roots[0]) * scalar(x - roots[1])))
        };
        assert_eq!(of([0, 1], 7), Forced::ToBit);
        assert_eq!(of([0, 0], 7), Forced::ToBitAndMore);
        assert_eq!(of([1, 1], -3), Forced::ToBitAndMore);
        for roots in [[0, 2], [1, 2], [-1, 0], [-1, 1], [3, 3]] {
            assert_eq!(of(roots, -5), Forced::No, "{roots:?}");
        }
        // Not quadratic: any x satisfies 0 = 0, and x - 1 = 0 is another rule's.
        assert_eq!(bits_as_roots([Scalar::ZERO; 3]), Forced::No);
        assert_eq!(bits_as_roots([scalar(-1), scalar(0), scalar(1)]), Forced::No);
    }
}
