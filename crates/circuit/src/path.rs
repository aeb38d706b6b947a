//! The name of a constraint.

use bellperson::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;

use crate::Witness;

/// The path of constraint `row`: the namespaces it stands in and its own annotation, joined by `/`.
///
/// Paths are not recorded (there are millions, and nobody reads them as long as all is well). They are found by
/// synthesising the blank circuit once more. `None` when it has no such row or its synthesis fails before it.
pub fn constraint_path(
    row: usize,
    synthesize: impl FnOnce(&mut PathFinder<'_>) -> Result<(), SynthesisError>,
) -> Option<String> {
    PathFinder::search(Wanted::Row(row), synthesize).map(|(_, path)| path)
}

/// The first constraint that a witness does not satisfy, and its path. Found like the path of a row, every row being
/// multiplied out on the way: slow, and independent of how circuits are compiled.
pub fn find_unsatisfied(
    witness: &Witness,
    synthesize: impl FnOnce(&mut PathFinder<'_>) -> Result<(), SynthesisError>,
) -> Option<(usize, String)> {
    PathFinder::search(Wanted::Broken(witness), synthesize)
}

/// Which row is looked for.
#[derive(Debug, Clone, Copy)]
enum Wanted<'a> {
    Row(usize),
    Broken(&'a Witness),
}

/// A `bellperson::ConstraintSystem` that follows namespaces until it has seen one row.
#[derive(Debug)]
pub struct PathFinder<'a> {
    wanted: Option<Wanted<'a>>,
    rows: usize,
    inputs: usize,
    aux: usize,
    namespaces: Vec<String>,
    found: Option<(usize, String)>,
}

impl<'a> PathFinder<'a> {
    fn search(
        wanted: Wanted<'a>,
        synthesize: impl FnOnce(&mut PathFinder<'_>) -> Result<(), SynthesisError>,
    ) -> Option<(usize, String)> {
        let mut finder = PathFinder { wanted: Some(wanted), ..Self::new() };
        // A synthesis that fails after the row was seen has still named it.
        let _ = synthesize(&mut finder);
        finder.found
    }
}

fn value(witness: &Witness, terms: &LinearCombination<Scalar>) -> Scalar {
    let value = |variable: Variable| match variable.get_unchecked() {
        Index::Input(index) => witness.inputs().get(index).copied().unwrap_or_default(),
        Index::Aux(index) if index < witness.layout().aux() => witness.value(index).to_scalar(),
        // A witness of another circuit lacks it.
        Index::Aux(_) => Scalar::default(),
    };
    terms.iter().map(|(variable, coefficient)| value(variable) * coefficient).sum()
}

impl ConstraintSystem<Scalar> for PathFinder<'_> {
    type Root = Self;

    fn new() -> Self {
        Self { wanted: None, rows: 0, inputs: 0, aux: 0, namespaces: Vec::new(), found: None }
    }

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        if self.found.is_some() {
            // Any error ends the synthesis, and this one is not looked at.
            return Err(SynthesisError::AssignmentMissing);
        }
        self.aux += 1;
        Ok(Variable::new_unchecked(Index::Aux(self.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs += 1;
        // Input 0 is the constant ONE.
        Ok(Variable::new_unchecked(Index::Input(self.inputs)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, annotation: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        if self.found.is_none() {
            let is_wanted = match self.wanted {
                None => false,
                Some(Wanted::Row(wanted)) => self.rows == wanted,
                Some(Wanted::Broken(witness)) => {
                    let zero = LinearCombination::zero;
                    value(witness, &a(zero())) * value(witness, &b(zero())) != value(witness, &c(zero()))
                }
            };
            if is_wanted {
                let mut names = self.namespaces.clone();
                names.push(annotation().into());
                self.found = Some((self.rows, names.join("/")));
            }
        }
        self.rows += 1;
    }

    fn push_namespace<NR, N>(&mut self, name: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        // Once the row was seen, names no longer matter, but pushes and pops must still match.
        self.namespaces.push(if self.found.is_none() { name().into() } else { String::new() });
    }

    fn pop_namespace(&mut self) {
        self.namespaces.pop();
    }

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}
