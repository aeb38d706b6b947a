//! Payloads and fields that must be refused: with the place, what is wrong, and no panic.

mod fixture;

use cuzk_filecoin::{Request, RequestError, Submission};
use cuzk_testing::TimeLimit;
use fixture::{MINER, SECTOR, bare, changed, parse, refusal, replaced, submission, value, wrapped};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The first challenge's proof.
const PROOF: &str = "/vanilla_proofs/StackedDrg2KiBV1/0/0";
/// Where messages say that it stands.
const PROOF_AT: &str = "vanilla_proof.vanilla_proofs[0][0]";
/// The little-endian order of the scalar field.
const ORDER: [u8; 32] = [
    0x01, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xfe, 0x5b, 0xfe, 0xff, 0x02, 0xa4, 0xbd, 0x53, 0x05, 0xd8, 0xa1,
    0x09, 0x08, 0xd8, 0x39, 0x33, 0x48, 0x7d, 0x9d, 0x29, 0x53, 0xa7, 0xed, 0x73,
];

#[test]
fn truncated_payloads() {
    let _limit = TimeLimit::seconds(60);
    let length = bare().len();
    for cut in [1, 2, 100, length / 2, length - 1] {
        let error = refusal(&bare()[..cut]);
        assert!(matches!(error, RequestError::Json { length, .. } if length == cut), "{cut}: {error}");
        let error = Request::parse(&submission(&bare()[..cut])).expect_err("truncated inside");
        assert!(matches!(error, RequestError::Json { .. }), "{cut}: {error}");
        assert_eq!(error.field(), "vanilla_proof.Phase1Out");
    }
    let whole = wrapped(bare(), 1, 2048);
    for cut in [1, 20, whole.len() / 2, whole.len() - 1] {
        assert!(matches!(refusal(&whole[..cut]), RequestError::Json { .. }), "{cut}");
    }
    assert!(matches!(refusal(b""), RequestError::Missing { .. }));
}

#[test]
fn foreign_payloads() {
    let _limit = TimeLimit::seconds(60);
    for foreign in ["{}", "[]", "null", "1", "\"text\"", "{\"proof\":[1,2,3]}", "{\"vanilla_proofs\":{}}", "\u{feff}{}"]
    {
        let error = refusal(foreign.as_bytes());
        assert!(matches!(error, RequestError::Json { .. }), "{foreign}: {error}");
    }
    let mut twice = bare().to_vec();
    twice.extend_from_slice(b" {}");
    assert!(refusal(&twice).to_string().contains("trailing"));
    for key in ["registered_proof", "vanilla_proofs", "comm_r", "comm_d", "replica_id", "seed", "ticket"] {
        let payload = changed("", |value| drop(value.as_object_mut().expect("an object").remove(key)));
        let error = refusal(&payload);
        assert!(error.to_string().contains(&format!("missing field `{key}`")), "{error}");
    }
    let error = refusal(&replaced("/registered_proof", json!("StackedDrg4KiBV1_1")));
    assert!(error.to_string().contains("StackedDrg4KiBV1_1"), "{error}");
    for (bytes, what) in
        [(json!(vec![1; 31]), "31"), (json!(vec![1; 33]), "trailing"), (json!([256]), "256"), (json!(""), "string")]
    {
        let error = refusal(&replaced("/comm_r", bytes));
        assert!(matches!(error, RequestError::Json { .. }) && error.to_string().contains(what), "{what}: {error}");
    }
}

#[test]
fn wrong_base64() {
    let _limit = TimeLimit::seconds(60);
    let text = String::from_utf8(wrapped(bare(), 1, 2048)).expect("JSON");
    for (from, to) in [("eyJ", "!yJ"), ("eyJ", " eyJ"), ("eyJ", "eyJ=")] {
        let broken = text.replacen(from, to, 1);
        assert_ne!(broken, text);
        let error = refusal(broken.as_bytes());
        assert!(matches!(error, RequestError::Base64 { .. }), "{to}: {error}");
        assert_eq!(error.field(), "vanilla_proof.Phase1Out");
    }
}

#[test]
fn numbers_beyond_the_field() {
    let _limit = TimeLimit::seconds(120);
    let path = "comm_r_last_proof/data/Single/path/path/1/hashes/6";
    for (pointer, at) in [
        ("/comm_r".to_owned(), "vanilla_proof.comm_r".to_owned()),
        ("/comm_d".to_owned(), "vanilla_proof.comm_d".to_owned()),
        ("/replica_id".to_owned(), "vanilla_proof.replica_id".to_owned()),
        (format!("{PROOF}/{path}"), format!("{PROOF_AT}.comm_r_last_proof.path[1].hashes[6]")),
        (format!("{PROOF}/comm_d_proofs/data/Single/leaf"), format!("{PROOF_AT}.comm_d_proofs.leaf")),
        (format!("{PROOF}/comm_d_proofs/data/Single/root"), format!("{PROOF_AT}.comm_d_proofs.root")),
        (
            format!("{PROOF}/replica_column_proofs/drg_parents/5/column/rows/1"),
            format!("{PROOF_AT}.replica_column_proofs.drg_parents[5].column.rows[1]"),
        ),
        (
            format!("{PROOF}/replica_column_proofs/c_x/inclusion_proof/data/Single/root"),
            format!("{PROOF_AT}.replica_column_proofs.c_x.inclusion_proof.root"),
        ),
        (format!("{PROOF}/labeling_proofs/0/parents/36"), format!("{PROOF_AT}.labeling_proofs[0].parents[36]")),
        (format!("{PROOF}/encoding_proof/parents/0"), format!("{PROOF_AT}.encoding_proof.parents[0]")),
    ] {
        for bytes in [ORDER, [0xff; 32]] {
            let error = refusal(&replaced(&pointer, json!(bytes)));
            assert!(matches!(error, RequestError::NotCanonical { .. }), "{pointer}: {error}");
            assert_eq!(error.field(), at);
        }
    }
    let seed = parse(&replaced("/ticket", json!(vec![0xff; 32])));
    assert!(seed.is_ok(), "a ticket is randomness, not a field element");
}

/// Removes the last element of a list, or repeats it.
fn resized(pointer: &str, longer: bool) -> Vec<u8> {
    changed(pointer, |value| {
        let list = value.as_array_mut().expect("a list");
        let last = list.pop().expect("a last element");
        if longer {
            list.extend([last.clone(), last]);
        }
    })
}

#[test]
fn lists_of_the_wrong_length() {
    let _limit = TimeLimit::seconds(120);
    let columns = "replica_column_proofs";
    for (pointer, at) in [
        ("/vanilla_proofs/StackedDrg2KiBV1".to_owned(), "vanilla_proof.vanilla_proofs".to_owned()),
        ("/vanilla_proofs/StackedDrg2KiBV1/0".to_owned(), "vanilla_proof.vanilla_proofs[0]".to_owned()),
        (format!("{PROOF}/comm_d_proofs/data/Single/path/path"), format!("{PROOF_AT}.comm_d_proofs.path")),
        (
            format!("{PROOF}/comm_d_proofs/data/Single/path/path/2/hashes"),
            format!("{PROOF_AT}.comm_d_proofs.path[2].hashes"),
        ),
        (format!("{PROOF}/comm_r_last_proof/data/Single/path/path"), format!("{PROOF_AT}.comm_r_last_proof.path")),
        (
            format!("{PROOF}/comm_r_last_proof/data/Single/path/path/0/hashes"),
            format!("{PROOF_AT}.comm_r_last_proof.path[0].hashes"),
        ),
        (format!("{PROOF}/{columns}/c_x/column/rows"), format!("{PROOF_AT}.{columns}.c_x.column.rows")),
        (format!("{PROOF}/{columns}/drg_parents"), format!("{PROOF_AT}.{columns}.drg_parents")),
        (format!("{PROOF}/{columns}/exp_parents"), format!("{PROOF_AT}.{columns}.exp_parents")),
        (
            format!("{PROOF}/{columns}/exp_parents/3/inclusion_proof/data/Single/path/path"),
            format!("{PROOF_AT}.{columns}.exp_parents[3].inclusion_proof.path"),
        ),
        (format!("{PROOF}/labeling_proofs"), format!("{PROOF_AT}.labeling_proofs")),
        (format!("{PROOF}/labeling_proofs/1/parents"), format!("{PROOF_AT}.labeling_proofs[1].parents")),
        (format!("{PROOF}/encoding_proof/parents"), format!("{PROOF_AT}.encoding_proof.parents")),
    ] {
        for longer in [false, true] {
            let error = refusal(&resized(&pointer, longer));
            let RequestError::Count { found, expected, .. } = error else {
                panic!("{pointer}: {error}");
            };
            assert_eq!(found, if longer { expected + 1 } else { expected - 1 }, "{pointer}");
            assert_eq!(error.field(), at);
        }
    }
    for (pointer, _) in [("/vanilla_proofs/StackedDrg2KiBV1", 1), ("/vanilla_proofs/StackedDrg2KiBV1/0", 2)] {
        assert!(matches!(refusal(&replaced(pointer, json!([]))), RequestError::Count { found: 0, .. }));
    }
}

#[test]
fn paths_of_another_shape() {
    let _limit = TimeLimit::seconds(60);
    let pointer = format!("{PROOF}/comm_r_last_proof/data");
    let payload = changed(&pointer, |data| {
        let single = data["Single"].take();
        *data = json!({"Sub": {
            "base_proof": single["path"], "sub_proof": {"path": []}, "root": single["root"], "leaf": single["leaf"],
        }});
    });
    let error = refusal(&payload);
    assert_eq!(error.field(), format!("{PROOF_AT}.comm_r_last_proof.data"));
    assert!(error.to_string().contains("base_proof, sub_proof"), "{error}");
}

#[test]
fn indices_that_do_not_open_the_challenge() {
    let _limit = TimeLimit::seconds(120);
    let columns = "replica_column_proofs";
    for (place, at) in [
        (format!("{columns}/c_x/column/index"), format!("{columns}.c_x.column.index")),
        (format!("{columns}/drg_parents/2/column/index"), format!("{columns}.drg_parents[2].column.index")),
        ("labeling_proofs/0/node".to_owned(), "labeling_proofs[0].node".to_owned()),
        ("encoding_proof/node".to_owned(), "encoding_proof.node".to_owned()),
    ] {
        let payload = changed(&format!("{PROOF}/{place}"), |node| {
            *node = Value::from(node.as_u64().expect("a node") ^ 1);
        });
        let error = refusal(&payload);
        let RequestError::Contradiction { field, value, other_value, .. } = error else {
            panic!("{place}: {error}");
        };
        assert_eq!(field, format!("{PROOF_AT}.{at}"));
        assert_ne!(value, other_value);
    }
    for (place, flip) in
        [("comm_d_proofs/data/Single/path/path/5/index", 1), ("comm_r_last_proof/data/Single/path/path/1/index", 7)]
    {
        let payload = changed(&format!("{PROOF}/{place}"), |index| {
            *index = Value::from(index.as_u64().expect("an index") ^ flip);
        });
        assert!(matches!(refusal(&payload), RequestError::Contradiction { .. }), "{place}");
    }
    for (place, index) in
        [("comm_d_proofs/data/Single/path/path/5/index", 2), ("comm_r_last_proof/data/Single/path/path/1/index", 8)]
    {
        for index in [json!(index), json!(u64::MAX)] {
            let error = refusal(&replaced(&format!("{PROOF}/{place}"), index));
            assert!(matches!(error, RequestError::Value { .. }) && error.to_string().contains("arity"), "{error}");
        }
    }
    for (place, layer) in [("labeling_proofs/1/layer_index", 1), ("encoding_proof/layer_index", 3)] {
        let error = refusal(&replaced(&format!("{PROOF}/{place}"), json!(layer)));
        assert!(error.to_string().contains("layer 2"), "{error}");
    }
    // Other randomness challenges other nodes: one partition's two challenges do not both stay where they were.
    for field in ["/seed", "/replica_id"] {
        let payload = changed(field, |bytes| bytes[3] = json!(bytes[3].as_u64().expect("a byte") ^ 1));
        let error = refusal(&payload);
        assert!(matches!(error, RequestError::Contradiction { .. }), "{field}: {error}");
    }
}

#[test]
fn roots_that_differ_within_a_request() {
    let _limit = TimeLimit::seconds(60);
    let second = "/vanilla_proofs/StackedDrg2KiBV1/0/1";
    for place in [
        "comm_d_proofs/data/Single/root",
        "comm_r_last_proof/data/Single/root",
        "replica_column_proofs/c_x/inclusion_proof/data/Single/root",
        "replica_column_proofs/exp_parents/0/inclusion_proof/data/Single/root",
    ] {
        let payload =
            changed(&format!("{second}/{place}"), |root| root[0] = json!(root[0].as_u64().expect("a byte") ^ 1));
        let error = refusal(&payload);
        let RequestError::Contradiction { field, value, other_value, .. } = error else {
            panic!("{place}: {error}");
        };
        assert!(field.starts_with("vanilla_proof.vanilla_proofs[0][1].") && field.ends_with(".root"), "{field}");
        assert_ne!(value, other_value);
    }
    for commitment in ["comm_r", "comm_d"] {
        let error = refusal(&replaced(&format!("/{commitment}"), json!(vec![0; 32])));
        assert_eq!(error.field(), format!("vanilla_proof.{commitment}"));
    }
}

#[test]
fn fields_that_contradict_the_payload_name_both_values() {
    let _limit = TimeLimit::seconds(60);
    let good = submission(bare());
    let (number, size) = (SECTOR + 1, 8_u64 << 20);
    for (bad, field, values) in [
        (Submission { registered_proof: 8, ..good.clone() }, "registered_proof", ["32GiBV1_1 (8)", "2KiBV1_1 (5)"]),
        (Submission { sector_size: size, ..good.clone() }, "sector_size", ["8388608", "2048"]),
        (Submission { sector_size: 2049, ..good.clone() }, "sector_size", ["2049", "2048"]),
        (Submission { sector_number: number, ..good.clone() }, "sector_number", ["43", "42"]),
        (
            Submission { vanilla_proof: wrapped(bare(), SECTOR, size), ..good.clone() },
            "vanilla_proof.SectorSize",
            ["8388608", "2048"],
        ),
        (
            Submission {
                vanilla_proof: wrapped(&replaced("/registered_proof", json!("StackedDrg8MiBV1_1")), SECTOR, 0),
                registered_proof: 0,
                sector_size: 0,
                ..good.clone()
            },
            "vanilla_proof.Phase1Out.vanilla_proofs",
            ["2KiB", "8MiBV1_1 (6)"],
        ),
    ] {
        let error = Request::parse(&bad).expect_err("a contradiction");
        assert!(matches!(error, RequestError::Contradiction { .. }), "{error}");
        assert_eq!(error.field(), field);
        assert!(values.iter().all(|value| error.to_string().contains(value)), "{error}");
    }
    let error = Request::parse(&Submission { registered_proof: 20, ..good }).expect_err("an unknown number");
    assert_eq!(error.field(), "registered_proof");
}

#[test]
fn numbers_that_are_no_kind() {
    let _limit = TimeLimit::seconds(60);
    let good = submission(bare());
    for kind in [0, 5, -1, i32::MAX] {
        let error = Request::parse(&Submission { proof_kind: kind, ..good.clone() }).expect_err("no kind");
        assert!(matches!(error, RequestError::Value { .. }) && error.field() == "proof_kind", "{error}");
    }
    // A kind whose payload stands elsewhere.
    for kind in [2, 3, 4] {
        let error = Request::parse(&Submission { proof_kind: kind, ..good.clone() }).expect_err("the other field");
        assert!(matches!(error, RequestError::Value { .. }) && error.field() == "vanilla_proof", "{error}");
    }
    let listed = Submission { vanilla_proofs: vec![vec![1]], ..good.clone() };
    let error = Request::parse(&listed).expect_err("the other field");
    assert!(matches!(error, RequestError::Value { .. }) && error.field() == "vanilla_proofs", "{error}");
}

/// The parser repeats what it did not expect; the answer is short nevertheless.
#[test]
fn long_strings_are_not_echoed() {
    let _limit = TimeLimit::seconds(60);
    let long = "é".repeat(1 << 20);
    for payload in [replaced("/registered_proof", json!(long)), format!(r#"{{"SectorNum":"{long}"}}"#).into_bytes()] {
        let error = refusal(&payload).to_string();
        assert!(error.len() < 1000 && error.contains('…'), "{} bytes", error.len());
    }
}

#[test]
fn another_miners_or_sectors_replica_id_is_a_contradiction() {
    let _limit = TimeLimit::seconds(60);
    let good = submission(bare());
    Request::parse(&good).expect("its own miner and sector");
    for other in [
        Submission { miner_id: MINER + 1, ..good.clone() },
        Submission { sector_number: 43, ..Submission { vanilla_proof: bare().to_vec(), ..good.clone() } },
    ] {
        let error = Request::parse(&other).expect_err("another's replica id");
        assert!(matches!(error, RequestError::Contradiction { .. }), "{error}");
        assert!(error.field().ends_with("replica_id"), "{error}");
        assert!(error.to_string().contains(&format!("miner_id {}", other.miner_id)), "{error}");
    }
}

/// All places in a tree, as pointers.
fn pointers(value: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match value {
        Value::Object(map) => map.iter().for_each(|(key, item)| pointers(item, &format!("{at}/{key}"), out)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| pointers(item, &format!("{at}/{i}"), out));
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_place_may_hold_anything(place: prop::sample::Index, choice in 0..8_usize) {
        let _limit = TimeLimit::seconds(60);
        let mut all = Vec::new();
        pointers(&value(), "", &mut all);
        let strange = [
            Value::Null,
            json!([]),
            json!({}),
            json!(-1),
            json!(u64::MAX),
            json!(1.5),
            json!("x"),
            json!(vec![vec![255; 32]; 40]),
        ];
        let pointer: &String = place.get(&all);
        let payload = replaced(pointer, strange[choice].clone());
        // Refused or (a marker, say) not: either is fine, a panic is not.
        if let Ok(request) = parse(&payload) {
            prop_assert!(request.public_inputs(0).is_ok());
        }
    }

    #[test]
    fn any_byte_may_be_anything(place: prop::sample::Index, byte: u8) {
        let _limit = TimeLimit::seconds(60);
        let mut payload = bare().to_vec();
        let place = place.index(payload.len());
        payload[place] = byte;
        if let Ok(request) = parse(&payload) {
            prop_assert!(request.public_inputs(0).is_ok());
        }
    }

    #[test]
    fn noise_is_refused(payload: Vec<u8>) {
        let _limit = TimeLimit::seconds(60);
        prop_assert!(parse(&payload).is_err());
        prop_assert!(Request::parse(&submission(&payload)).is_err());
    }
}
