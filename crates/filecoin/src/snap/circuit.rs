//! A SnapDeals partition's circuit, through the proof crates' own gadgets.

use bellperson::{ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use filecoin_hashers::sha256::Sha256Domain;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::error::Result;
use storage_proofs_update::{self as update, EmptySectorUpdateCompound, PublicParams};

use super::inputs::Statement;
use super::payload::{ChallengeProof, PartitionProof};
use crate::SectorSize;
use crate::guard::guarded_synthesis;
use crate::merkle::{data_path, poseidon, tree_path};
use crate::shape::TreeShape;

/// Synthesises one partition with its witness. `proof` has passed every check.
pub(super) fn synthesize<Tree: TreeShape, CS: ConstraintSystem<Scalar>>(
    statement: &Statement,
    proof: &PartitionProof,
    partition: usize,
    cs: &mut CS,
) -> std::result::Result<(), SynthesisError> {
    guarded_synthesis(cs, || -> Result<_> {
        let proof = update::PartitionProof::<Tree> {
            comm_c: poseidon(&proof.comm_c),
            apex_leafs: proof.apex_leafs.iter().map(|node| Sha256Domain(*node)).collect(),
            challenge_proofs: proof.challenge_proofs.iter().map(challenge).collect(),
        };
        let inputs = statement.public_inputs(partition);
        EmptySectorUpdateCompound::<Tree>::circuit(&inputs, (), &proof, &statement.params(), Some(partition))
    })
}

/// Synthesises any partition without a witness.
pub(super) fn synthesize_blank<Tree: TreeShape, CS: ConstraintSystem<Scalar>>(
    size: SectorSize,
    cs: &mut CS,
) -> std::result::Result<(), SynthesisError> {
    guarded_synthesis(cs, || -> Result<_> {
        let params = PublicParams::from_sector_size(size.bytes());
        Ok(EmptySectorUpdateCompound::<Tree>::blank_circuit(&params))
    })
}

fn challenge<Tree: TreeShape>(proof: &ChallengeProof) -> update::ChallengeProof<Tree> {
    update::ChallengeProof {
        proof_r_old: tree_path::<Tree>(&proof.proof_r_old),
        proof_d_new: data_path(&proof.proof_d_new),
        proof_r_new: tree_path::<Tree>(&proof.proof_r_new),
    }
}
