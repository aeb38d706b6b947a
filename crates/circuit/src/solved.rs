//! A solved partition as it waits for a backend.

use std::sync::Arc;

use blstrs::Scalar;
use cuzk_memory::{Entry, Ledger, Place, Scope, Stage};

use crate::{Advice, Circuit, CircuitError, Layout, SOLVER_SCRATCH, SOLVING, WITNESS, Witness, solve::solve_inputs};

/// A witness larger than this does not wait, if what it follows from is small and nothing else is needed for it.
const LARGE_BYTES: u64 = 256 << 20;

/// A partition that was solved and checked: its witness, or the advice that the witness is solved from once more when a
/// backend consumes it.
///
/// Nearly all of a PoRep's witness is bits, 70 MB for a partition. A WindowPoSt's is scalars, 4 GB, and its
/// advice 54 MB.
#[derive(Debug)]
pub struct Solved(Form);

#[derive(Debug)]
enum Form {
    Witness(Witness),
    Deferred(Deferred),
}

/// A witness that was solved, checked and let go.
#[derive(Debug)]
struct Deferred {
    advice: Advice,
    inputs: Vec<Scalar>,
    layout: Arc<Layout>,
    entry: Entry,
}

impl Circuit {
    /// Computes a partition's variables from its advice as [`Witness::solve`] does, and keeps what is small: the witness or, if
    /// that is large and its parts are independent of each other, the advice. In this case no more than a part for each
    /// thread is in memory at a time.
    ///
    /// # Errors
    /// As [`Witness::solve`].
    pub fn solve(&self, advice: Advice, ledger: &Ledger, scope: &Scope) -> Result<Solved, CircuitError> {
        let bytes = Witness::bytes_for(self.layout());
        self.solve_in(advice, bytes > LARGE_BYTES && self.is_separable(), ledger, scope)
    }

    /// The same, deferred or not; only circuits of independent parts can be.
    fn solve_in(&self, advice: Advice, defer: bool, ledger: &Ledger, scope: &Scope) -> Result<Solved, CircuitError> {
        if !defer {
            let _advice = ledger.enter(&SOLVER_SCRATCH, &SOLVING, Place::Host, advice.bytes(), scope);
            return Witness::solve(self, &advice, ledger, scope).map(Solved::from);
        }
        let layout = self.layout().clone();
        let bytes = advice.bytes() + (layout.inputs() * size_of::<Scalar>()) as u64;
        let entry = ledger.enter(&WITNESS, &SOLVING, Place::Host, bytes, scope);
        // The entry counts the advice, which is the result.
        let inputs = solve_inputs(self, &advice, ledger, scope)?;
        Ok(Solved(Form::Deferred(Deferred { advice, inputs, layout, entry })))
    }

    /// Whether no part of the circuit refers to another.
    fn is_separable(&self) -> bool {
        self.stored.calls.iter().all(|call| call.externals.is_empty())
    }
}

impl Solved {
    /// The inputs, ONE first.
    pub fn inputs(&self) -> &[Scalar] {
        match &self.0 {
            Form::Witness(witness) => witness.inputs(),
            Form::Deferred(deferred) => &deferred.inputs,
        }
    }

    /// The layout of the witness.
    pub fn layout(&self) -> &Arc<Layout> {
        match &self.0 {
            Form::Witness(witness) => witness.layout(),
            Form::Deferred(deferred) => &deferred.layout,
        }
    }

    /// Bytes counted for it.
    pub fn bytes(&self) -> u64 {
        self.entry().bytes()
    }

    /// Moves it on to `stage` of the pipeline.
    pub fn move_to(&mut self, stage: &'static Stage) {
        match &mut self.0 {
            Form::Witness(witness) => witness.move_to(stage),
            Form::Deferred(deferred) => deferred.entry.move_to(stage),
        }
    }

    /// The witness. If it was let go, it is solved again, on the current rayon pool, and counted at `stage`.
    ///
    /// # Errors
    /// When the circuit is not the one that it was solved from.
    pub fn into_witness(self, circuit: &Circuit, stage: &'static Stage) -> Result<Witness, CircuitError> {
        let mut witness = match self.0 {
            Form::Witness(witness) => witness,
            Form::Deferred(Deferred { advice, entry, .. }) => {
                Witness::solve(circuit, &advice, entry.ledger(), entry.scope())?
            }
        };
        witness.move_to(stage);
        Ok(witness)
    }

    fn entry(&self) -> &Entry {
        match &self.0 {
            Form::Witness(witness) => witness.entry(),
            Form::Deferred(deferred) => &deferred.entry,
        }
    }
}

impl From<Witness> for Solved {
    fn from(witness: Witness) -> Self {
        Self(Form::Witness(witness))
    }
}

#[cfg(test)]
mod tests {
    use bellperson::Circuit as _;
    use cuzk_testing::{RandomCircuit, TimeLimit};
    use proptest::prelude::*;

    use super::*;
    use crate::Options;

    static LATER: Stage = Stage::new("later");

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]

        /// Parts that know nothing of each other, on any number of threads.
        #[test]
        fn a_deferred_witness_is_the_witness(seeds: [u64; 3], steps in 1..60usize, threads in 1..5usize) {
            let _limit = TimeLimit::seconds(60);
            let parts = seeds.map(|seed| RandomCircuit::new(seed, steps));
            let (ledger, scope) = (Ledger::new(&[&SOLVER_SCRATCH]), Scope::default());
            let circuit = Circuit::compile(&ledger, Options::default(), |cs| {
                parts.iter().try_for_each(|part| part.blank().synthesize(cs))
            })?;
            prop_assert!(circuit.is_separable());
            let filled = Witness::fill(&circuit, &ledger, &scope, |cs| {
                parts.iter().try_for_each(|part| part.clone().synthesize(cs))
            })?;
            let advice = filled.advice(&circuit);
            let bytes = advice.bytes();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
            let solved = pool.install(|| circuit.solve_in(advice, true, &ledger, &scope))?;
            prop_assert_eq!(solved.inputs(), filled.inputs());
            prop_assert_eq!(solved.bytes(), bytes + 32 * filled.inputs().len() as u64);
            let witness = pool.install(|| solved.into_witness(&circuit, &LATER))?;
            prop_assert_eq!(witness.inputs(), filled.inputs());
            prop_assert_eq!(witness.expand(), filled.expand());
            drop((witness, filled, circuit));
            prop_assert!(ledger.snapshot().is_empty());
        }
    }
}
