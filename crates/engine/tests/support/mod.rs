//! Whole engines with development parameters, and bellperson beside them.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::{
    fs::File,
    io::BufReader,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use bellperson::{Circuit, ConstraintSystem, SynthesisError, groth16};
use blstrs::{Bls12, Scalar};
use cuzk_engine::{
    Config, Engine, Interest, JobHandle, Outcome, OutcomeStatus, Randomness, WitnessSource, ensure_development_params,
};
use cuzk_filecoin::{CircuitId, PROOF_BYTES, Request, Submission, params_file_name};
use cuzk_prover::{Backend, CpuBackend, Proof, VerifyingKey, params::Reader};
use cuzk_testing::TimeLimit;

/// Generating parameters, bellperson's proof and a few of ours fit several times into this.
pub(crate) const LIMIT_SECONDS: u64 = 1500;

/// The directory with the parameters of a circuit, which are generated if they are missing.
pub(crate) fn params_dir(circuit: CircuitId) -> PathBuf {
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/parameters");
    let dir = std::env::var_os("FIL_PROOFS_PARAMETER_CACHE").map_or(cache, PathBuf::from);
    ensure_development_params(circuit, &dir, &mut |_| {}).expect("parameters are found or generated");
    dir
}

/// Settings of an engine that proves a circuit on all cores.
pub(crate) fn config(circuit: CircuitId) -> Config {
    let threads = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let backend: Arc<dyn Backend> = Arc::new(CpuBackend::new(threads).expect("the system grants threads"));
    let mut config = Config::new(params_dir(circuit), vec![backend]);
    config.allow_development_keys = true;
    config
}

pub(crate) fn submit(engine: &Engine, submission: &Submission) -> JobHandle {
    engine.submit(submission.clone(), Interest::WhileHeld, None).expect("the request is accepted")
}

pub(crate) fn outcome(job: &JobHandle) -> Arc<Outcome> {
    job.outcome_blocking(None).expect("without a limit there is an outcome")
}

pub(crate) fn proof(outcome: &Outcome) -> &[u8] {
    match &outcome.status {
        OutcomeStatus::Completed { proof } => proof,
        other => panic!("no proof: {other:?}"),
    }
}

/// Verifies each partition against the request's own public inputs.
pub(crate) fn accepted(submission: &Submission, proof: &[u8]) -> bool {
    let request = Request::parse(submission).expect("the request was accepted before");
    let circuit = request.circuit_id();
    let params = Reader::open(&params_dir(circuit).join(params_file_name(circuit))).expect("it was read before");
    let vk: VerifyingKey = params.header().vk.clone();
    assert_eq!(proof.len(), request.partitions() * PROOF_BYTES);
    proof.chunks(PROOF_BYTES).enumerate().all(|(partition, bytes)| {
        let inputs = request.public_inputs(partition).expect("the request has this partition");
        vk.verify(&Proof::from_bytes(bytes).expect("a proof has 192 bytes of curve points"), &inputs).is_ok()
    })
}

/// Ends the engine and expects that nothing is counted any more.
pub(crate) fn ends_empty(engine: Engine) {
    let ledger = engine.ledger().clone();
    engine.drain();
    drop(engine);
    let left = ledger.snapshot();
    // Kept proofs and resident keys went with the engine.
    assert!(left.is_empty(), "{left}");
}

/// Blinding factors that are known to both provers.
struct Fixed;

impl Randomness for Fixed {
    fn blinding(&self) -> (Scalar, Scalar) {
        (Scalar::from(0x1234_5678), Scalar::from(0x8765_4321))
    }
}

/// Proves a request with known blinding factors, once from the compiled circuit and once from the gadgets: the two proofs must
/// be the same, verify, and be bellperson's.
pub(crate) fn is_bellpersons_from_either_source(submission: &Submission) {
    let _limit = TimeLimit::seconds(LIMIT_SECONDS);
    let circuit = Request::parse(submission).expect("a good request").circuit_id();
    let [compiled, gadgets] = [WitnessSource::Compiled, WitnessSource::Gadgets].map(|witness| {
        let config = Config { randomness: Arc::new(Fixed), witness, ..config(circuit) };
        let engine = Engine::new(config).expect("the settings are sound");
        let outcome = outcome(&submit(&engine, submission));
        ends_empty(engine);
        proof(&outcome).to_vec()
    });
    assert!(accepted(submission, &compiled));
    assert_eq!(compiled, gadgets);
    assert_eq!(compiled, bellpersons(submission));
}

/// A partition as bellperson takes it.
struct Partition<'a>(&'a Request, usize);

impl Circuit<Scalar> for Partition<'_> {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        self.0.synthesize(self.1, cs)
    }
}

/// Bellperson's proofs of all partitions with the same parameters and blinding factors.
fn bellpersons(submission: &Submission) -> Vec<u8> {
    let request = Request::parse(submission).expect("the request was accepted before");
    let circuit = request.circuit_id();
    let file = File::open(params_dir(circuit).join(params_file_name(circuit))).expect("it was read before");
    let params = groth16::Parameters::<Bls12>::read(BufReader::new(file), false).expect("bellperson reads it");
    let (r, s) = Fixed.blinding();
    let mut bytes = Vec::new();
    for partition in 0..request.partitions() {
        let proof = groth16::create_proof(Partition(&request, partition), &params, r, s).expect("bellperson proves it");
        proof.write(&mut bytes).expect("a vector takes all");
    }
    bytes
}
