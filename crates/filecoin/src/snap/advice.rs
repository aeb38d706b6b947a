//! A SnapDeals partition's advice: what the gadgets of the proof crates' `storage_proofs_update` allocate without defining
//! it.
//!
//! 1. the public inputs: `k_and_h_select`, `comm_r_old`, `comm_d_new`, `comm_r_new`;
//! 2. `comm_c`, the roots of the old and of the new TreeR;
//! 3. the apex leaves, then the siblings of the partition's node in TreeD on its way to the root;
//! 4. for each challenge the leaves of the old TreeR and of TreeD, then siblings: in the old TreeR, in the new one, and in
//!    TreeD as far as the apex leaf.
//!
//! There are no bits among it: the challenges follow from `comm_r_new`, and they give all directions. The new leaf is the
//! old one's encoding.

use blstrs::Scalar;
use cuzk_circuit::AdviceWriter;

use super::geometry::Geometry;
use super::payload::{ChallengeProof, PartitionProof};
use crate::error::Error;
use crate::merkle::{advise_node, advise_nodes, advise_siblings, rows};

type Written = Result<(), Error>;

/// Writes the advice of the partition with these public inputs. `proof` has passed every check.
pub(super) fn advise(
    geometry: &Geometry,
    public_inputs: &[Scalar],
    proof: &PartitionProof,
    advice: &mut AdviceWriter<'_>,
) -> Written {
    public_inputs.iter().try_for_each(|input| advice.scalar(*input))?;
    advise_node(&proof.comm_c, advice)?;
    let first = proof.challenge_proofs.first();
    if let Some(first) = first {
        advise_nodes([first.proof_r_old.root(), first.proof_r_new.root()], advice)?;
    }
    advise_nodes(&proof.apex_leafs, advice)?;
    if let Some(first) = first {
        // All paths of a partition are the same from here on.
        advise_siblings(rows(&first.proof_d_new).skip(geometry.partition_height), advice)?;
    }
    proof.challenge_proofs.iter().try_for_each(|proof| challenge(geometry, proof, advice))
}

fn challenge(geometry: &Geometry, proof: &ChallengeProof, advice: &mut AdviceWriter<'_>) -> Written {
    advise_nodes([proof.proof_r_old.leaf(), proof.proof_d_new.leaf()], advice)?;
    advise_siblings(rows(&proof.proof_r_old), advice)?;
    advise_siblings(rows(&proof.proof_r_new), advice)?;
    advise_siblings(rows(&proof.proof_d_new).take(geometry.apex_height), advice)
}
