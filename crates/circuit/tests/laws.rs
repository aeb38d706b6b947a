//! Recording, filling, solving, evaluating and naming, held against the plain form of a circuit and bellperson's own
//! reference constraint system.

use std::sync::Mutex;

use bellperson::{Circuit as _, ConstraintSystem, util_cs::test_cs::TestConstraintSystem};
use blstrs::Scalar;
use cuzk_circuit::{
    Advice, Circuit, CircuitError, Filler, Options, PartRows, R1cs, Rules, Witness, constraint_path, find_unsatisfied,
};
use cuzk_memory::{Ledger, Scope};
use cuzk_testing::{RandomCircuit, TimeLimit};
use ff::Field;
use proptest::prelude::*;

fn compile(circuit: &RandomCircuit, rules: Rules, ledger: &Ledger) -> Circuit {
    let options = Options { rules, ..Options::default() };
    Circuit::compile(ledger, options, |cs| circuit.blank().synthesize(cs)).expect("a blank random circuit compiles")
}

fn record(circuit: &RandomCircuit) -> R1cs {
    R1cs::record(|cs| circuit.blank().synthesize(cs)).expect("a blank random circuit records")
}

fn fill(circuit: &Circuit, values: &RandomCircuit, ledger: &Ledger) -> Result<Witness, CircuitError> {
    Witness::fill(circuit, ledger, &Scope::default(), |cs| values.clone().synthesize(cs))
}

fn solve(circuit: &Circuit, advice: &Advice, ledger: &Ledger) -> Result<Witness, CircuitError> {
    Witness::solve(circuit, advice, ledger, &Scope::default())
}

/// A row by the book: every term multiplied out over the plain assignment.
fn naive_row(r1cs: &R1cs, terms: impl Iterator<Item = (u32, u32)>, assignment: &[Scalar]) -> Scalar {
    terms.map(|(column, coefficient)| r1cs.coefficients()[coefficient as usize] * assignment[column as usize]).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn rows_agree_with_the_naive_evaluation(seed: u64, steps in 1..200usize, derive: bool) {
        let _limit = TimeLimit::seconds(60);
        let ledger = Ledger::new(&[]);
        let values = RandomCircuit::new(seed, steps);
        let circuit = compile(&values, if derive { Rules::All } else { Rules::BitsOnly }, &ledger);
        let witness = fill(&circuit, &values, &ledger)?;
        let r1cs = record(&values);
        prop_assert_eq!(*circuit.counts(), r1cs.counts());
        prop_assert_eq!(&circuit.densities(), r1cs.densities());
        let assignment = [witness.inputs(), &witness.expand()].concat();
        prop_assert_eq!(r1cs.first_unsatisfied(&assignment), None);
        let [a, b] = circuit.evaluate(&witness);
        let products: Vec<Scalar> = a.iter().zip(&b).map(|(a, b)| a * b).collect();
        prop_assert_eq!(circuit.evaluate_products(&witness), products);
        prop_assert_eq!(a.len(), (r1cs.constraints() + r1cs.inputs()).next_power_of_two());
        for row in 0..r1cs.constraints() {
            prop_assert_eq!(a[row], naive_row(&r1cs, r1cs.a().row(row), &assignment));
            prop_assert_eq!(b[row], naive_row(&r1cs, r1cs.b().row(row), &assignment));
            prop_assert_eq!(a[row] * b[row], naive_row(&r1cs, r1cs.c().row(row), &assignment));
        }
        let inputs = r1cs.constraints()..r1cs.constraints() + r1cs.inputs();
        prop_assert_eq!(&a[inputs.clone()], witness.inputs());
        prop_assert!(a[inputs.end..].iter().chain(&b[r1cs.constraints()..]).all(|value| bool::from(value.is_zero())));
        // Part by part, in the form in which a device takes them: each row once, coded or among the others.
        let streamed = Mutex::new(vec![None; r1cs.constraints()]);
        circuit.evaluate_parts(&witness, |part| {
            let mut streamed = streamed.lock().expect("nobody panicked");
            let place = |row: usize| part.rows.start + row;
            for (row, &code) in part.codes.iter().enumerate().filter(|&(_, &code)| code != PartRows::OTHER) {
                assert_eq!(streamed[place(row)].replace(part.by_code[usize::from(code)]), None);
            }
            for &(row, values) in part.others {
                assert_eq!(part.codes[row as usize], PartRows::OTHER);
                assert_eq!(streamed[place(row as usize)].replace(values), None);
            }
        });
        let expected: Vec<_> = a.iter().zip(&b).map(|(a, b)| Some([*a, *b])).take(r1cs.constraints()).collect();
        prop_assert_eq!(streamed.into_inner().expect("nobody panicked"), expected);
        prop_assert!(circuit.check(&witness).is_ok());
        prop_assert_eq!(&witness.inputs()[1..], &values.public_inputs());
        drop((circuit, witness));
        prop_assert!(ledger.snapshot().is_empty());
    }

    #[test]
    fn what_is_solved_is_what_the_gadgets_compute(seed: u64, steps in 1..200usize) {
        let _limit = TimeLimit::seconds(60);
        let ledger = Ledger::new(&[]);
        let values = RandomCircuit::new(seed, steps);
        let circuit = compile(&values, Rules::All, &ledger);
        let filled = fill(&circuit, &values, &ledger)?;
        let advice = filled.advice(&circuit);
        let solved = solve(&circuit, &advice, &ledger)?;
        prop_assert_eq!(solved.inputs(), filled.inputs());
        prop_assert_eq!(solved.bits(), filled.bits());
        prop_assert_eq!(solved.scalars(), filled.scalars());
        prop_assert_eq!(solved.bytes(), filled.bytes());
    }

    /// Parts filled apart and appended, as gadgets do it in parallel, are the whole filled in one go.
    #[test]
    fn a_witness_can_be_filled_in_parts(seeds: [u64; 3], steps in 1..50usize) {
        let _limit = TimeLimit::seconds(60);
        let ledger = Ledger::new(&[]);
        let parts = seeds.map(|seed| RandomCircuit::new(seed, steps));
        let circuit = Circuit::compile(&ledger, Options::default(), |cs| parts.iter().try_for_each(|part| part.blank().synthesize(cs)))?;
        let whole = Witness::fill(&circuit, &ledger, &Scope::default(), |cs| {
            parts.iter().try_for_each(|part| part.clone().synthesize(cs))
        })?;
        let appended = Witness::fill(&circuit, &ledger, &Scope::default(), |cs| {
            parts.iter().try_for_each(|part| {
                let mut apart = Filler::new();
                apart.alloc_input(|| "temporary ONE", || Ok(Scalar::ONE))?;
                part.clone().synthesize(&mut apart)?;
                cs.extend(&apart);
                Ok(())
            })
        })?;
        prop_assert_eq!(appended.inputs(), whole.inputs());
        prop_assert_eq!(appended.expand(), whole.expand());
        prop_assert!(circuit.check(&appended).is_ok());
    }

    #[test]
    fn shape_and_assignment_agree_with_bellperson(seed: u64, steps in 1..200usize) {
        let _limit = TimeLimit::seconds(60);
        let ledger = Ledger::new(&[]);
        let values = RandomCircuit::new(seed, steps);
        let circuit = compile(&values, Rules::All, &ledger);
        let witness = fill(&circuit, &values, &ledger)?;
        let mut reference = TestConstraintSystem::<Scalar>::new();
        values.synthesize(&mut reference)?;
        prop_assert!(reference.is_satisfied());
        prop_assert_eq!(circuit.counts().constraints, reference.num_constraints());
        prop_assert_eq!(circuit.counts().inputs, reference.num_inputs());
        prop_assert_eq!(witness.expand(), reference.scalar_aux());
        prop_assert_eq!(witness.inputs(), reference.scalar_inputs());
        // Every bit has a value of 0 or 1, and the counts fit the layout.
        prop_assert_eq!(witness.bits().len(), witness.layout().bits());
        prop_assert_eq!(witness.scalars().len() + witness.bits().len(), circuit.counts().aux);
    }

    #[test]
    fn a_wrong_value_is_found_at_its_constraint(seed: u64, steps in 1..100usize, at: prop::sample::Index) {
        let _limit = TimeLimit::seconds(60);
        let ledger = Ledger::new(&[]);
        let values = RandomCircuit::new(seed, steps);
        let step = at.index(steps);
        // With the rules for bits alone a bit that is none is found when it is filled in.
        let circuit = compile(&values, Rules::All, &ledger);
        let witness = match fill(&circuit, &values.tampered(step), &ledger) {
            Ok(witness) => witness,
            Err(CircuitError::NotABit { .. }) => return Ok(()),
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        };
        prop_assert!(matches!(circuit.check(&witness), Err(CircuitError::Unsatisfied)));
        let mut reference = TestConstraintSystem::<Scalar>::new();
        values.tampered(step).synthesize(&mut reference)?;
        let (row, path) = find_unsatisfied(&witness, |cs| values.blank().synthesize(cs)).expect("a broken row");
        prop_assert_eq!(Some(path.as_str()), reference.which_is_unsatisfied());
        prop_assert_eq!(constraint_path(row, |cs| values.blank().synthesize(cs)), Some(path));
        let assignment = [witness.inputs(), &witness.expand()].concat();
        prop_assert_eq!(record(&values).first_unsatisfied(&assignment), Some(row));
    }

    #[test]
    fn equal_structures_and_only_those_have_equal_digests(seed: u64, steps in 2..100usize) {
        let _limit = TimeLimit::seconds(60);
        let ledger = Ledger::new(&[]);
        let record = |circuit: RandomCircuit| {
            Circuit::compile(&ledger, Options::default(), |cs| circuit.synthesize(cs)).map(|circuit| circuit.digest())
        };
        let circuit = RandomCircuit::new(seed, steps);
        let digest = record(circuit.blank())?;
        prop_assert_eq!(record(circuit)?, digest);
        prop_assert_ne!(record(RandomCircuit::new(seed, steps - 1).blank())?, digest);
        prop_assert_ne!(record(RandomCircuit::new(seed ^ 1, steps * 2).blank())?, digest);
    }
}

#[test]
fn a_witness_of_another_shape_is_refused() {
    let _limit = TimeLimit::seconds(30);
    let ledger = Ledger::new(&[]);
    let circuit = compile(&RandomCircuit::new(1, 50), Rules::All, &ledger);
    for steps in [10, 49, 51, 90] {
        let refused = fill(&circuit, &RandomCircuit::new(1, steps), &ledger);
        assert!(matches!(refused, Err(CircuitError::WrongShape { .. })), "{steps} steps: {refused:?}");
    }
    assert!(matches!(fill(&circuit, &RandomCircuit::new(1, 50).blank(), &ledger), Err(CircuitError::Synthesis(_))));
    drop(circuit);
    assert!(ledger.snapshot().is_empty());
}

#[test]
fn a_row_beyond_the_last_has_no_path() {
    let _limit = TimeLimit::seconds(30);
    let circuit = RandomCircuit::new(7, 20);
    assert_eq!(constraint_path(1_000, |cs| circuit.blank().synthesize(cs)), None);
}
