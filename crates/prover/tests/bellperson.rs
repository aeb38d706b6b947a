//! Whole proofs against bellperson: with equal r and s they are equal byte for byte.

use std::{num::NonZeroUsize, sync::Arc};

use bellperson::{Circuit as _, groth16};
use blstrs::{Bls12, Scalar};
use cuzk_circuit::{Circuit, Options, R1cs, Witness};
use cuzk_memory::{Ledger, Scope};
use cuzk_prover::{Backend, CpuBackend, Proof, ProveError, ProvingKey, generate, params};
use cuzk_testing::{RandomCircuit, TimeLimit};
use ff::Field;
use proptest::prelude::*;
use rand::{SeedableRng, rngs::StdRng};

struct Setup {
    ledger: Ledger,
    key: Arc<ProvingKey>,
    theirs: groth16::Parameters<Bls12>,
    backend: CpuBackend,
}

impl Setup {
    /// Development parameters for a circuit, read by both sides from one file.
    fn new(circuit: &RandomCircuit) -> Self {
        let ledger = Ledger::new(&[]);
        let directory = tempfile::tempdir().expect("the system has room for a temporary directory");
        let path = directory.path().join("key.params");
        let r1cs = R1cs::record(|cs| circuit.blank().synthesize(cs)).expect("a random circuit records");
        let compiled = Circuit::compile(&ledger, Options::default(), |cs| circuit.blank().synthesize(cs));
        let compiled = compiled.expect("the rules cover random circuits");
        generate::generate(&r1cs, &path, params::Existing::Keep, &mut |_| {}).expect("parameters are made");
        let reader = params::Reader::open(&path).expect("what was written can be read");
        let key = Arc::new(ProvingKey::load(&reader, Arc::new(compiled), &ledger).expect("the key is the circuit's"));
        let file = std::fs::File::open(&path).expect("what was written can be read");
        let theirs = groth16::Parameters::read(file, true).expect("the file has bellperson's format");
        let backend = CpuBackend::new(NonZeroUsize::MIN.saturating_add(1)).expect("two threads can be started");
        Self { ledger, key, theirs, backend }
    }

    fn witness(&self, circuit: &RandomCircuit) -> Witness {
        Witness::fill(self.key.circuit(), &self.ledger, &Scope::default(), |cs| circuit.clone().synthesize(cs))
            .expect("a random circuit has a witness")
    }

    fn prove(&self, circuit: &RandomCircuit, r: Scalar, s: Scalar) -> Result<Proof, ProveError> {
        self.backend.start(&self.key, self.witness(circuit).into(), r, s)?.finish()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn proofs_are_equal_byte_for_byte(seed: u64, steps in 1..300usize) {
        let _limit = TimeLimit::seconds(120);
        let circuit = RandomCircuit::new(seed, steps);
        let setup = Setup::new(&circuit);
        let mut rng = StdRng::seed_from_u64(seed);
        for (r, s) in [(Scalar::random(&mut rng), Scalar::random(&mut rng)), (Scalar::ZERO, Scalar::ZERO)] {
            let proof = setup.prove(&circuit, r, s)?;
            let theirs = groth16::create_proof(circuit.clone(), &setup.theirs, r, s)?;
            let mut bytes = Vec::new();
            theirs.write(&mut bytes)?;
            prop_assert_eq!(&proof.to_bytes()[..], &bytes[..]);
            prop_assert!(setup.key.vk().verify(&proof, &circuit.public_inputs()).is_ok());
        }
    }
}

#[test]
fn a_false_witness_makes_a_proof_that_does_not_verify() {
    let _limit = TimeLimit::seconds(60);
    let circuit = RandomCircuit::new(3, 120);
    let setup = Setup::new(&circuit);
    let blinding = Scalar::from(7u64);
    let honest = setup.prove(&circuit, blinding, blinding).expect("the backend proves");
    assert!(setup.key.vk().verify(&honest, &circuit.public_inputs()).is_ok());
    // A product is a scalar of the layout, so a wrong one can be filled in.
    let step = (0..120)
        .find(|&step| {
            let tampered = circuit.tampered(step);
            let filled = Witness::fill(setup.key.circuit(), &setup.ledger, &Scope::default(), |cs| {
                tampered.clone().synthesize(cs)
            });
            filled.is_ok() && tampered.public_inputs() == circuit.public_inputs()
        })
        .expect("some step makes an inner scalar");
    let false_proof = setup.prove(&circuit.tampered(step), blinding, blinding).expect("the backend proves anything");
    assert!(setup.key.vk().verify(&false_proof, &circuit.public_inputs()).is_err());
}

#[test]
fn everything_is_uncounted_whether_finished_or_dropped() {
    let _limit = TimeLimit::seconds(60);
    let circuit = RandomCircuit::new(11, 200);
    let setup = Setup::new(&circuit);
    let resident = setup.ledger.snapshot().total_bytes;
    let blinding = Scalar::from(9u64);
    let start =
        || setup.backend.start(&setup.key, setup.witness(&circuit).into(), blinding, blinding).expect("it starts");
    start().finish().expect("it finishes");
    assert_eq!(setup.ledger.snapshot().total_bytes, resident);
    let pending = start();
    assert!(setup.ledger.snapshot().total_bytes > resident, "the scalars of the tail are counted");
    drop(pending);
    let after = setup.ledger.snapshot();
    assert_eq!(after.total_bytes, resident);
    for class in ["witness", "evaluations", "quotient", "msm-scratch"] {
        let line = after.class(class).expect("the class was seen");
        assert_eq!((line.count, line.peak_count > 0), (0, true), "{class}");
    }
    let ledger = setup.ledger.clone();
    drop(setup);
    assert!(ledger.snapshot().is_empty());
}

#[test]
fn a_witness_of_another_circuit_is_refused() {
    let _limit = TimeLimit::seconds(60);
    let (one, other) = (RandomCircuit::new(1, 60), RandomCircuit::new(1, 61));
    let (setup, foreign) = (Setup::new(&one), Setup::new(&other));
    let refused = setup.backend.start(&setup.key, foreign.witness(&other).into(), Scalar::ONE, Scalar::ONE);
    assert!(matches!(refused, Err(ProveError::WrongWitness { .. })));
}
