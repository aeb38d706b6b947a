//! Interactive, Synthetic and non-interactive PoRep: sectors that the API crate sealed, read, checked and synthesised.

mod fixture;

use cuzk_filecoin::registered::{SealFeature, seal_proof, seal_proof_wire};
use cuzk_filecoin::{Request, RequestError, SectorSize, Submission, synthesize_blank};
use cuzk_testing::TimeLimit;
use fixture::survey::Survey;
use fixture::{MINER, SECTOR, parse, sealed, submission, wrapped};
use serde_json::{Value, json};

const FEATURES: [(SealFeature, usize); 3] =
    [(SealFeature::Interactive, 1), (SealFeature::Synthetic, 1), (SealFeature::NonInteractive, 13)];

/// A submission of a sealed sector, as Curio sends it.
fn submitted(feature: SealFeature, payload: &[u8]) -> Submission {
    let registered_proof = seal_proof_wire(seal_proof(SectorSize::KiB2, feature));
    Submission { registered_proof, ..submission(payload) }
}

#[test]
fn sealed_sectors_are_accepted_and_satisfy_the_circuit() {
    let _limit = TimeLimit::seconds(240);
    let mut structures = Vec::new();
    for (feature, partitions) in FEATURES {
        let payload = sealed(feature);
        let request =
            Request::parse(&submitted(feature, &payload)).unwrap_or_else(|error| panic!("{feature:?}: {error}"));
        let porep = request.porep().expect("a PoRep");
        assert_eq!((request.partitions(), SealFeature::of(porep.registered_proof())), (partitions, feature));
        assert_eq!(porep.replica_id_of(MINER, SECTOR), *porep.replica_id());
        for partition in [0, partitions - 1] {
            let mut survey = Survey::new(true);
            request.synthesize(partition, &mut survey).expect("gadgets run");
            assert_eq!(survey.unsatisfied, None, "{feature:?}, partition {partition}");
            assert_eq!(survey.inputs[1..], request.public_inputs(partition).expect("a partition"));
            structures.push(survey.structure());
        }
        assert!(request.public_inputs(partitions).is_err());
        assert_eq!(
            request.assemble(&vec![[9; 192]; partitions]).expect("one proof a partition").len(),
            192 * partitions
        );

        let mut blank = Survey::new(false);
        synthesize_blank(request.circuit_id(), &mut blank).expect("gadgets run");
        structures.push(blank.structure());
    }
    // One circuit, and so one parameter file.
    assert!(structures.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn partitions_challenge_different_nodes() {
    let _limit = TimeLimit::seconds(60);
    let request = parse(&sealed(SealFeature::NonInteractive)).expect("a sealed sector");
    let inputs: Vec<_> = (0..13).map(|k| request.public_inputs(k).expect("a partition")).collect();
    assert!(inputs.windows(2).all(|pair| pair[0][..3] == pair[1][..3] && pair[0] != pair[1]));
}

fn edited(payload: &[u8], edit: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut value: Value = serde_json::from_slice(payload).expect("JSON");
    edit(&mut value);
    serde_json::to_vec(&value).expect("plain data")
}

fn flipped(payload: &[u8], field: &str) -> Vec<u8> {
    edited(payload, |value| value[field][0] = json!(value[field][0].as_u64().expect("a byte") ^ 1))
}

/// Other challenges than those of the payload are refused, by what they follow from.
#[test]
fn each_feature_has_challenges_of_its_own() {
    let _limit = TimeLimit::seconds(120);
    for (feature, follows_from) in [
        (SealFeature::Interactive, &["replica_id", "seed"][..]),
        (SealFeature::Synthetic, &["replica_id", "comm_r", "seed"]),
        (SealFeature::NonInteractive, &["replica_id", "comm_r"]),
    ] {
        let payload = sealed(feature);
        for field in ["replica_id", "comm_r", "seed", "ticket"] {
            let parsed = parse(&flipped(&payload, field));
            if !follows_from.contains(&field) {
                parsed.unwrap_or_else(|error| panic!("{feature:?}, {field}: {error}"));
                continue;
            }
            let error = parsed.expect_err("other nodes are challenged");
            assert!(matches!(error, RequestError::Contradiction { .. }), "{feature:?}, {field}: {error}");
            assert!(follows_from.iter().all(|field| error.to_string().contains(field)), "{feature:?}: {error}");
        }
    }
}

#[test]
fn another_feature_in_field_4_is_a_contradiction() {
    let _limit = TimeLimit::seconds(120);
    for (feature, _) in FEATURES {
        let payload = sealed(feature);
        for (stated, _) in FEATURES.into_iter().filter(|(stated, _)| *stated != feature) {
            let error = Request::parse(&submitted(stated, &payload)).expect_err("another seal proof");
            assert!(matches!(error, RequestError::Contradiction { .. }), "{error}");
            assert_eq!(error.field(), "registered_proof");
            for proof in [stated, feature].map(|feature| seal_proof(SectorSize::KiB2, feature)) {
                let described = format!("{proof:?} ({})", seal_proof_wire(proof));
                assert!(error.to_string().contains(&described), "{error}");
            }
        }
    }
}

/// The payload of one feature under the name of another has other challenges, or another number of partitions.
#[test]
fn another_feature_in_the_payload_is_refused() {
    let _limit = TimeLimit::seconds(120);
    for (feature, partitions) in FEATURES {
        let payload = sealed(feature);
        for (named, expected) in FEATURES.into_iter().filter(|(named, _)| *named != feature) {
            let proof = seal_proof(SectorSize::KiB2, named);
            let other = edited(&payload, |value| value["registered_proof"] = json!(proof));
            let error = Request::parse(&Submission::porep(wrapped(&other, SECTOR, 0))).expect_err("another feature");
            match error {
                RequestError::Count { found, expected: wanted, .. } => {
                    assert_eq!((found, wanted), (partitions, expected));
                }
                RequestError::Contradiction { .. } => assert_eq!(partitions, expected),
                other => panic!("{feature:?} as {named:?}: {other}"),
            }
        }
    }
}
