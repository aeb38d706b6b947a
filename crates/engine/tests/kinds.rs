//! The other kinds of proof through whole engines, held against bellperson byte for byte.

mod support;

use cuzk_engine::Engine;
use cuzk_filecoin::{CircuitId, ProofKind, SectorSize, Submission, registered::window_post_proof, synthetic};
use cuzk_testing::TimeLimit;
use support::{LIMIT_SECONDS, accepted, config, ends_empty, is_bellpersons_from_either_source, outcome, proof, submit};

const MINER: u64 = 1000;
const SMALL: SectorSize = SectorSize::KiB2;

fn window_post(sectors: &[u64]) -> Submission {
    synthetic::window_post(window_post_proof(SMALL), MINER, 0, sectors, 3).expect("a window PoSt")
}

#[test]
fn a_window_post_is_bellpersons_byte_for_byte() {
    is_bellpersons_from_either_source(&window_post(&[1, 2]));
}

/// The last sector is repeated.
#[test]
fn a_window_post_that_is_not_full_is_bellpersons_byte_for_byte() {
    is_bellpersons_from_either_source(&window_post(&[9]));
}

#[test]
fn a_winning_post_is_bellpersons_byte_for_byte() {
    is_bellpersons_from_either_source(&synthetic::winning_post(SMALL, MINER, 1, 3).expect("a winning PoSt"));
}

/// At the size that the chain's miners have.
#[test]
fn a_winning_post_of_32_gib_is_bellpersons_byte_for_byte() {
    is_bellpersons_from_either_source(
        &synthetic::winning_post(SectorSize::GiB32, MINER, 1, 3).expect("a winning PoSt"),
    );
}

#[test]
fn a_snap_update_is_bellpersons_byte_for_byte() {
    is_bellpersons_from_either_source(&synthetic::snap_submission(SMALL, MINER, 1, 3).expect("an update"));
}

/// Clients send one request_id for all partitions of a deadline, and partition_index 0 for each.
#[test]
fn partitions_of_one_deadline_sent_at_once_each_get_their_own_proof() {
    let _limit = TimeLimit::seconds(LIMIT_SECONDS);
    let engine = Engine::new(config(CircuitId::new(ProofKind::WindowPostPartition, SMALL)));
    let engine = engine.expect("the settings are sound");
    let (first, second) = (window_post(&[1, 2]), window_post(&[3, 4]));
    assert_eq!(first.request_id, second.request_id);
    assert_eq!(first.randomness, second.randomness);
    assert_eq!(first.partition_index, second.partition_index);
    let jobs = [&first, &second].map(|submission| submit(&engine, submission));
    assert_ne!(jobs[0].job_id(), jobs[1].job_id());
    let outcomes = jobs.each_ref().map(outcome);
    let [one, two] = outcomes.each_ref().map(|outcome| proof(outcome));
    assert!(accepted(&first, one) && accepted(&second, two));
    assert!(!accepted(&first, two) && !accepted(&second, one));
    drop(jobs);
    ends_empty(engine);
}
