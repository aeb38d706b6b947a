//! SnapDeals requests that must parse, and what comes out.

mod fixture;

use std::time::Instant;

use blstrs::Scalar;
use cuzk_filecoin::{CircuitId, Priority, ProofKind, Request, SectorSize, Submission, registered, synthetic};
use cuzk_testing::TimeLimit;
use fixture::snap::{changed, submission};

fn scalar(bytes: &[u8; 32]) -> Scalar {
    Option::from(Scalar::from_bytes_le(bytes)).expect("a field element")
}

#[test]
fn every_size_parses_with_its_partitions_and_public_inputs() {
    let _limit = TimeLimit::seconds(300);
    for (size, partitions) in SectorSize::ALL.into_iter().zip([1, 4, 16, 16, 16]) {
        let started = Instant::now();
        let submission = submission(size);
        let (made, started) = (started.elapsed(), Instant::now());
        let request = Request::parse(&submission).unwrap_or_else(|error| panic!("{size}: {error}"));
        println!("{size}: {} bytes made in {made:?}, parsed in {:?}", submission.payload_bytes(), started.elapsed());

        assert_eq!(request.circuit_id(), CircuitId::new(ProofKind::SnapDealsUpdate, size));
        assert_eq!((request.partitions(), request.priority()), (partitions, Priority::Normal));
        assert!(request.advice_bytes() > submission.payload_bytes() / 2, "{}", request.advice_bytes());
        let snap = request.snap().expect("an update");
        assert_eq!(snap.registered_proof(), registered::update_proof(size));
        let commitments = [snap.comm_r_old(), snap.comm_d_new(), snap.comm_r_new()];
        assert_eq!(
            commitments,
            [&submission.comm_r_old, &submission.comm_d_new, &submission.comm_r_new].map(|c| &c[..])
        );

        // Of six possible h one bit says which: the fourth at every size, for 2 KiB the first of six equal ones.
        let h_select = if size == SectorSize::KiB2 { 1 } else { 1 << 3 };
        for k in 0..partitions {
            let inputs = request.public_inputs(k).expect("a partition");
            assert_eq!(inputs[0], Scalar::from((h_select * partitions + k) as u64), "{size}, partition {k}");
            assert_eq!(inputs[1..], commitments.map(scalar), "{size}, partition {k}");
        }
        assert!(request.public_inputs(partitions).is_err());
        assert!(request.porep().is_none());
    }
}

#[test]
fn silent_and_foreign_fields_contradict_nothing() {
    let _limit = TimeLimit::seconds(60);
    let full = submission(SectorSize::MiB8);
    for other in [
        Submission { sector_size: 0, ..full.clone() },
        Submission { sector_number: 0, ..full.clone() },
        Submission { miner_id: 0, ..full.clone() },
        Submission { request_id: String::new(), ..full.clone() },
        Submission { randomness: vec![1; 32], partition_index: 9, ..full.clone() },
    ] {
        let request = Request::parse(&other).expect("says less or more, but nothing wrong");
        assert_eq!((request.sector_size(), request.partitions()), (SectorSize::MiB8, 4));
    }
    // Number 0 is a legitimate one, whether or not the size is there too.
    let small = submission(SectorSize::KiB2);
    assert_eq!((small.registered_proof, small.sector_size), (0, 2048));
    for sector_size in [0, 2048] {
        let request = Request::parse(&Submission { sector_size, ..small.clone() }).expect("2 KiB");
        assert_eq!(request.sector_size(), SectorSize::KiB2);
    }
}

#[test]
fn one_wrong_hash_still_parses() {
    let _limit = TimeLimit::seconds(60);
    for (partition, challenge, row) in [(0, 0, 0), (3, 9, 5)] {
        for tree in 0..3 {
            let wrong = changed(SectorSize::MiB8, partition, |proof| {
                let proof = &mut proof.challenge_proofs[challenge];
                let path = [&mut proof.proof_r_old, &mut proof.proof_d_new, &mut proof.proof_r_new];
                let [hash, ..] = &mut path.into_iter().nth(tree).expect("three trees").rows()[row].hashes[..] else {
                    panic!("no hashes");
                };
                hash[0] ^= 1;
            });
            Request::parse(&wrong).unwrap_or_else(|error| panic!("tree {tree}: {error}"));
        }
    }
}

#[test]
fn a_synthetic_update_follows_from_its_arguments() {
    let _limit = TimeLimit::seconds(60);
    let make = |miner, seed| synthetic::snap_submission(SectorSize::KiB2, miner, 42, seed).expect("an update");
    let update = make(1000, 7);
    assert!(update == make(1000, 7));
    assert_eq!(update.request_id, "snap-1000-42");
    assert_eq!(update.vanilla_proofs, make(1001, 7).vanilla_proofs);
    let other = make(1000, 8);
    assert!(update.comm_r_old != other.comm_r_old && update.comm_d_new != other.comm_d_new);
}
