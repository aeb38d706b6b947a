//! SnapDeals requests that must be refused: with the place, what is wrong, and no panic.

mod fixture;

use cuzk_filecoin::{Request, RequestError, SectorSize, Submission};
use cuzk_testing::TimeLimit;
use fixture::snap::{ChallengeProof, MerkleProof, Node, PartitionProof, changed, refusal, submission};
use proptest::prelude::*;

/// The size of most of these: four partitions of ten challenges, so that there is something to differ from.
const SIZE: SectorSize = SectorSize::MiB8;
/// No field element, nor the largest 32 bytes: the order of the scalar field, little-endian.
const ORDER: Node = [
    0x01, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xfe, 0x5b, 0xfe, 0xff, 0x02, 0xa4, 0xbd, 0x53, 0x05, 0xd8, 0xa1,
    0x09, 0x08, 0xd8, 0x39, 0x33, 0x48, 0x7d, 0x9d, 0x29, 0x53, 0xa7, 0xed, 0x73,
];

/// A change to the eighth challenge of the third partition.
fn in_challenge(change: impl FnOnce(&mut ChallengeProof)) -> Submission {
    changed(SIZE, 2, |proof| change(&mut proof.challenge_proofs[7]))
}

fn at(place: &str) -> String {
    format!("vanilla_proofs[2].challenge_proofs[7].{place}")
}

#[test]
fn fields_beside_the_payload() {
    let _limit = TimeLimit::seconds(60);
    let good = submission(SIZE);
    for (bad, field, what) in [
        (Submission { vanilla_proof: vec![1; 9], ..good.clone() }, "vanilla_proof", "9 bytes"),
        (Submission { registered_proof: 5, ..good.clone() }, "registered_proof", "0 to 4"),
        (Submission { registered_proof: u64::MAX, ..good.clone() }, "registered_proof", "0 to 4"),
        (Submission { comm_r_old: Vec::new(), ..good.clone() }, "comm_r_old", "missing"),
        (Submission { comm_r_new: vec![1; 31], ..good.clone() }, "comm_r_new", "31 bytes, expected 32"),
        (Submission { comm_d_new: vec![1; 33], ..good.clone() }, "comm_d_new", "33 bytes, expected 32"),
        (Submission { comm_r_old: vec![0; 32], ..good.clone() }, "comm_r_old", "all zero"),
        (Submission { comm_r_new: vec![0; 32], ..good.clone() }, "comm_r_new", "all zero"),
        (Submission { comm_d_new: vec![0; 32], ..good.clone() }, "comm_d_new", "all zero"),
        (Submission { comm_r_old: ORDER.to_vec(), ..good.clone() }, "comm_r_old", "canonical"),
        (Submission { comm_r_new: vec![0xff; 32], ..good.clone() }, "comm_r_new", "canonical"),
        (Submission { comm_d_new: ORDER.to_vec(), ..good.clone() }, "comm_d_new", "canonical"),
        (
            Submission { vanilla_proofs: Vec::new(), ..good.clone() },
            "vanilla_proofs",
            "0 partitions, but registered_proof is StackedDrg8MiBV1 (1), which has 4",
        ),
        (
            Submission { sector_size: 0, registered_proof: 0, ..good.clone() },
            "vanilla_proofs",
            "4 partitions, but registered_proof is StackedDrg2KiBV1 (0, which is also",
        ),
        (
            Submission { sector_size: 0, registered_proof: 3, ..good.clone() },
            "vanilla_proofs",
            "4 partitions, but registered_proof is StackedDrg32GiBV1 (3), which has 16",
        ),
    ] {
        let error = refusal(&bad);
        assert_eq!(error.field(), field, "{error}");
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[test]
fn sizes_that_contradict_the_update_proof_name_both() {
    let _limit = TimeLimit::seconds(60);
    let good = submission(SIZE);
    for (sector_size, registered_proof, what) in [
        (8 << 20, 0, "StackedDrg2KiBV1 (0, which is also what it is when it is left out), of 2048 bytes"),
        (34_359_738_368, 0, "StackedDrg2KiBV1 (0, which is also what it is when it is left out), of 2048 bytes"),
        (8 << 20, 3, "StackedDrg32GiBV1 (3), of 34359738368 bytes"),
        (2048, 1, "StackedDrg8MiBV1 (1), of 8388608 bytes"),
        (8388609, 1, "StackedDrg8MiBV1 (1), of 8388608 bytes"),
    ] {
        let error = refusal(&Submission { sector_size, registered_proof, ..good.clone() });
        assert!(matches!(error, RequestError::Contradiction { .. }), "{error}");
        assert_eq!(error.field(), "sector_size");
        assert!(error.to_string().contains(what) && error.to_string().contains(&sector_size.to_string()), "{error}");
    }
}

#[test]
fn payloads_that_are_no_bincode() {
    let _limit = TimeLimit::seconds(60);
    let good = submission(SIZE);
    let whole = &good.vanilla_proofs[1];
    let longer = [whole.as_slice(), &[0]].concat();
    // The number of apex leaves, after comm_c: more than there are bytes.
    let mut endless = whole.clone();
    endless[32..40].copy_from_slice(&u64::MAX.to_le_bytes());
    for bytes in [&whole[..0], &whole[..31], &whole[..whole.len() - 1], &longer, &endless, b"{\"comm_c\":[]}"] {
        let mut bad = good.clone();
        bad.vanilla_proofs[1] = bytes.to_vec();
        let error = refusal(&bad);
        assert!(matches!(error, RequestError::Bincode { length, .. } if length == bytes.len()), "{error}");
        assert_eq!(error.field(), "vanilla_proofs[1]");
    }
}

#[test]
fn lists_of_the_wrong_length() {
    fn resize<T: Clone>(list: &mut Vec<T>, longer: bool) {
        let last = list.pop().expect("a last element");
        if longer {
            list.extend([last.clone(), last]);
        }
    }
    type Change = fn(&mut ChallengeProof, bool);
    let _limit = TimeLimit::seconds(120);
    let changes: [(&str, Change); 6] = [
        ("proof_r_old.path", |proof, longer| resize(proof.proof_r_old.rows(), longer)),
        ("proof_d_new.path", |proof, longer| resize(proof.proof_d_new.rows(), longer)),
        ("proof_r_new.path", |proof, longer| resize(proof.proof_r_new.rows(), longer)),
        ("proof_r_old.path[5].hashes", |proof, longer| resize(&mut proof.proof_r_old.rows()[5].hashes, longer)),
        ("proof_d_new.path[17].hashes", |proof, longer| resize(&mut proof.proof_d_new.rows()[17].hashes, longer)),
        ("proof_r_new.path[0].hashes", |proof, longer| resize(&mut proof.proof_r_new.rows()[0].hashes, longer)),
    ];
    for longer in [false, true] {
        let mut cases: Vec<(String, Submission)> =
            changes.iter().map(|(place, change)| (at(place), in_challenge(|proof| change(proof, longer)))).collect();
        let apex = changed(SIZE, 2, |proof| resize(&mut proof.apex_leafs, longer));
        cases.push(("vanilla_proofs[2].apex_leafs".to_owned(), apex));
        let challenges = changed(SIZE, 2, |proof| resize(&mut proof.challenge_proofs, longer));
        cases.push(("vanilla_proofs[2].challenge_proofs".to_owned(), challenges));
        for (field, bad) in cases {
            let error = refusal(&bad);
            let RequestError::Count { found, expected, .. } = error else { panic!("{field}: {error}") };
            assert_eq!(found, if longer { expected + 1 } else { expected - 1 }, "{field}");
            assert_eq!(error.field(), field);
        }
    }
    let none = changed(SIZE, 0, |proof| proof.challenge_proofs.clear());
    assert!(matches!(refusal(&none), RequestError::Count { found: 0, expected: 10, .. }));
}

#[test]
fn numbers_beyond_the_field() {
    type Place = fn(&mut ChallengeProof) -> &mut Node;
    let _limit = TimeLimit::seconds(120);
    let places: [(&str, Place); 9] = [
        ("proof_r_old.root", |proof| proof.proof_r_old.root()),
        ("proof_r_old.leaf", |proof| proof.proof_r_old.leaf()),
        ("proof_r_old.path[5].hashes[6]", |proof| &mut proof.proof_r_old.rows()[5].hashes[6]),
        ("proof_d_new.root", |proof| proof.proof_d_new.root()),
        ("proof_d_new.leaf", |proof| proof.proof_d_new.leaf()),
        ("proof_d_new.path[17].hashes[0]", |proof| &mut proof.proof_d_new.rows()[17].hashes[0]),
        ("proof_r_new.root", |proof| proof.proof_r_new.root()),
        ("proof_r_new.leaf", |proof| proof.proof_r_new.leaf()),
        ("proof_r_new.path[0].hashes[2]", |proof| &mut proof.proof_r_new.rows()[0].hashes[2]),
    ];
    for bytes in [ORDER, [0xff; 32]] {
        let mut cases: Vec<(String, Submission)> =
            places.iter().map(|(place, node)| (at(place), in_challenge(|proof| *node(proof) = bytes))).collect();
        cases.push(("vanilla_proofs[0].comm_c".to_owned(), changed(SIZE, 0, |proof| proof.comm_c = bytes)));
        cases.push(("vanilla_proofs[3].comm_c".to_owned(), changed(SIZE, 3, |proof| proof.comm_c = bytes)));
        let apex = changed(SIZE, 1, |proof| proof.apex_leafs[127] = bytes);
        cases.push(("vanilla_proofs[1].apex_leafs[127]".to_owned(), apex));
        for (field, bad) in cases {
            let error = refusal(&bad);
            assert!(matches!(error, RequestError::NotCanonical { .. }), "{field}: {error}");
            assert_eq!(error.field(), field);
        }
    }
}

/// Large sectors have trees of trees, and their own names for the parts of a path.
#[test]
fn paths_in_trees_of_trees() {
    let _limit = TimeLimit::seconds(120);
    let bad = changed(SectorSize::GiB32, 3, |proof| {
        proof.challenge_proofs[7].proof_r_old.rows()[0].hashes[2] = ORDER;
    });
    assert_eq!(refusal(&bad).field(), "vanilla_proofs[3].challenge_proofs[7].proof_r_old.base_proof[0].hashes[2]");
    let bad = changed(SectorSize::GiB32, 15, |proof| {
        let MerkleProof::Sub { sub_proof, .. } = &mut proof.challenge_proofs[85].proof_r_new else {
            panic!("no sub-trees at 32 GiB");
        };
        sub_proof[0].index = 8;
    });
    let error = refusal(&bad);
    assert_eq!(error.field(), "vanilla_proofs[15].challenge_proofs[85].proof_r_new.sub_proof[0].index");
    let bad = in_challenge(|proof| {
        let (root, leaf, base_proof) =
            (*proof.proof_r_new.root(), *proof.proof_r_new.leaf(), proof.proof_r_new.rows().clone());
        proof.proof_r_new = MerkleProof::Sub { base_proof, sub_proof: Vec::new(), root, leaf };
    });
    let error = refusal(&bad);
    assert_eq!(error.field(), at("proof_r_new.data"));
    assert!(error.to_string().contains("base_proof, sub_proof"), "{error}");
}

#[test]
fn what_contradicts_the_challenges_or_the_rest_of_the_request() {
    type Change = fn(&mut PartitionProof);
    fn challenge(proof: &mut PartitionProof) -> &mut ChallengeProof {
        &mut proof.challenge_proofs[7]
    }
    let _limit = TimeLimit::seconds(120);
    let challenged = "the node to open, which follows from comm_r_new";
    let first = "vanilla_proofs[0].challenge_proofs[0]";
    let encoding = "the encoding of the leaves";
    let changes: [(&str, &str, Change); 12] = [
        ("proof_r_old", challenged, |proof| challenge(proof).proof_r_old.rows()[5].index ^= 7),
        ("proof_d_new", challenged, |proof| challenge(proof).proof_d_new.rows()[17].index ^= 1),
        ("proof_r_new", challenged, |proof| challenge(proof).proof_r_new.rows()[0].index ^= 1),
        ("proof_r_old", challenged, |proof| proof.challenge_proofs[7] = proof.challenge_proofs[6].clone()),
        ("proof_r_old.root", first, |proof| challenge(proof).proof_r_old.root()[0] ^= 1),
        ("proof_d_new.root", "comm_d_new", |proof| challenge(proof).proof_d_new.root()[0] ^= 1),
        ("proof_r_new.root", first, |proof| challenge(proof).proof_r_new.root()[0] ^= 1),
        ("proof_r_new.leaf", encoding, |proof| challenge(proof).proof_r_old.leaf()[0] ^= 1),
        ("proof_r_new.leaf", encoding, |proof| challenge(proof).proof_d_new.leaf()[0] ^= 1),
        ("proof_r_new.leaf", encoding, |proof| challenge(proof).proof_r_new.leaf()[0] ^= 1),
        ("proof_d_new.path[9].hashes[0]", "vanilla_proofs[2].apex_leafs[", |proof| {
            challenge(proof).proof_d_new.rows()[9].hashes[0][0] ^= 1;
        }),
        ("proof_d_new.path[16].hashes[0]", "vanilla_proofs[2].challenge_proofs[0].proof_d_new.path[16]", |proof| {
            challenge(proof).proof_d_new.rows()[16].hashes[0][0] ^= 1;
        }),
    ];
    let mut cases: Vec<(String, &str, Submission)> =
        changes.into_iter().map(|(place, other, change)| (at(place), other, changed(SIZE, 2, change))).collect();
    let comm_c = changed(SIZE, 3, |proof| proof.comm_c[0] ^= 1);
    cases.push(("vanilla_proofs[3].comm_c".to_owned(), "vanilla_proofs[0].comm_c", comm_c));
    let mut swapped = submission(SIZE);
    swapped.vanilla_proofs.swap(0, 1);
    cases.push(("vanilla_proofs[0].challenge_proofs[0].proof_r_old".to_owned(), challenged, swapped));
    let mut commitment = submission(SIZE);
    commitment.comm_d_new[0] ^= 1;
    cases.push((format!("{first}.proof_d_new.root"), "comm_d_new", commitment));
    for (field, other, bad) in cases {
        let error = refusal(&bad);
        let RequestError::Contradiction { value, other_field, other_value, .. } = &error else {
            panic!("{field}: {error}");
        };
        assert!(error.field().starts_with(&field) && other_field.starts_with(other), "{field}: {error}");
        assert_ne!(value, other_value);
    }
    // Another new replica challenges other nodes, another old one encodes otherwise.
    for (name, change) in [
        ("comm_r_new", (|bad| bad.comm_r_new[0] ^= 1) as fn(&mut Submission)),
        ("comm_r_old", |bad| bad.comm_r_old[0] ^= 1),
    ] {
        let mut bad = submission(SIZE);
        change(&mut bad);
        assert!(matches!(refusal(&bad), RequestError::Contradiction { .. }), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_byte_may_be_anything(place: prop::sample::Index, byte: u8) {
        let _limit = TimeLimit::seconds(60);
        let mut changed = submission(SectorSize::KiB2);
        let payload = &mut changed.vanilla_proofs[0];
        let place = place.index(payload.len());
        payload[place] = byte;
        if let Ok(request) = Request::parse(&changed) {
            prop_assert!(request.public_inputs(0).is_ok());
        }
    }

    #[test]
    fn noise_is_refused(payload: Vec<u8>, commitment: Vec<u8>) {
        let _limit = TimeLimit::seconds(60);
        let good = submission(SectorSize::KiB2);
        for noise in [
            Submission { vanilla_proofs: vec![payload], ..good.clone() },
            Submission { comm_r_new: commitment, ..good },
        ] {
            prop_assert!(Request::parse(&noise).is_err());
        }
    }
}
