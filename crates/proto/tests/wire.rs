//! Holds the generated types against the wire contract, written out here by hand.

use cuzk_proto::v1::{
    AwaitProofResponse, GetStatusResponse, ProofKind, ProveRequest, SubmitProofRequest, SubmitProofResponse,
    await_proof_response, srs_status,
};
use cuzk_testing::TimeLimit;
use prost::Message;

/// A key with wire type 0 (varint) and value, a key with wire type 2 and content: protobuf by hand.
fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push((value as u8 & 0x7f) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn number(field: u64, value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    varint(field << 3, &mut out);
    varint(value, &mut out);
    out
}

fn bytes(field: u64, content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    varint(field << 3 | 2, &mut out);
    varint(content.len() as u64, &mut out);
    out.extend_from_slice(content);
    out
}

#[test]
fn every_field_of_a_request_has_its_number() {
    let _limit = TimeLimit::seconds(10);
    // Keys as literal bytes: field 1 string 0x0a, field 2 varint 0x10, … field 100 varint 0xa0 0x06.
    let wire: &[u8] = &[
        0x0a, 0x02, b'i', b'd', // 1 request_id
        0x10, 0x03, // 2 proof_kind
        0x18, 0x80, 0x10, // 3 sector_size 2048
        0x20, 0x05, // 4 registered_proof
        0x28, 0x04, // 5 priority
        0x52, 0x03, b'o', b'n', b'e', // 10 vanilla_proof
        0x5a, 0x01, b'a', // 11 vanilla_proofs
        0x5a, 0x01, b'b', // 11 vanilla_proofs
        0xa0, 0x01, 0x07, // 20 sector_number
        0xa8, 0x01, 0xe8, 0x07, // 21 miner_id 1000
        0xb2, 0x01, 0x02, 0x11, 0x22, // 22 randomness
        0xb8, 0x01, 0x09, // 23 partition_index
        0xf2, 0x01, 0x01, 0x33, // 30 comm_r_old
        0xfa, 0x01, 0x01, 0x44, // 31 comm_r_new
        0x82, 0x02, 0x01, 0x55, // 32 comm_d_new
        0xa0, 0x06, 0x80, 0x01, // 100 deadline_unix_ms 128
    ];
    let expected = SubmitProofRequest {
        request_id: "id".to_owned(),
        proof_kind: 3,
        sector_size: 2048,
        registered_proof: 5,
        priority: 4,
        vanilla_proof: b"one".to_vec().into(),
        vanilla_proofs: vec![b"a".to_vec().into(), b"b".to_vec().into()],
        sector_number: 7,
        miner_id: 1000,
        randomness: vec![0x11, 0x22],
        partition_index: 9,
        comm_r_old: vec![0x33],
        comm_r_new: vec![0x44],
        comm_d_new: vec![0x55],
        deadline_unix_ms: 128,
    };
    assert_eq!(SubmitProofRequest::decode(wire).expect("well-formed"), expected);
    assert_eq!(expected.encode_to_vec(), wire);

    let nested = bytes(1, wire);
    assert_eq!(ProveRequest::decode(nested.as_slice()).expect("well-formed").submit, Some(expected));
}

#[test]
fn an_old_client_reads_our_responses() {
    let _limit = TimeLimit::seconds(10);
    let submitted = SubmitProofResponse { job_id: "j".to_owned(), queue_position: 2, assigned_gpu: "g".to_owned() };
    assert_eq!(submitted.encode_to_vec(), [bytes(1, b"j"), number(2, 2), bytes(3, b"g")].concat());

    let awaited = AwaitProofResponse {
        job_id: "j".to_owned(),
        status: await_proof_response::Status::Completed.into(),
        proof: vec![9; 3],
        error_message: "e".to_owned(),
        queue_wait_ms: 11,
        srs_load_ms: 12,
        synthesis_ms: 13,
        gpu_compute_ms: 14,
        total_ms: 15,
        verify_ms: 0,
    };
    let fixed: Vec<Vec<u8>> = (10..15).map(|field| number(field, field + 1)).collect();
    let expected = [bytes(1, b"j"), number(2, 1), bytes(3, &[9; 3]), bytes(4, b"e"), fixed.concat()].concat();
    assert_eq!(awaited.encode_to_vec(), expected);
}

#[test]
fn the_status_response_has_its_numbers() {
    let _limit = TimeLimit::seconds(10);
    let gpu = [number(1, 1), bytes(2, b"g"), number(3, 30), number(4, 40), bytes(5, b"j"), bytes(6, b"k")].concat();
    let srs = [bytes(1, b"porep-2k"), number(2, 2), number(3, 5), number(4, 1)].concat();
    let queue = [bytes(1, b"porep-c2"), number(2, 3), number(3, 4)].concat();
    let totals: Vec<Vec<u8>> = (4..9).map(|field| number(field, field * 10)).collect();
    let wire = [bytes(1, &gpu), bytes(2, &srs), bytes(3, &queue), totals.concat()].concat();

    let status = GetStatusResponse::decode(wire.as_slice()).expect("well-formed");
    let gpu = &status.gpus[0];
    assert_eq!((gpu.ordinal, gpu.name.as_str(), gpu.vram_total_bytes, gpu.vram_free_bytes), (1, "g", 30, 40));
    assert_eq!((gpu.current_job_id.as_str(), gpu.current_proof_kind.as_str()), ("j", "k"));
    let srs = &status.loaded_srs[0];
    assert_eq!(
        (srs.circuit_id.as_str(), srs.tier(), srs.size_bytes, srs.ref_count),
        ("porep-2k", srs_status::Tier::Cold, 5, 1)
    );
    let queue = &status.queues[0];
    assert_eq!((queue.proof_kind.as_str(), queue.pending, queue.in_progress), ("porep-c2", 3, 4));
    assert_eq!((status.total_proofs_completed, status.total_proofs_failed, status.uptime_seconds), (40, 50, 60));
    assert_eq!((status.pinned_memory_bytes, status.pinned_memory_limit_bytes), (70, 80));
    assert_eq!(status.encode_to_vec(), wire);
}

#[test]
fn enumerations_have_their_names_and_numbers() {
    let _limit = TimeLimit::seconds(10);
    let kinds =
        ["PROOF_KIND_UNSPECIFIED", "POREP_SEAL_COMMIT", "SNAP_DEALS_UPDATE", "WINDOW_POST_PARTITION", "WINNING_POST"];
    for (number, name) in (0..).zip(kinds) {
        assert_eq!(ProofKind::from_str_name(name).map(i32::from), Some(number), "{name}");
    }
    let priorities = ["PRIORITY_UNSPECIFIED", "LOW", "NORMAL", "HIGH", "CRITICAL"];
    for (number, name) in (0..).zip(priorities) {
        assert_eq!(cuzk_proto::v1::Priority::from_str_name(name).map(i32::from), Some(number), "{name}");
    }
    for (number, name) in (0..).zip(["UNKNOWN", "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT"]) {
        assert_eq!(await_proof_response::Status::from_str_name(name).map(i32::from), Some(number), "{name}");
    }
    for (number, name) in (0..).zip(["HOT", "WARM", "COLD"]) {
        assert_eq!(srs_status::Tier::from_str_name(name).map(i32::from), Some(number), "{name}");
    }
}
