//! What each fuzz target does with its input: one payload, in an otherwise sound request. The workspace's tests include this
//! file to replay the corpus.
#![allow(dead_code, reason = "each target uses one")]

use cuzk_filecoin::{ProofKind, Request, RequestError, SectorSize, Submission, registered};

const SIZE: SectorSize = SectorSize::KiB2;

/// PoRep: the JSON of a C1 output, wrapped or bare.
pub(crate) fn porep(payload: &[u8]) -> Result<Request, RequestError> {
    Request::parse(&Submission::porep(payload.to_vec()))
}

/// SnapDeals: the bincode of a partition proof. The commitments are the first 96 bytes of the input.
pub(crate) fn snap(input: &[u8]) -> Result<Request, RequestError> {
    let (commitments, payload) = input.split_at(input.len().min(96));
    let mut commitments = commitments.chunks(32).map(<[u8]>::to_vec);
    let [comm_r_old, comm_r_new, comm_d_new] = [(); 3].map(|()| commitments.next().unwrap_or_default());
    Request::parse(&Submission {
        proof_kind: ProofKind::SnapDealsUpdate.wire(),
        sector_size: SIZE.bytes(),
        vanilla_proofs: vec![payload.to_vec()],
        comm_r_old,
        comm_r_new,
        comm_d_new,
        ..Submission::default()
    })
}

/// WindowPoSt: the bincode of one sector's proof. The randomness is the first 32 bytes of the input.
pub(crate) fn window_post(input: &[u8]) -> Result<Request, RequestError> {
    let number = registered::post_proof_wire(registered::window_post_proof(SIZE));
    post(ProofKind::WindowPostPartition, number, input)
}

/// WinningPoSt: as WindowPoSt.
pub(crate) fn winning_post(input: &[u8]) -> Result<Request, RequestError> {
    let number = registered::post_proof_wire(registered::winning_post_proof(SIZE));
    post(ProofKind::WinningPost, number, input)
}

fn post(kind: ProofKind, registered_proof: u64, input: &[u8]) -> Result<Request, RequestError> {
    let (randomness, payload) = input.split_at(input.len().min(32));
    Request::parse(&Submission {
        proof_kind: kind.wire(),
        sector_size: SIZE.bytes(),
        registered_proof,
        vanilla_proofs: vec![payload.to_vec()],
        randomness: randomness.to_vec(),
        ..Submission::default()
    })
}
