//! Real PoRep C2 work through whole engines: 2 KiB sectors, the CPU backend, development parameters.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    thread,
};

use bellperson::{Circuit, ConstraintSystem, SynthesisError, groth16};
use blstrs::{Bls12, Scalar};
use cuzk_engine::{
    CancelReason, Config, Engine, Interest, JobHandle, JobStage, JobState, Outcome, OutcomeStatus, Randomness,
    ensure_development_params,
};
use cuzk_filecoin::{
    CircuitId, ProofKind, Request, SectorSize, Submission, params_file_name, registered::interactive_seal_proof,
    synthetic,
};
use cuzk_prover::{Backend, CpuBackend, Proof, VerifyingKey, params::Reader};
use cuzk_testing::TimeLimit;

const CIRCUIT: CircuitId = CircuitId { kind: ProofKind::PorepSealCommit, size: SectorSize::KiB2 };
/// Generating parameters, bellperson's proof and a few of ours fit several times into this.
const LIMIT_SECONDS: u64 = 1500;

/// The directory with the 2 KiB parameters, which are generated if they are missing.
fn params_dir() -> &'static Path {
    static DIR: OnceLock<PathBuf> = OnceLock::new();
    DIR.get_or_init(|| {
        let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/parameters");
        let dir = std::env::var_os("FIL_PROOFS_PARAMETER_CACHE").map_or(cache, PathBuf::from);
        ensure_development_params(CIRCUIT, &dir, &mut |_| {}).expect("parameters are found or generated");
        dir
    })
}

fn config() -> Config {
    let threads = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let backend: Arc<dyn Backend> = Arc::new(CpuBackend::new(threads).expect("the system grants threads"));
    let mut config = Config::new(params_dir(), vec![backend]);
    config.allow_development_keys = true;
    config
}

fn c1_output(seed: u64) -> Vec<u8> {
    let output = synthetic::porep(interactive_seal_proof(CIRCUIT.size), 1000, 1, seed).expect("2 KiB is a known size");
    serde_json::to_vec(&output).expect("a C1 output is JSON")
}

fn submission(seed: u64) -> Submission {
    Submission { request_id: "porep-1000-1".into(), ..Submission::porep(c1_output(seed)) }
}

fn submit(engine: &Engine, submission: &Submission) -> JobHandle {
    engine.submit(submission.clone(), Interest::WhileHeld, None).expect("the request is accepted")
}

fn outcome(job: &JobHandle) -> Arc<Outcome> {
    job.outcome_blocking(None).expect("without a limit there is an outcome")
}

fn proof(outcome: &Outcome) -> &[u8] {
    match &outcome.status {
        OutcomeStatus::Completed { proof } => proof,
        other => panic!("no proof: {other:?}"),
    }
}

/// Verifies against a request's own public inputs.
fn accepted(submission: &Submission, proof: &[u8]) -> bool {
    let request = Request::parse(submission).expect("the request was accepted before");
    let inputs = request.public_inputs(0).expect("a 2 KiB request has a partition 0");
    let vk: VerifyingKey =
        Reader::open(&params_dir().join(params_file_name(CIRCUIT))).expect("it was read before").header().vk.clone();
    vk.verify(&Proof::from_bytes(proof).expect("a proof has 192 bytes of curve points"), &inputs).is_ok()
}

/// Ends the engine and expects that nothing is counted any more.
fn ends_empty(engine: Engine) {
    let ledger = engine.ledger().clone();
    engine.drain();
    drop(engine);
    let left = ledger.snapshot();
    // Kept proofs and resident keys went with the engine.
    assert!(left.is_empty(), "{left}");
}

struct Fixed;

impl Randomness for Fixed {
    fn blinding(&self) -> (Scalar, Scalar) {
        (Scalar::from(0x1234_5678), Scalar::from(0x8765_4321))
    }
}

struct Partition(Request);

impl Circuit<Scalar> for Partition {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        self.0.synthesize(0, cs)
    }
}

#[test]
fn a_real_proof_is_bellpersons_byte_for_byte() {
    let _limit = TimeLimit::seconds(LIMIT_SECONDS);
    let mut config = config();
    config.randomness = Arc::new(Fixed);
    let engine = Engine::new(config).expect("the settings are sound");
    let submission = submission(1);
    let ours = outcome(&submit(&engine, &submission));
    ends_empty(engine);
    assert!(accepted(&submission, proof(&ours)));

    let file = std::fs::File::open(params_dir().join(params_file_name(CIRCUIT))).expect("it was read before");
    let params = groth16::Parameters::<Bls12>::read(std::io::BufReader::new(file), false).expect("bellperson reads it");
    let (r, s) = Fixed.blinding();
    let request = Request::parse(&submission).expect("it was accepted before");
    let theirs = groth16::create_proof(Partition(request), &params, r, s).expect("bellperson proves it");
    let mut bytes = Vec::new();
    theirs.write(&mut bytes).expect("a vector takes all");
    assert_eq!(proof(&ours), bytes);
}

/// Two engines in one process, and on one of them two requests with one id and different content at the same time.
#[test]
fn engines_and_equal_ids_do_not_mix() {
    let _limit = TimeLimit::seconds(LIMIT_SECONDS);
    let (one, two) = (Engine::new(config()), Engine::new(config()));
    let (one, two) = (one.expect("the settings are sound"), two.expect("two engines share nothing"));
    let (first, second) = (submission(2), submission(3));
    let jobs = [submit(&one, &first), submit(&one, &second), submit(&two, &first)];
    assert_ne!(jobs[0].job_id(), jobs[1].job_id());
    let [a, b, c] = jobs.each_ref().map(outcome);
    assert!(accepted(&first, proof(&a)) && accepted(&second, proof(&b)) && accepted(&first, proof(&c)));
    assert!(!accepted(&second, proof(&a)) && !accepted(&first, proof(&b)));
    // Equal content that was completed: the kept proof. The other engine has its own, with other blinding factors.
    assert_eq!(proof(&outcome(&submit(&one, &first))), proof(&a));
    assert_ne!(proof(&a), proof(&c));
    assert_eq!((one.status().completed, two.status().completed), (2, 1));
    drop(jobs);
    ends_empty(one);
    ends_empty(two);
}

/// The first comm_r_last sibling's low byte, changed: well formed, and wrong.
fn with_one_wrong_hash(c1: &[u8]) -> Vec<u8> {
    let mut json: serde_json::Value = serde_json::from_slice(c1).expect("a C1 output is JSON");
    let proofs = json["vanilla_proofs"].as_object_mut().expect("the variant of the sector size");
    let path = proofs
        .values_mut()
        .next()
        .and_then(|partitions| partitions.pointer_mut("/0/1/comm_r_last_proof/data/Single/path/path/0/hashes/0"));
    let sibling = path.expect("the second challenge has a path in TreeR");
    let byte = sibling.as_array_mut().and_then(|bytes| bytes.first_mut()).expect("32 bytes");
    *byte = serde_json::json!(byte.as_u64().expect("a byte") ^ 1);
    serde_json::to_vec(&json).expect("still JSON")
}

#[test]
fn one_wrong_hash_fails_its_job_and_names_the_constraint() {
    let _limit = TimeLimit::seconds(LIMIT_SECONDS);
    let engine = Engine::new(config()).expect("the settings are sound");
    let wrong = Submission::porep(with_one_wrong_hash(&c1_output(4)));
    let failed = outcome(&submit(&engine, &wrong));
    let OutcomeStatus::Failed { stage: JobStage::Solve, partition: Some(0), message } = &failed.status else {
        panic!("it should fail while solving: {:?}", failed.status)
    };
    // The path of the circuit's own namespaces: which challenge, which inclusion proof.
    assert!(message.contains("challenge_1") && message.contains("comm_r_last"), "{message}");
    assert_eq!(engine.status().failed, 1);
    // Nothing of it is left, and the engine goes on.
    let in_flight = engine.ledger().snapshot();
    for class in ["request", "advice", "witness", "evaluations", "quotient", "msm-scratch"] {
        assert_eq!(in_flight.class(class).map(|line| line.count), Some(0), "{class}: {in_flight}");
    }
    ends_empty(engine);
}

#[test]
fn cancelling_a_running_job_stops_it_and_frees_everything() {
    let _limit = TimeLimit::seconds(LIMIT_SECONDS);
    let engine = Engine::new(config()).expect("the settings are sound");
    engine.preload(CIRCUIT).expect("the parameters are there");
    let job = submit(&engine, &submission(5));
    // Preloading left nothing to wait for but a worker.
    while job.state() == JobState::Pending {
        thread::yield_now();
    }
    assert!(engine.cancel(job.job_id()).expect("the job is known"));
    assert_eq!(outcome(&job).status, OutcomeStatus::Cancelled { reason: CancelReason::Requested });
    assert_eq!(engine.status().cancelled, 1);
    drop(job);
    ends_empty(engine);
}
