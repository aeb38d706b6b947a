//! Synthetic updates of the two large sizes against their circuits, one challenge each: all 86 take the time of 86.

use super::checking::CheckingSystem;
use crate::{
    SectorSize,
    merkle::poseidon,
    shape::TreeShape,
    synthetic::{SnapVanilla, snap},
};
use bellperson::{Circuit, ConstraintSystem};
use cuzk_testing::TimeLimit;
use filecoin_hashers::sha256::Sha256Domain;
use filecoin_proofs::constants::{SectorShape32GiB, SectorShape64GiB};
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_update::{
    EmptySectorUpdateCompound, PartitionProof, PublicInputs, PublicParams, constants::h_default,
};

fn first_challenge_holds<Tree: TreeShape>(size: SectorSize) {
    let SnapVanilla { comm_r_old, comm_r_new, comm_d_new, partition_proofs } = snap(size, 3).expect("an update");
    let mut params = PublicParams::from_sector_size(size.bytes());
    assert_eq!(partition_proofs.len(), params.partition_count);
    // Of partition 0: those of the others depend on how many challenges there are before them.
    let mut proof: PartitionProof<Tree> = bincode::deserialize(&partition_proofs[0]).expect("just written");
    assert_eq!(proof.challenge_proofs.len(), params.challenge_count);
    proof.challenge_proofs.truncate(1);
    params.challenge_count = 1;
    let inputs = PublicInputs {
        k: 0,
        comm_r_old: poseidon(&comm_r_old),
        comm_d_new: Sha256Domain(comm_d_new),
        comm_r_new: poseidon(&comm_r_new),
        h: h_default(size.nodes()),
    };
    let mut system = CheckingSystem::new();
    let circuit = EmptySectorUpdateCompound::<Tree>::circuit(&inputs, (), &proof, &params, Some(0)).expect("a circuit");
    circuit.synthesize(&mut system).expect("gadgets run");
    assert_eq!(system.unsatisfied(), &[] as &[usize]);
    let expected = EmptySectorUpdateCompound::<Tree>::generate_public_inputs(&inputs, &params, Some(0));
    assert_eq!(system.inputs(), expected.expect("public inputs"));
}

#[test]
fn a_challenge_of_a_32_gib_update_satisfies_the_circuit() {
    let _limit = TimeLimit::seconds(300);
    first_challenge_holds::<SectorShape32GiB>(SectorSize::GiB32);
}

/// The shape with a top tree of its own arity.
#[test]
fn a_challenge_of_a_64_gib_update_satisfies_the_circuit() {
    let _limit = TimeLimit::seconds(300);
    first_challenge_holds::<SectorShape64GiB>(SectorSize::GiB64);
}
