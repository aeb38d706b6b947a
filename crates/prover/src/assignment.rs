//! A witness sorted for the sums over a key's bases.

use blstrs::Scalar;
use cuzk_circuit::{Bitset, R1cs, Value, Witness};

use crate::msm::SparseSum;

/// The scalars that go with the key's `l`, `a` and `b` bases, in the order of the parameter file.
#[derive(Debug)]
pub(crate) struct Assignment {
    /// All auxiliary variables.
    pub(crate) l: SparseSum,
    /// All inputs, then the auxiliary variables that occur in A.
    pub(crate) a: SparseSum,
    /// The inputs, then the auxiliary variables that occur in B.
    pub(crate) b: SparseSum,
}

impl Assignment {
    /// Tells zeros, ones and other scalars apart, once for every sum.
    pub(crate) fn of(r1cs: &R1cs, witness: &Witness) -> Self {
        let densities = r1cs.densities();
        let others = witness.scalars().iter().filter(|scalar| Value::Scalar(scalar).to_bit().is_none()).count();
        let mut l = SparseSum::with_capacity(r1cs.aux(), others);
        let mut a = SparseSum::with_capacity(densities.a_len(), 0);
        let mut b = SparseSum::with_capacity(densities.b_len(), 0);
        a.extend(witness.inputs());
        b.extend(members(&densities.b_inputs, witness.inputs()));
        for (aux, value) in witness.values().enumerate() {
            push(&mut l, value);
            if densities.a_aux.get(aux) {
                push(&mut a, value);
            }
            if densities.b_aux.get(aux) {
                push(&mut b, value);
            }
        }
        Self { l, a, b }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.l.bytes() + self.a.bytes() + self.b.bytes()
    }
}

fn push(sum: &mut SparseSum, value: Value<'_>) {
    match value {
        Value::Bit(bit) => sum.push_bit(bit),
        Value::Scalar(scalar) => sum.push(scalar),
    }
}

fn members<'a>(set: &'a Bitset, scalars: &'a [Scalar]) -> impl Iterator<Item = &'a Scalar> {
    set.iter_ones().map(|index| &scalars[index])
}
