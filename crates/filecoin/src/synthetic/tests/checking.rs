//! A constraint system that evaluates every constraint as it comes and keeps none.

use bellperson::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;

/// Values of all variables so far, and the rows that did not hold.
pub(super) struct CheckingSystem {
    inputs: Vec<Scalar>,
    aux: Vec<Scalar>,
    rows: usize,
    unsatisfied: Vec<usize>,
}

impl CheckingSystem {
    /// The values of the public inputs, without the constant one.
    pub(super) fn inputs(&self) -> &[Scalar] {
        &self.inputs[1..]
    }

    /// The rows that did not hold, in order.
    pub(super) fn unsatisfied(&self) -> &[usize] {
        &self.unsatisfied
    }

    fn evaluate(&self, build: impl FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>) -> Scalar {
        build(LinearCombination::zero())
            .iter()
            .map(|(variable, coefficient)| {
                *coefficient
                    * match variable.get_unchecked() {
                        Index::Input(index) => self.inputs[index],
                        Index::Aux(index) => self.aux[index],
                    }
            })
            .sum()
    }
}

impl ConstraintSystem<Scalar> for CheckingSystem {
    type Root = Self;

    fn new() -> Self {
        Self { inputs: vec![Scalar::from(1)], aux: Vec::new(), rows: 0, unsatisfied: Vec::new() }
    }

    fn alloc<F, A, AR>(&mut self, _name: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux.push(value()?);
        Ok(Variable::new_unchecked(Index::Aux(self.aux.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _name: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs.push(value()?);
        Ok(Variable::new_unchecked(Index::Input(self.inputs.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _name: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        if self.evaluate(a) * self.evaluate(b) != self.evaluate(c) {
            self.unsatisfied.push(self.rows);
        }
        self.rows += 1;
    }

    fn push_namespace<NR, N>(&mut self, _name: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self {
        self
    }
}
