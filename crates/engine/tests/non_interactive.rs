//! Non-interactive PoRep through a whole engine, up to the chain's own verdict on the aggregate.

#[path = "../../filecoin/tests/fixture/snarkpack.rs"]
mod snarkpack;

mod support;

use std::fs;

use cuzk_engine::Engine;
use cuzk_filecoin::{
    CircuitId, PROOF_BYTES, ProofKind, SectorSize, Submission,
    registered::{SealFeature, seal_proof, seal_proof_wire},
    sealed::Job,
    vk_file_name,
};
use cuzk_testing::TimeLimit;
use support::{accepted, config, ends_empty, outcome, params_dir, proof, submit};

const CIRCUIT: CircuitId = CircuitId { kind: ProofKind::PorepSealCommit, size: SectorSize::KiB2 };
/// Of a small sector.
const PARTITIONS: usize = 13;

#[test]
#[ignore = "takes minutes: 13 proofs of a 2 KiB sector; .ci/run runs it by name"]
fn a_non_interactive_sector_passes_the_chains_verifier() {
    let _limit = TimeLimit::seconds(3600);
    if snarkpack::ran_as_child() {
        return;
    }
    let test = "a_non_interactive_sector_passes_the_chains_verifier";
    let directory = tempfile::tempdir().expect("there is room for a temporary directory");
    let registered_proof = seal_proof(CIRCUIT.size, SealFeature::NonInteractive);
    let job = Job { registered_proof, miner_id: 1000, sector_number: 42, seed: 1 };
    let submission = Submission {
        registered_proof: seal_proof_wire(registered_proof),
        sector_number: job.sector_number,
        miner_id: job.miner_id,
        ..Submission::porep(snarkpack::seal(test, directory.path(), &job))
    };

    let engine = Engine::new(config(CIRCUIT)).expect("the settings are sound");
    let proved = outcome(&submit(&engine, &submission));
    ends_empty(engine);
    let mut proofs = proof(&proved).to_vec();
    assert_eq!(proofs.len(), PARTITIONS * PROOF_BYTES);
    assert!(accepted(&submission, &proofs), "each proof holds for its own partition");

    let key = vk_file_name(CIRCUIT);
    fs::copy(params_dir(CIRCUIT).join(&key), directory.path().join(&key)).expect("the key is small");
    let (aggregate, valid) = snarkpack::aggregate(test, directory.path(), &proofs);
    println!("{PARTITIONS} proofs of {PROOF_BYTES} bytes, aggregated into {}", aggregate.len());
    assert!(valid, "verify_seal refuses the aggregate");

    proofs.rotate_left(PROOF_BYTES);
    assert!(!accepted(&submission, &proofs), "and for no other");
    let (_, valid) = snarkpack::aggregate(test, directory.path(), &proofs);
    assert!(!valid, "verify_seal takes proofs in the wrong order");
}
