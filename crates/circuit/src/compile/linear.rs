//! Rows that are linear: `Σ coefficient · variable + constant = 0`.

use blstrs::Scalar;
use ff::Field;
use rustc_hash::FxHashMap;

use super::row::Row;
use crate::coefficients::Coefficients;

/// A linear equation `Σ terms + constant = 0`; the latest variable comes first, and no coefficient is zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Equation {
    pub(super) terms: Vec<(u32, Scalar)>,
    pub(super) constant: Scalar,
}

impl Equation {
    /// Reads a row as a linear equation; `None` where both A and B have variables.
    pub(super) fn of(row: Row<'_>, coefficients: &Coefficients) -> Option<Self> {
        let (a, b) = (row.constant(0, coefficients), row.constant(1, coefficients));
        // C - k·(the other side) = 0.
        let (side, factor) = match (a, b) {
            (Some(factor), _) => (1, factor),
            (None, Some(factor)) => (0, factor),
            (None, None) => return None,
        };
        let mut terms: FxHashMap<u32, Scalar> = FxHashMap::default();
        for (number, coefficient) in row.terms(2) {
            *terms.entry(number).or_default() += coefficients[coefficient];
        }
        for (number, coefficient) in row.terms(side) {
            *terms.entry(number).or_default() -= coefficients[coefficient] * factor;
        }
        let constant = terms.remove(&0).unwrap_or_default();
        let mut terms: Vec<_> = terms.into_iter().filter(|(_, value)| !bool::from(value.is_zero())).collect();
        terms.sort_unstable_by_key(|&(number, _)| std::cmp::Reverse(number));
        Some(Self { terms, constant })
    }

    /// Solves for the latest variable: `latest = Σ terms + constant`. `None` where no variable is left.
    pub(super) fn solved(&self) -> Option<(u32, Sum)> {
        let (&(latest, coefficient), others) = self.terms.split_first()?;
        // No coefficient is zero.
        let factor = -coefficient.invert().unwrap_or(Scalar::ZERO);
        let terms = others.iter().map(|(number, value)| (*number, value * factor)).collect();
        Some((latest, Sum { terms, constant: self.constant * factor }))
    }
}

/// A linear combination `Σ terms + constant`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Sum {
    pub(crate) terms: Vec<(u32, Scalar)>,
    pub(crate) constant: Scalar,
}
