//! Holding a solved witness against the gadgets' own values, one by one.

use bellperson::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;

use crate::{CircuitError, Value, Witness};

/// What came of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compared {
    /// Auxiliary variables whose values were computed by the gadgets.
    pub aux: usize,
    /// The first variable with another value: an auxiliary one, or an input.
    pub different: Option<Variable>,
}

impl Witness {
    /// Synthesises the circuit with values, and compares each with the witness's in passing: nothing is kept, so the
    /// largest circuits can be compared. Ends after `limit` auxiliary variables, if a limit is given.
    ///
    /// # Errors
    /// When the synthesis fails before the limit is reached, or when it ends with fewer variables than the witness has.
    pub fn compare(
        &self,
        limit: Option<usize>,
        synthesize: impl FnOnce(&mut Comparison<'_>) -> Result<(), SynthesisError>,
    ) -> Result<Compared, CircuitError> {
        let mut comparison = Comparison {
            expected: Expected(Box::new(self.values())),
            inputs: self.inputs(),
            seen_inputs: 1,
            aux: 0,
            limit: limit.unwrap_or(usize::MAX),
            different: None,
        };
        let result = synthesize(&mut comparison);
        let Comparison { seen_inputs, aux, limit, different, .. } = comparison;
        if aux < limit {
            result?;
            let counts =
                [("inputs", self.inputs().len(), seen_inputs), ("auxiliary variables", self.layout().aux(), aux)];
            if let Some((what, expected, found)) = counts.into_iter().find(|(_, expected, found)| expected != found) {
                return Err(CircuitError::WrongShape { what, expected, found });
            }
        }
        Ok(Compared { aux, different })
    }
}

/// A `bellperson::ConstraintSystem` that compares values and ignores constraints.
#[derive(Debug)]
pub struct Comparison<'a> {
    expected: Expected<'a>,
    inputs: &'a [Scalar],
    seen_inputs: usize,
    aux: usize,
    limit: usize,
    different: Option<Variable>,
}

/// The witness's values that are still to come.
struct Expected<'a>(Box<dyn Iterator<Item = Value<'a>> + Send + Sync + 'a>);

impl std::fmt::Debug for Expected<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Expected")
    }
}

impl Comparison<'_> {
    fn note(&mut self, variable: Variable, equal: bool) -> Variable {
        if !equal {
            self.different.get_or_insert(variable);
        }
        variable
    }
}

impl ConstraintSystem<Scalar> for Comparison<'_> {
    type Root = Self;

    fn new() -> Self {
        let expected = Expected(Box::new(std::iter::empty()));
        Self { expected, inputs: &[], seen_inputs: 0, aux: 0, limit: usize::MAX, different: None }
    }

    fn alloc<F, A, AR>(&mut self, _: A, f: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        if self.aux == self.limit {
            // Any error ends the synthesis, and this one is not looked at.
            return Err(SynthesisError::AssignmentMissing);
        }
        let value = f()?;
        let variable = Variable::new_unchecked(Index::Aux(self.aux));
        self.aux += 1;
        let equal = match self.expected.0.next() {
            Some(Value::Bit(bit)) => value == Scalar::from(u64::from(bit)),
            Some(Value::Scalar(scalar)) => value == *scalar,
            None => false,
        };
        Ok(self.note(variable, equal))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, f: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        let value = f()?;
        let equal = self.inputs.get(self.seen_inputs) == Some(&value);
        let variable = Variable::new_unchecked(Index::Input(self.seen_inputs));
        self.seen_inputs += 1;
        Ok(self.note(variable, equal))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, _: LA, _: LB, _: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}
