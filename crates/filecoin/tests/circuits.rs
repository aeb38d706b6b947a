//! Witnesses of small sectors against their circuits, public inputs and blanks.

mod fixture;

use cuzk_filecoin::{Request, SectorSize, synthesize_blank};
use cuzk_testing::TimeLimit;
use fixture::snap::{self, PartitionProof};
use fixture::survey::Survey;
use fixture::{bare, changed, parse};
use serde_json::json;

/// Holds partition 0 against the blank circuit and the public inputs.
fn holds(request: &Request) {
    let mut full = Survey::new(true);
    request.synthesize(0, &mut full).expect("gadgets run");
    assert_eq!(full.unsatisfied, None);
    assert_eq!(full.inputs[1..], request.public_inputs(0).expect("a partition"));

    let mut blank = Survey::new(false);
    synthesize_blank(request.circuit_id(), &mut blank).expect("gadgets run");
    assert_eq!(blank.structure(), full.structure());
}

#[test]
fn a_witness_satisfies_the_blank_circuit_and_the_public_inputs() {
    let _limit = TimeLimit::seconds(180);
    holds(&parse(bare()).expect("a good payload"));
}

#[test]
fn so_does_the_witness_of_an_update() {
    let _limit = TimeLimit::seconds(180);
    holds(&Request::parse(&snap::submission(SectorSize::KiB2)).expect("a good payload"));
}

#[test]
fn one_wrong_hash_fails_at_its_constraint() {
    let _limit = TimeLimit::seconds(180);
    let place = "/vanilla_proofs/StackedDrg2KiBV1/0/1/replica_column_proofs/exp_parents/7/inclusion_proof/data/Single";
    let payload = changed(&format!("{place}/path/path/0/hashes/3"), |hash| {
        hash[0] = json!(hash[0].as_u64().expect("a byte") ^ 1);
    });
    let mut survey = Survey::new(true);
    parse(&payload).expect("well formed").synthesize(0, &mut survey).expect("gadgets run");
    let path = survey.unsatisfied.expect("the root is another");
    assert!(path.contains("challenge_1") && path.contains("exp_parent_7_inclusion"), "{path}");
}

#[test]
fn one_wrong_hash_of_an_update_fails_at_its_constraint() {
    type Change = fn(&mut PartitionProof);
    let _limit = TimeLimit::seconds(180);
    let changes: [(&str, Change); 3] = [
        ("por tree_r_new (c_index=9)", |proof| {
            proof.challenge_proofs[9].proof_r_new.rows()[1].hashes[3][0] ^= 1;
        }),
        ("por to_apex_leaf (c_index=4)", |proof| {
            proof.challenge_proofs[4].proof_d_new.rows()[0].hashes[0][0] ^= 1;
        }),
        ("comm_r_old_calc", |proof| proof.comm_c[0] ^= 1),
    ];
    for (place, change) in changes {
        let request = Request::parse(&snap::changed(SectorSize::KiB2, 0, change)).expect("well formed");
        let mut survey = Survey::new(true);
        request.synthesize(0, &mut survey).expect("gadgets run");
        let path = survey.unsatisfied.expect("another root");
        assert!(path.contains(place), "{place}: {path}");
    }
}

#[test]
fn partitions_that_do_not_exist_are_errors() {
    let _limit = TimeLimit::seconds(60);
    let request = parse(bare()).expect("a good payload");
    let error = request.synthesize(1, &mut Survey::new(true)).expect_err("one partition");
    assert!(error.to_string().contains("no partition 1"), "{error}");
}
