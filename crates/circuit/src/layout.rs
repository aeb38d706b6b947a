//! Which variables are bits.

use blstrs::Scalar;
use ff::Field;

use crate::{Bitset, R1cs};

/// Splits the auxiliary variables into bits and scalars and says where each is stored: bits by their rank among the
/// bits, scalars by their rank among the scalars, both in allocation order.
///
/// It is derived from the booleanity rows of the circuit: a variable whose only possible values are 0 and 1 by a
/// constraint of its own is a bit. Variables that merely happen to be 0 or 1 are scalars.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    boolean: Bitset,
    /// Number of bits before each word of `boolean`.
    ranks: Vec<u32>,
    bits: usize,
}

/// Where an auxiliary variable is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    Bit(usize),
    Scalar(usize),
}

impl Layout {
    /// Derives the layout from a circuit's booleanity rows.
    pub fn of(r1cs: &R1cs) -> Self {
        let mut boolean = Bitset::new(r1cs.aux());
        for row in 0..r1cs.constraints() {
            if let Some(aux) = booleanity(r1cs, row) {
                boolean.set(aux);
            }
        }
        Self::from_boolean(boolean)
    }

    fn from_boolean(boolean: Bitset) -> Self {
        let mut bits = 0;
        let count_before = |word: &u64| {
            let before = bits;
            bits += word.count_ones();
            before
        };
        let ranks = boolean.words().iter().map(count_before).collect();
        Self { boolean, ranks, bits: bits as usize }
    }

    /// Number of auxiliary variables.
    pub fn aux(&self) -> usize {
        self.boolean.len()
    }

    /// Number of bits among them.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// Number of scalars among them.
    pub fn scalars(&self) -> usize {
        self.aux() - self.bits
    }

    /// Which auxiliary variables are bits.
    pub fn boolean(&self) -> &Bitset {
        &self.boolean
    }

    /// Bytes that the layout has taken from the allocator.
    pub fn bytes(&self) -> u64 {
        self.boolean.bytes() + (self.ranks.capacity() * size_of::<u32>()) as u64
    }

    /// Where auxiliary variable `aux` is stored.
    pub(crate) fn slot(&self, aux: usize) -> Slot {
        let word = self.boolean.words()[aux / 64];
        let below = word & ((1u64 << (aux % 64)) - 1);
        let rank = self.ranks[aux / 64] as usize + below.count_ones() as usize;
        if word >> (aux % 64) & 1 == 1 { Slot::Bit(rank) } else { Slot::Scalar(aux - rank) }
    }
}

/// The auxiliary variable that `row` forces to be 0 or 1, if the row is a booleanity row.
///
/// Such a row reads `(a0 + a1·x)(b0 + b1·x) = 0` with `a1·b1 ≠ 0` and holds at x = 0 and at x = 1. A quadratic has no
/// more than two roots, so x can be nothing else.
pub(crate) fn booleanity(r1cs: &R1cs, row: usize) -> Option<usize> {
    if r1cs.c().row(row).len() != 0 {
        return None;
    }
    let (a_aux, a) = affine(r1cs, r1cs.a().row(row))?;
    let (b_aux, b) = affine(r1cs, r1cs.b().row(row))?;
    let vanishes_at = |x: Scalar| bool::from(((a.0 + a.1 * x) * (b.0 + b.1 * x)).is_zero());
    let aux = a_aux.filter(|_| a_aux == b_aux)?;
    (vanishes_at(Scalar::ZERO) && vanishes_at(Scalar::ONE)).then_some(aux)
}

/// Reads terms as `k0 + k1·x` with at most one auxiliary variable x.
fn affine(r1cs: &R1cs, terms: impl ExactSizeIterator<Item = (u32, u32)>) -> Option<(Option<usize>, (Scalar, Scalar))> {
    if terms.len() > 2 {
        return None;
    }
    let mut variable = None;
    let (mut constant, mut slope) = (Scalar::ZERO, Scalar::ZERO);
    for (column, coefficient) in terms {
        let coefficient = r1cs.coefficients()[coefficient as usize];
        if column == 0 {
            constant += coefficient;
            continue;
        }
        let aux = (column as usize).checked_sub(r1cs.inputs())?;
        if variable.is_some_and(|known| known != aux) {
            return None;
        }
        variable = Some(aux);
        slope += coefficient;
    }
    let variable = variable.filter(|_| !bool::from(slope.is_zero()));
    Some((variable, (constant, slope)))
}
