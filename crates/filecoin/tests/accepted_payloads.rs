//! Payloads that must parse, in every form that clients send them, and what comes out.

mod fixture;

use cuzk_filecoin::{CircuitId, Priority, ProofKind, Request, SectorSize, Submission, registered};
use cuzk_testing::TimeLimit;
use fixture::{MINER, SECTOR, SMALL, bare, bare_of, parse, submission, value, wrapped};
use serde_json::Value;

#[test]
fn wrapped_and_bare_are_the_same_request() {
    let _limit = TimeLimit::seconds(60);
    let whole = Request::parse(&submission(bare())).expect("as Curio sends it");
    let naked = parse(bare()).expect("as the API crate writes it");
    for request in [&whole, &naked] {
        assert_eq!(request.circuit_id(), CircuitId::new(ProofKind::PorepSealCommit, SectorSize::KiB2));
        assert_eq!(request.partitions(), 1);
        assert_eq!(request.priority(), Priority::Normal);
    }
    assert_eq!(whole.public_inputs(0).expect("one partition"), naked.public_inputs(0).expect("one partition"));

    let (whole, naked) = (whole.porep().expect("a PoRep"), naked.porep().expect("a PoRep"));
    assert_eq!((whole.miner_id(), whole.sector_number()), (Some(MINER), Some(SECTOR)));
    assert_eq!((naked.miner_id(), naked.sector_number()), (None, None));
    for request in [whole, naked] {
        let written = value();
        for (name, bytes) in [
            ("comm_r", request.comm_r()),
            ("comm_d", request.comm_d()),
            ("replica_id", request.replica_id()),
            ("seed", request.seed()),
            ("ticket", request.ticket()),
        ] {
            assert_eq!(written[name], serde_json::json!(bytes), "{name}");
        }
        assert_eq!(request.registered_proof(), SMALL);
        assert_eq!(request.replica_id_of(MINER, SECTOR), *request.replica_id());
        assert_ne!(request.replica_id_of(MINER, SECTOR + 1), *request.replica_id());
    }
}

/// Objects with their keys backwards, and white space everywhere: what another JSON library may make of it.
fn remarshalled(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            out.push_str("{\n");
            for (i, (key, item)) in map.iter().rev().enumerate() {
                out.push_str(if i == 0 { "\t" } else { " ,\r\n" });
                out.push_str(&format!("{key:?} : "));
                remarshalled(item, out);
            }
            out.push_str("\n}");
        }
        Value::Array(items) => {
            out.push_str("[ ");
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { " , " });
                remarshalled(item, out);
            }
            out.push_str(" ]");
        }
        other => out.push_str(&other.to_string()),
    }
}

#[test]
fn remarshalled_json_parses() {
    let _limit = TimeLimit::seconds(60);
    let mut text = String::new();
    remarshalled(&value(), &mut text);
    assert_ne!(text.as_bytes(), bare());
    parse(text.as_bytes()).expect("bare");
    Request::parse(&submission(text.as_bytes())).expect("wrapped");
}

#[test]
fn unknown_keys_and_absent_markers_do_not_matter() {
    let _limit = TimeLimit::seconds(60);
    let mut value = value();
    value["_lotus_SealRandomness"] = Value::from("anything");
    let column = value.pointer_mut("/vanilla_proofs/StackedDrg2KiBV1/0/0/replica_column_proofs/c_x/column");
    let column = column.and_then(Value::as_object_mut).expect("a column");
    assert!(column.remove("_h").is_some(), "the crates write their marker");
    parse(&serde_json::to_vec(&value).expect("plain data")).expect("still the same request");
}

#[test]
fn silent_fields_contradict_nothing() {
    let _limit = TimeLimit::seconds(60);
    let full = submission(bare());
    let size = SectorSize::KiB2.bytes();
    for silent in [
        Submission { sector_size: 0, ..full.clone() },
        Submission { registered_proof: 0, ..full.clone() },
        Submission { sector_number: 0, ..full.clone() },
        Submission { miner_id: 0, ..full.clone() },
        Submission { vanilla_proof: wrapped(bare(), 0, size), ..full.clone() },
        Submission { vanilla_proof: wrapped(bare(), SECTOR, 0), ..full.clone() },
    ] {
        Request::parse(&silent).expect("says less, but nothing wrong");
    }
}

#[test]
fn both_interactive_versions_parse_at_every_size_with_small_trees() {
    let _limit = TimeLimit::seconds(120);
    for number in [0, 1, 5, 6, 7] {
        let proof = registered::seal_proof_from_wire(number).expect("a seal proof");
        let request = parse(&bare_of(proof)).unwrap_or_else(|error| panic!("{proof:?}: {error}"));
        assert_eq!(request.porep().expect("a PoRep").registered_proof(), proof);
        assert_eq!((request.partitions(), request.sector_size()), (1, SectorSize::ALL[number as usize % 5]));
    }
}

#[test]
fn production_sizes_parse_with_ten_partitions() {
    let _limit = TimeLimit::seconds(180);
    for number in [8, 9] {
        let proof = registered::seal_proof_from_wire(number).expect("a seal proof");
        let payload = bare_of(proof);
        let started = std::time::Instant::now();
        let request = parse(&payload).unwrap_or_else(|error| panic!("{proof:?}: {error}"));
        println!("{proof:?}: {} bytes of JSON parsed and checked in {:?}", payload.len(), started.elapsed());
        assert_eq!(request.partitions(), 10);
        let inputs: Vec<_> = (0..10).map(|k| request.public_inputs(k).expect("a partition")).collect();
        // replica_id, comm_d, comm_r; then for each challenge: data path, 14 parents, challenge, replica, column.
        assert!(inputs.iter().all(|partition| partition.len() == 3 + 18 * 18));
        assert!(inputs.windows(2).all(|pair| pair[0][..3] == pair[1][..3] && pair[0] != pair[1]));
    }
}

#[test]
fn one_wrong_hash_still_parses() {
    let _limit = TimeLimit::seconds(60);
    let proof = "/vanilla_proofs/StackedDrg2KiBV1/0/1";
    for place in [
        "comm_d_proofs/data/Single/path/path/3/hashes/0/0",
        "comm_d_proofs/data/Single/leaf/0",
        "comm_r_last_proof/data/Single/path/path/1/hashes/6/5",
        "replica_column_proofs/exp_parents/7/column/rows/1/0",
        "replica_column_proofs/drg_parents/0/inclusion_proof/data/Single/path/path/0/hashes/2/9",
        "labeling_proofs/1/parents/36/4",
    ] {
        let payload = fixture::changed(&format!("{proof}/{place}"), |byte| {
            *byte = Value::from(byte.as_u64().expect("a byte") ^ 1);
        });
        parse(&payload).unwrap_or_else(|error| panic!("{place}: {error}"));
    }
}

#[test]
fn results_are_the_proofs_in_order() {
    let _limit = TimeLimit::seconds(60);
    let request = parse(bare()).expect("a good payload");
    assert_eq!(request.assemble(&[[7; 192]]).expect("one partition"), [7; 192]);
    for proofs in [&[][..], &[[1; 192], [2; 192]]] {
        let error = request.assemble(proofs).expect_err("not one proof");
        assert!(error.to_string().contains(&format!("{} proofs", proofs.len())), "{error}");
    }
    assert!(request.public_inputs(1).is_err());
}
