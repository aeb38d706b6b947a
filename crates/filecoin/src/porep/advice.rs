//! A PoRep partition's advice: what the gadgets of the proof crates' `stacked::circuit` allocate without defining it.
//!
//! 1. the replica id, `comm_d` and `comm_r`, which are public inputs as well, and the roots of TreeR and TreeC;
//! 2. for each challenge:
//!    - the data leaf and its path in TreeD;
//!    - for each of the node's parents, those of its own layer first, the column of labels and its path in TreeC;
//!    - the node's number in 64 bits;
//!    - the paths of the node in TreeR and in TreeC.
//!
//! The node's own labels, its key and its replica are hashes and sums, so the circuit has them from its parents' columns.
//! What else a C1 output says of them (`labeling_proofs`, `encoding_proof`, the rows of `c_x`) is no advice.

use cuzk_circuit::AdviceWriter;

use super::inputs::Statement;
use super::output::{ChallengeProof, ColumnProof};
use crate::error::Error;
use crate::merkle::{advise_bits, advise_node, advise_nodes, advise_path};

type Written = Result<(), Error>;

/// Writes the advice of one partition. `proofs` has passed every check.
pub(super) fn advise(statement: &Statement, proofs: &[ChallengeProof], advice: &mut AdviceWriter<'_>) -> Written {
    advise_nodes([&statement.replica_id, &statement.comm_d, &statement.comm_r], advice)?;
    if let Some(first) = proofs.first() {
        // All paths of a request lead to the same roots.
        let (tree_r, tree_c) = (&first.comm_r_last_proof, &first.replica_column_proofs.c_x.inclusion_proof);
        advise_nodes([tree_r.root(), tree_c.root()], advice)?;
    }
    proofs.iter().try_for_each(|proof| challenge(proof, advice))
}

fn challenge(proof: &ChallengeProof, advice: &mut AdviceWriter<'_>) -> Written {
    advise_node(proof.comm_d_proofs.leaf(), advice)?;
    advise_path(&proof.comm_d_proofs, advice)?;
    let columns = &proof.replica_column_proofs;
    columns.drg_parents.iter().chain(&columns.exp_parents).try_for_each(|parent| column(parent, advice))?;
    advise_bits(u64::from(columns.c_x.column.index), u64::BITS, advice)?;
    advise_path(&proof.comm_r_last_proof, advice)?;
    advise_path(&columns.c_x.inclusion_proof, advice)
}

fn column(proof: &ColumnProof, advice: &mut AdviceWriter<'_>) -> Written {
    advise_nodes(&proof.column.rows, advice)?;
    advise_path(&proof.inclusion_proof, advice)
}
