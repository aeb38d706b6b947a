//! Real PoRep C2 work through whole engines: 2 KiB sectors, the CPU backend, development parameters.

mod support;

use std::thread;

use cuzk_engine::{CancelReason, Engine, JobStage, JobState, OutcomeStatus};
use cuzk_filecoin::{CircuitId, ProofKind, SectorSize, Submission, registered::interactive_seal_proof, synthetic};
use cuzk_testing::TimeLimit;
use support::{LIMIT_SECONDS, accepted, config, ends_empty, is_bellpersons_from_either_source, outcome, proof, submit};

const CIRCUIT: CircuitId = CircuitId { kind: ProofKind::PorepSealCommit, size: SectorSize::KiB2 };
fn c1_output(seed: u64) -> Vec<u8> {
    let output = synthetic::porep(interactive_seal_proof(CIRCUIT.size), 1000, 1, seed).expect("2 KiB is a known size");
    serde_json::to_vec(&output).expect("a C1 output is JSON")
}

fn submission(seed: u64) -> Submission {
    Submission { request_id: "porep-1000-1".into(), ..Submission::porep(c1_output(seed)) }
}

#[test]
fn a_real_proof_is_bellpersons_byte_for_byte() {
    is_bellpersons_from_either_source(&submission(1));
}

/// Two engines in one process, and on one of them two requests with one id and different content at the same time.
#[test]
fn engines_and_equal_ids_do_not_mix() {
    let _limit = TimeLimit::seconds(LIMIT_SECONDS);
    let (one, two) = (Engine::new(config(CIRCUIT)), Engine::new(config(CIRCUIT)));
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
    let engine = Engine::new(config(CIRCUIT)).expect("the settings are sound");
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
    let engine = Engine::new(config(CIRCUIT)).expect("the settings are sound");
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
