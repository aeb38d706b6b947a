//! A request's fields, between the wire and the engine: all of them, unjudged.

use cuzk_filecoin::Submission;
use cuzk_proto::v1::SubmitProofRequest;

/// A submission as it came off the wire.
pub fn from_wire(request: SubmitProofRequest) -> Submission {
    Submission {
        request_id: request.request_id,
        proof_kind: request.proof_kind,
        sector_size: request.sector_size,
        registered_proof: request.registered_proof,
        priority: request.priority,
        vanilla_proof: request.vanilla_proof.into(),
        vanilla_proofs: request.vanilla_proofs.into_iter().map(Into::into).collect(),
        sector_number: request.sector_number,
        miner_id: request.miner_id,
        randomness: request.randomness,
        partition_index: request.partition_index,
        comm_r_old: request.comm_r_old,
        comm_r_new: request.comm_r_new,
        comm_d_new: request.comm_d_new,
        deadline_unix_ms: request.deadline_unix_ms,
    }
}

/// A submission as it goes over the wire.
pub fn to_wire(submission: Submission) -> SubmitProofRequest {
    SubmitProofRequest {
        request_id: submission.request_id,
        proof_kind: submission.proof_kind,
        sector_size: submission.sector_size,
        registered_proof: submission.registered_proof,
        priority: submission.priority,
        vanilla_proof: submission.vanilla_proof.into(),
        vanilla_proofs: submission.vanilla_proofs.into_iter().map(Into::into).collect(),
        sector_number: submission.sector_number,
        miner_id: submission.miner_id,
        randomness: submission.randomness,
        partition_index: submission.partition_index,
        comm_r_old: submission.comm_r_old,
        comm_r_new: submission.comm_r_new,
        comm_d_new: submission.comm_d_new,
        deadline_unix_ms: submission.deadline_unix_ms,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_field_gets_lost() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let submission = Submission {
            request_id: "a".into(),
            proof_kind: 1,
            sector_size: 2,
            registered_proof: 3,
            priority: 4,
            vanilla_proof: vec![5],
            vanilla_proofs: vec![vec![6], vec![]],
            sector_number: 7,
            miner_id: 8,
            randomness: vec![9],
            partition_index: 10,
            comm_r_old: vec![11],
            comm_r_new: vec![12],
            comm_d_new: vec![13],
            deadline_unix_ms: 14,
        };
        assert!(from_wire(to_wire(submission.clone())) == submission);
    }
}
