//! The chain's own verifier on the aggregate of a non-interactive PoRep.
//!
//! The circuit proofs are forged (see `fixture::trapdoor`); the engine's tests do the same with real ones.

mod fixture;
#[path = "fixture/snarkpack.rs"]
mod snarkpack;

use std::fs;

use cuzk_filecoin::registered::{SealFeature, seal_proof};
use cuzk_filecoin::sealed::Job;
use cuzk_filecoin::{SectorSize, vk_file_name};
use cuzk_testing::TimeLimit;
use fixture::trapdoor::Trapdoor;
use fixture::{MINER, SECTOR, parse};

#[test]
fn verify_seal_takes_the_aggregate_of_a_sectors_circuit_proofs() {
    let _limit = TimeLimit::seconds(240);
    if snarkpack::ran_as_child() {
        return;
    }
    let test = "verify_seal_takes_the_aggregate_of_a_sectors_circuit_proofs";
    let directory = tempfile::tempdir().expect("a directory");
    let registered_proof = seal_proof(SectorSize::KiB2, SealFeature::NonInteractive);
    let job = Job { registered_proof, miner_id: MINER, sector_number: SECTOR, seed: 9 };
    let request = parse(&snarkpack::seal(test, directory.path(), &job)).expect("a sealed sector");

    let inputs: Vec<_> = (0..request.partitions()).map(|k| request.public_inputs(k).expect("a partition")).collect();
    let trapdoor = Trapdoor::new(inputs[0].len());
    fs::write(directory.path().join(vk_file_name(request.circuit_id())), trapdoor.key()).expect("a file");
    let mut proofs: Vec<u8> = inputs.iter().flat_map(|inputs| trapdoor.forge(inputs)).collect();
    let (aggregate, valid) = snarkpack::aggregate(test, directory.path(), &proofs);
    println!("{} bytes of proofs, {} of aggregate", proofs.len(), aggregate.len());
    assert!(valid);

    // A proof of the wrong partition anywhere spoils the whole.
    proofs.rotate_left(192);
    let (_, valid) = snarkpack::aggregate(test, directory.path(), &proofs);
    assert!(!valid);
}
