//! A SnapDeals payload: one bincode `PartitionProof` a partition in field 11, read into types of our own.

use serde::Deserialize;

use crate::field_path::FieldPath;
use crate::merkle::{HeapBytes, MerkleProof, Node};

/// The field that the payload stands in.
pub(super) const FIELD: FieldPath<'static> = FieldPath::root("vanilla_proofs");

/// Mirror of the crates' `PartitionProof`.
#[derive(Deserialize)]
pub(super) struct PartitionProof {
    /// Commitment to the label columns, which an update leaves as they are.
    pub(super) comm_c: Node,
    /// The nodes of the new TreeD, in the row that the paths of this partition are cut off at.
    pub(super) apex_leafs: Vec<Node>,
    pub(super) challenge_proofs: Vec<ChallengeProof>,
}

/// Mirror of `ChallengeProof`: one node in all three trees.
#[derive(Deserialize)]
pub(super) struct ChallengeProof {
    pub(super) proof_r_old: MerkleProof,
    pub(super) proof_d_new: MerkleProof,
    pub(super) proof_r_new: MerkleProof,
}

impl HeapBytes for PartitionProof {
    fn heap_bytes(&self) -> usize {
        self.apex_leafs.heap_bytes() + self.challenge_proofs.heap_bytes()
    }
}

impl HeapBytes for ChallengeProof {
    fn heap_bytes(&self) -> usize {
        self.proof_r_old.heap_bytes() + self.proof_d_new.heap_bytes() + self.proof_r_new.heap_bytes()
    }
}
