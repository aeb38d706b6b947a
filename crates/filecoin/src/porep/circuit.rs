//! A PoRep partition's circuit, through the proof crates' own gadgets.

use bellperson::{ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use filecoin_hashers::poseidon::PoseidonHasher;
use filecoin_proofs::parameters::public_params;
use filecoin_proofs_api::RegisteredSealProof;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::error::Result;
use storage_proofs_porep::stacked::{self, EncodingProof, LabelingProof, ReplicaColumnProof, StackedCompound};

use super::inputs::Statement;
use super::output::{ChallengeProof, ColumnProof, LabelProof};
use crate::guard::guarded_synthesis;
use crate::merkle::{TreePath, data_path, poseidon, tree_path};
use crate::shape::{DataHasher, TreeShape};

/// Synthesises one partition with its witness. `proofs` has passed every check.
pub(crate) fn synthesize<Tree: TreeShape, CS: ConstraintSystem<Scalar>>(
    statement: &Statement,
    proofs: &[ChallengeProof],
    partition: usize,
    cs: &mut CS,
) -> std::result::Result<(), SynthesisError> {
    guarded_synthesis(cs, || -> Result<_> {
        let proofs: Vec<_> = proofs.iter().map(challenge::<Tree>).collect();
        let params = public_params::<Tree>(&statement.registered_proof.as_v1_config())?;
        let inputs = statement.public_inputs(Some(partition));
        StackedCompound::<Tree, DataHasher>::circuit(&inputs, (), &proofs, &params, Some(partition))
    })
}

/// Synthesises any partition without a witness.
pub(crate) fn synthesize_blank<Tree: TreeShape, CS: ConstraintSystem<Scalar>>(
    proof: RegisteredSealProof,
    cs: &mut CS,
) -> std::result::Result<(), SynthesisError> {
    guarded_synthesis(cs, || -> Result<_> {
        let params = public_params::<Tree>(&proof.as_v1_config())?;
        Ok(StackedCompound::<Tree, DataHasher>::blank_circuit(&params))
    })
}

fn challenge<Tree: TreeShape>(proof: &ChallengeProof) -> stacked::Proof<Tree, DataHasher> {
    let columns = &proof.replica_column_proofs;
    let parents = |columns: &[ColumnProof]| columns.iter().map(column::<Tree>).collect();
    stacked::Proof {
        comm_d_proofs: data_path(&proof.comm_d_proofs),
        comm_r_last_proof: tree_path::<Tree>(&proof.comm_r_last_proof),
        replica_column_proofs: ReplicaColumnProof {
            c_x: column::<Tree>(&columns.c_x),
            drg_parents: parents(&columns.drg_parents),
            exp_parents: parents(&columns.exp_parents),
        },
        labeling_proofs: proof.labeling_proofs.iter().map(labeling).collect(),
        encoding_proof: encoding(&proof.encoding_proof),
    }
}

fn column<Tree: TreeShape>(proof: &ColumnProof) -> stacked::ColumnProof<TreePath<Tree>> {
    stacked::ColumnProof::new(
        proof.column.index,
        proof.column.rows.iter().map(poseidon).collect(),
        tree_path::<Tree>(&proof.inclusion_proof),
    )
}

fn labeling(label: &LabelProof) -> LabelingProof<PoseidonHasher> {
    LabelingProof::new(label.layer_index, label.node, label.parents.iter().map(poseidon).collect())
}

fn encoding(label: &LabelProof) -> EncodingProof<PoseidonHasher> {
    EncodingProof::new(label.layer_index, label.node, label.parents.iter().map(poseidon).collect())
}
