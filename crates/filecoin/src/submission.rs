//! A request as it came off the wire, and its identity.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::{Priority, ProofKind};

/// Every field of a `SubmitProofRequest`, decoded but not yet judged. Numbers are the protocol's field numbers.
///
/// Nothing in here is trusted; [`Request::parse`](crate::Request::parse) turns it into something that can be proved or
/// says which field is wrong.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Submission {
    /// 1: a name of the client's choosing; neither unique nor enough to tell requests apart.
    pub request_id: String,
    /// 2: the kind of proof, as a raw number (see [`ProofKind::from_wire`]).
    pub proof_kind: i32,
    /// 3: bytes of a sector; 0 when the client leaves it to the registered proof.
    pub sector_size: u64,
    /// 4: the number of the registered proof in the chain's enum for this kind.
    pub registered_proof: u64,
    /// 5: the priority, as a raw number (see [`Priority::from_wire`]).
    pub priority: i32,
    /// 10: the vanilla proof of kinds that have one: for PoRep, the C1 output.
    pub vanilla_proof: Vec<u8>,
    /// 11: the vanilla proofs of kinds that have many.
    pub vanilla_proofs: Vec<Vec<u8>>,
    /// 20: the sector's number.
    pub sector_number: u64,
    /// 21: the miner's number.
    pub miner_id: u64,
    /// 22: the chain's randomness (PoSt).
    pub randomness: Vec<u8>,
    /// 23: which partition of a deadline (WindowPoSt).
    pub partition_index: u32,
    /// 30: the replica commitment before an update (SnapDeals).
    pub comm_r_old: Vec<u8>,
    /// 31: the replica commitment after it.
    pub comm_r_new: Vec<u8>,
    /// 32: the data commitment after it.
    pub comm_d_new: Vec<u8>,
    /// 100: when the result stops being useful, in milliseconds since 1970; 0 for never.
    pub deadline_unix_ms: u64,
}

impl Submission {
    /// A PoRep C2 submission with nothing but its payload: what a file of a C1 output amounts to.
    pub fn porep(vanilla_proof: Vec<u8>) -> Self {
        Self { proof_kind: ProofKind::PorepSealCommit.wire(), vanilla_proof, ..Self::default() }
    }

    /// The kind of proof, if the number is a known one.
    pub fn kind(&self) -> Option<ProofKind> {
        ProofKind::from_wire(self.proof_kind)
    }

    /// The priority that this submission has: its own, or that of its kind, or `Normal` when neither says.
    pub fn priority(&self) -> Priority {
        self.kind().map_or(Priority::Normal, |kind| Priority::from_wire(self.priority, kind))
    }

    /// Bytes of host memory that the payload takes.
    pub fn payload_bytes(&self) -> usize {
        let listed = self.vanilla_proofs.iter().map(|proof| proof.capacity() + size_of::<Vec<u8>>());
        self.vanilla_proof.capacity() + listed.sum::<usize>()
    }

    /// The identity of this submission: two are the same work only when their digests are equal.
    ///
    /// SHA-256 over the decoded fields in field order (the bytes of a protobuf message are not canonical), each as its
    /// number and its content, with lengths and counts before whatever varies, so that no two submissions run together.
    /// `request_id` is included, since clients expect one job a name. The deadline (field 100) is not: it says until
    /// when somebody cares, and does not change the work, so a retry with a later deadline finds the first try's proof.
    pub fn digest(&self) -> [u8; 32] {
        let mut fields = Fields::new();
        fields.bytes(1, self.request_id.as_bytes());
        fields.number(2, self.proof_kind as u64);
        fields.number(3, self.sector_size);
        fields.number(4, self.registered_proof);
        fields.number(5, self.priority as u64);
        fields.bytes(10, &self.vanilla_proof);
        fields.list(11, &self.vanilla_proofs);
        fields.number(20, self.sector_number);
        fields.number(21, self.miner_id);
        fields.bytes(22, &self.randomness);
        fields.number(23, u64::from(self.partition_index));
        fields.bytes(30, &self.comm_r_old);
        fields.bytes(31, &self.comm_r_new);
        fields.bytes(32, &self.comm_d_new);
        fields.finish()
    }
}

/// Hashes numbered fields, unambiguously.
struct Fields(Sha256);

impl Fields {
    fn new() -> Self {
        Self(Sha256::new_with_prefix(b"cuzk.v1.SubmitProofRequest"))
    }

    fn word(&mut self, word: u64) {
        self.0.update(word.to_be_bytes());
    }

    fn number(&mut self, field: u64, value: u64) {
        self.word(field);
        self.word(value);
    }

    fn bytes(&mut self, field: u64, value: &[u8]) {
        self.number(field, value.len() as u64);
        self.0.update(value);
    }

    fn list(&mut self, field: u64, values: &[Vec<u8>]) {
        self.number(field, values.len() as u64);
        for value in values {
            self.word(value.len() as u64);
            self.0.update(value);
        }
    }

    fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

/// Payloads are megabytes of somebody's data: only their lengths are shown.
impl fmt::Debug for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Submission")
            .field("request_id", &self.request_id)
            .field("proof_kind", &self.proof_kind)
            .field("sector_size", &self.sector_size)
            .field("registered_proof", &self.registered_proof)
            .field("priority", &self.priority)
            .field("vanilla_proof_bytes", &self.vanilla_proof.len())
            .field("vanilla_proofs", &self.vanilla_proofs.len())
            .field("sector_number", &self.sector_number)
            .field("miner_id", &self.miner_id)
            .field("partition_index", &self.partition_index)
            .field("deadline_unix_ms", &self.deadline_unix_ms)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// One submission for each field, differing from `base` in that field alone.
    fn variations(base: &Submission) -> Vec<Submission> {
        let vary = |change: fn(&mut Submission)| {
            let mut copy = base.clone();
            change(&mut copy);
            copy
        };
        vec![
            vary(|s| s.request_id.push('x')),
            vary(|s| s.proof_kind ^= 1),
            vary(|s| s.sector_size ^= 1),
            vary(|s| s.registered_proof ^= 1),
            vary(|s| s.priority ^= 1),
            vary(|s| s.vanilla_proof.push(0)),
            vary(|s| s.vanilla_proofs.push(Vec::new())),
            vary(|s| s.sector_number ^= 1),
            vary(|s| s.miner_id ^= 1),
            vary(|s| s.randomness.push(0)),
            vary(|s| s.partition_index ^= 1),
            vary(|s| s.comm_r_old.push(0)),
            vary(|s| s.comm_r_new.push(0)),
            vary(|s| s.comm_d_new.push(0)),
        ]
    }

    #[test]
    fn every_field_but_the_deadline_counts() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let base = Submission::porep(b"payload".to_vec());
        let mut digests: HashSet<_> = variations(&base).iter().map(Submission::digest).collect();
        digests.insert(base.digest());
        assert_eq!(digests.len(), variations(&base).len() + 1);

        let later = Submission { deadline_unix_ms: 1, ..base.clone() };
        assert_eq!(later.digest(), base.digest());
    }

    #[test]
    fn bytes_do_not_move_between_fields_or_items() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let with = |items: &[&str]| Submission {
            vanilla_proofs: items.iter().map(|item| item.as_bytes().to_vec()).collect(),
            ..Submission::default()
        };
        let all = [
            with(&["ab", "c"]),
            with(&["a", "bc"]),
            with(&["abc"]),
            with(&["abc", ""]),
            with(&["", "abc"]),
            Submission::porep(b"abc".to_vec()),
            Submission { randomness: b"abc".to_vec(), ..Submission::default() },
        ];
        let digests: HashSet<_> = all.iter().map(Submission::digest).collect();
        assert_eq!(digests.len(), all.len());
    }

    #[test]
    fn priority_falls_back_to_the_kind() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let mut submission = Submission::porep(Vec::new());
        assert_eq!(submission.priority(), Priority::Normal);
        submission.proof_kind = ProofKind::WinningPost.wire();
        assert_eq!(submission.priority(), Priority::Critical);
        submission.priority = Priority::Low.wire();
        assert_eq!(submission.priority(), Priority::Low);
        submission.proof_kind = 99;
        assert_eq!(submission.priority(), Priority::Normal);
    }

    proptest! {
        #[test]
        fn equal_content_has_equal_digests(id: String, payload: Vec<u8>, sector: u64, miner: u64) {
            let _limit = cuzk_testing::TimeLimit::seconds(30);
            let make = || Submission {
                request_id: id.clone(),
                sector_number: sector,
                miner_id: miner,
                ..Submission::porep(payload.clone())
            };
            prop_assert_eq!(make().digest(), make().digest());
        }
    }
}
