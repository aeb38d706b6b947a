//! The name of a constraint.

use bellperson::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;

/// The path of constraint `row`: the namespaces it stands in and its own annotation, joined by `/`.
///
/// Paths are not recorded (there are millions, and nobody reads them as long as all is well). They are found by
/// synthesising the blank circuit once more. `None` when it has no such row or its synthesis fails before it.
pub fn constraint_path(
    row: usize,
    synthesize: impl FnOnce(&mut PathFinder) -> Result<(), SynthesisError>,
) -> Option<String> {
    let mut finder = PathFinder { row, ..PathFinder::default() };
    // A synthesis that fails after the row was seen has still named it.
    let _ = synthesize(&mut finder);
    finder.path
}

/// A `bellperson::ConstraintSystem` that follows namespaces until it has seen one row.
#[derive(Debug, Default)]
pub struct PathFinder {
    row: usize,
    rows: usize,
    inputs: usize,
    aux: usize,
    namespaces: Vec<String>,
    path: Option<String>,
}

impl ConstraintSystem<Scalar> for PathFinder {
    type Root = Self;

    fn new() -> Self {
        Self::default()
    }

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
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

    fn enforce<A, AR, LA, LB, LC>(&mut self, annotation: A, _: LA, _: LB, _: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        if self.rows == self.row {
            let mut names = self.namespaces.clone();
            names.push(annotation().into());
            self.path = Some(names.join("/"));
        }
        self.rows += 1;
    }

    fn push_namespace<NR, N>(&mut self, name: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        // Once the row was seen, names no longer matter, but pushes and pops must still match.
        self.namespaces.push(if self.path.is_none() { name().into() } else { String::new() });
    }

    fn pop_namespace(&mut self) {
        self.namespaces.pop();
    }

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}
