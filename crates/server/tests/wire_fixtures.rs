//! Requests as a Go client writes them, kept as bytes and replayed: `fixtures/v1/<name>.bin`.
//!
//! The bytes come from the writer at the end of this file, which knows protobuf but not our schema's generated code; with
//! `CUZK_WRITE_FIXTURES` set it writes them anew. A change of the fixtures is a change of the protocol: add a `v2` beside
//! them.

use std::{fs, path::PathBuf};

use cuzk_filecoin::{
    CircuitId, Priority, ProofKind, Request, SectorSize, Submission,
    registered::{interactive_seal_proof, seal_proof_wire, window_post_proof},
    synthetic,
};
use cuzk_proto::v1::SubmitProofRequest;
use cuzk_server::{from_wire, to_wire};
use cuzk_testing::TimeLimit;
use prost::Message;

const SIZE: SectorSize = SectorSize::KiB2;

/// A fixture: its name, kind, the request_id in it, its priority and the identity of its content.
struct Fixture {
    name: &'static str,
    kind: ProofKind,
    request_id: &'static str,
    priority: Priority,
    digest: &'static str,
}

const FIXTURES: [Fixture; 6] = [
    Fixture {
        name: "porep",
        kind: ProofKind::PorepSealCommit,
        request_id: "porep-1000-1",
        priority: Priority::Normal,
        digest: "51ee4832c54dd8ec0737d9e9f9eb9ff9f7eded98c3ca54edffb11e2f30a15366",
    },
    Fixture {
        name: "porep-market",
        kind: ProofKind::PorepSealCommit,
        request_id: "ps-porep-1000-1",
        priority: Priority::Normal,
        digest: "68e241c605421d167992ff20f47a3cc50bdd075297b6da8a36a30afe622a6177",
    },
    Fixture {
        name: "snap",
        kind: ProofKind::SnapDealsUpdate,
        request_id: "snap-1000-1",
        priority: Priority::Normal,
        digest: "537e56d7976fc3e99da01e01f66678fb4799b6357116f142e0fa76b83a12bdca",
    },
    Fixture {
        name: "snap-market",
        kind: ProofKind::SnapDealsUpdate,
        request_id: "ps-snap-1000-1",
        priority: Priority::Normal,
        digest: "b6e7c0f18e80a155d20b92a014b3ef29949c273a8d02934cb05b10159bc47ba7",
    },
    Fixture {
        name: "window-post",
        kind: ProofKind::WindowPostPartition,
        request_id: "wdpost-1000-0",
        priority: Priority::High,
        digest: "07e258445b4b5fb05c9fcc12ce0fb7d7cad02c2eb2142d80fb033890cb45601f",
    },
    Fixture {
        name: "winning-post",
        kind: ProofKind::WinningPost,
        request_id: "winpost-1000",
        priority: Priority::Critical,
        digest: "e3ead02938709f496060af4abe5279cf1d1256f4f1866217bd47a501c80a0941",
    },
];

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/v1").join(format!("{name}.bin"))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn recorded_requests_are_read_as_they_were_meant() {
    let _limit = TimeLimit::seconds(120);
    if std::env::var_os("CUZK_WRITE_FIXTURES").is_some() {
        FIXTURES.iter().for_each(|fixture| fs::write(path(fixture.name), go(&made(fixture))).expect("a file"));
    }
    for fixture in FIXTURES {
        let bytes = fs::read(path(fixture.name)).expect("the fixture is in the repository");
        let submission = from_wire(SubmitProofRequest::decode(bytes.as_slice()).expect("a request"));
        assert_eq!(submission.request_id, fixture.request_id);
        let market = fixture.name.ends_with("-market");
        assert_eq!(submission.sector_size, if fixture.name == "snap-market" { 0 } else { SIZE.bytes() });
        let request = Request::parse(&submission).unwrap_or_else(|error| panic!("{}: {error}", fixture.name));
        assert_eq!(request.circuit_id(), CircuitId::new(fixture.kind, SIZE));
        assert_eq!((request.partitions(), request.priority()), (1, fixture.priority));
        assert_eq!(submission.request_id.starts_with("ps-"), market);
        assert_eq!(hex(&submission.digest()), fixture.digest, "{}", fixture.name);
        // Our own encoder has the same order of fields and omits the same ones.
        assert_eq!(to_wire(submission).encode_to_vec(), bytes, "{}", fixture.name);
    }
}

/// A market's re-marshalled JSON is the same statement.
#[test]
fn a_market_request_asks_for_the_same_proof() {
    let _limit = TimeLimit::seconds(60);
    for (one, other) in [("porep", "porep-market"), ("snap", "snap-market")] {
        let [one, other] = [one, other].map(|name| {
            let bytes = fs::read(path(name)).expect("the fixture is in the repository");
            let request = Request::parse(&from_wire(SubmitProofRequest::decode(bytes.as_slice()).expect("a request")));
            request.expect("a good request").public_inputs(0).expect("one partition")
        });
        assert_eq!(one, other);
    }
}

/// Fields in another order, and fields of a later version, change nothing.
#[test]
fn order_and_unknown_fields_do_not_matter() {
    let _limit = TimeLimit::seconds(60);
    let bytes = fs::read(path("winning-post")).expect("the fixture is in the repository");
    let plain = from_wire(SubmitProofRequest::decode(bytes.as_slice()).expect("a request"));
    // The payload is one field; what stands before it and after it change places.
    let mut head = Vec::new();
    let payload = go_bytes(11, &plain.vanilla_proofs[0]);
    let at = bytes.windows(payload.len()).position(|window| window == payload).expect("the payload");
    head.extend_from_slice(&bytes[at..]);
    head.extend_from_slice(&bytes[..at]);
    // Field 5000, a string.
    head.extend(go_bytes(5000, b"later"));
    let other = from_wire(SubmitProofRequest::decode(head.as_slice()).expect("a request"));
    assert_eq!(other.digest(), plain.digest());
}

/// What a fixture holds.
fn made(fixture: &Fixture) -> Submission {
    let submission = match fixture.kind {
        ProofKind::PorepSealCommit => porep(fixture.name == "porep-market"),
        ProofKind::SnapDealsUpdate => synthetic::snap_submission(SIZE, 1000, 1, 0).expect("an update"),
        ProofKind::WindowPostPartition => {
            synthetic::window_post(window_post_proof(SIZE), 1000, 0, &[1, 2], 0).expect("a window PoSt")
        }
        ProofKind::WinningPost => synthetic::winning_post(SIZE, 1000, 1, 0).expect("a winning PoSt"),
    };
    let sector_size = if fixture.name == "snap-market" { 0 } else { SIZE.bytes() };
    Submission { request_id: fixture.request_id.to_owned(), sector_size, ..submission }
}

fn porep(market: bool) -> Submission {
    let proof = interactive_seal_proof(SIZE);
    let output = synthetic::porep(proof, 1000, 1, 0).expect("a synthetic sector");
    let payload = if market {
        // Keys in another order, with spaces.
        let value = serde_json::to_value(&output).expect("plain data");
        let inner = value.to_string().replace("\":", "\": ").replace(",\"", ", \"");
        use base64::{Engine, engine::general_purpose::STANDARD};
        format!("{{\"SectorNum\":1,\"Phase1Out\":\"{}\",\"SectorSize\":2048}}", STANDARD.encode(inner)).into_bytes()
    } else {
        synthetic::wrap(&output, 1, SIZE.bytes()).expect("plain data")
    };
    Submission {
        registered_proof: seal_proof_wire(proof),
        sector_number: 1,
        miner_id: 1000,
        ..Submission::porep(payload)
    }
}

/// A request in the order of its field numbers, zero values left out: what Go's protobuf writes.
fn go(request: &Submission) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(go_bytes(1, request.request_id.as_bytes()));
    bytes.extend(go_number(2, request.proof_kind as u64));
    bytes.extend(go_number(3, request.sector_size));
    bytes.extend(go_number(4, request.registered_proof));
    bytes.extend(go_number(5, request.priority as u64));
    bytes.extend(go_bytes(10, &request.vanilla_proof));
    request.vanilla_proofs.iter().for_each(|proof| bytes.extend(go_bytes(11, proof)));
    bytes.extend(go_number(20, request.sector_number));
    bytes.extend(go_number(21, request.miner_id));
    bytes.extend(go_bytes(22, &request.randomness));
    bytes.extend(go_number(23, u64::from(request.partition_index)));
    bytes.extend(go_bytes(30, &request.comm_r_old));
    bytes.extend(go_bytes(31, &request.comm_r_new));
    bytes.extend(go_bytes(32, &request.comm_d_new));
    bytes
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn go_number(field: u64, number: u64) -> Vec<u8> {
    if number == 0 { Vec::new() } else { [varint(field << 3), varint(number)].concat() }
}

fn go_bytes(field: u64, bytes: &[u8]) -> Vec<u8> {
    if bytes.is_empty() {
        return Vec::new();
    }
    [varint(field << 3 | 2), varint(bytes.len() as u64), bytes.to_vec()].concat()
}
