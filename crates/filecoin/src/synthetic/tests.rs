//! Synthetic sectors as a whole: judged by the crates' vanilla verifier and by their circuits.

mod checking;
mod snap;

use super::{GenerateError, porep, wrap};
use base64::{Engine, engine::general_purpose::STANDARD};
use bellperson::{Circuit, ConstraintSystem};
use blstrs::Scalar;
use checking::CheckingSystem;
use cuzk_testing::TimeLimit;
use filecoin_hashers::{
    Domain,
    poseidon::{PoseidonDomain, PoseidonHasher},
    sha256::{Sha256Domain, Sha256Hasher},
};
use filecoin_proofs::{constants::SectorShape2KiB, parameters::public_params};
use filecoin_proofs_api::{
    RegisteredSealProof,
    seal::{SealCommitPhase1Output, VanillaSealProof},
};
use storage_proofs_core::{
    compound_proof::CompoundProof,
    merkle::{MerkleProof, MerkleProofTrait, MerkleTreeTrait},
    proof::ProofScheme,
};
use storage_proofs_porep::stacked::{
    self, PublicInputs, PublicParams, StackedCircuit, StackedCompound, StackedDrg, Tau, generate_replica_id,
};

type Proof<Tree> = stacked::Proof<Tree, Sha256Hasher>;
type Inputs = PublicInputs<PoseidonDomain, Sha256Domain>;

const SMALL: RegisteredSealProof = RegisteredSealProof::StackedDrg2KiBV1_1;

/// Everything needed to judge an output apart from the code that made it.
fn statement<Tree>(output: &SealCommitPhase1Output) -> (PublicParams<Tree>, Inputs)
where
    Tree: MerkleTreeTrait<Hasher = PoseidonHasher> + 'static,
{
    let params = public_params::<Tree>(&output.registered_proof.as_v1_config()).unwrap();
    let tau = Tau {
        comm_d: Sha256Domain::try_from_bytes(&output.comm_d).unwrap(),
        comm_r: PoseidonDomain::try_from_bytes(&output.comm_r).unwrap(),
    };
    let inputs = PublicInputs { replica_id: output.replica_id, seed: Some(output.seed), tau: Some(tau), k: None };
    (params, inputs)
}

fn small_proofs(output: &SealCommitPhase1Output) -> &[Vec<Proof<SectorShape2KiB>>] {
    match &output.vanilla_proofs {
        VanillaSealProof::StackedDrg2KiBV1(proofs) => proofs,
        _ => panic!("not the proofs of a 2 KiB sector"),
    }
}

/// Runs the circuit over the `challenges` of partition 0.
fn check_circuit<Tree>(params: &PublicParams<Tree>, inputs: &Inputs, challenges: &Vec<Proof<Tree>>) -> CheckingSystem
where
    Tree: MerkleTreeTrait<Hasher = PoseidonHasher> + 'static,
{
    let mut system = CheckingSystem::new();
    <StackedCompound<Tree, Sha256Hasher> as CompoundProof<StackedDrg<Tree, Sha256Hasher>, _>>::circuit(
        inputs,
        (),
        challenges,
        params,
        Some(0),
    )
    .unwrap()
    .synthesize(&mut system)
    .unwrap();
    system
}

fn expected_inputs<Tree>(params: &PublicParams<Tree>, inputs: &Inputs) -> Vec<Scalar>
where
    Tree: MerkleTreeTrait<Hasher = PoseidonHasher> + 'static,
{
    <StackedCompound<Tree, Sha256Hasher> as CompoundProof<
        StackedDrg<Tree, Sha256Hasher>,
        StackedCircuit<Tree, Sha256Hasher>,
    >>::generate_public_inputs(inputs, params, Some(0))
    .unwrap()
}

#[test]
fn the_crates_verifier_accepts_a_small_sector() {
    let _limit = TimeLimit::seconds(60);
    for (registered_proof, seed) in
        [(SMALL, 0), (SMALL, 1), (SMALL, u64::MAX), (RegisteredSealProof::StackedDrg2KiBV1, 0)]
    {
        let output = porep(registered_proof, 1000, 7, seed).unwrap();
        let (params, inputs) = statement::<SectorShape2KiB>(&output);
        let proofs = small_proofs(&output);
        assert!(StackedDrg::verify_all_partitions(&params, &inputs, proofs).unwrap(), "{registered_proof:?} {seed}");
    }
}

#[test]
fn the_replica_is_bound_to_miner_and_sector() {
    let _limit = TimeLimit::seconds(60);
    let output = porep(SMALL, 1000, 7, 0).unwrap();
    let mut prover = [0u8; 32];
    prover[..2].copy_from_slice(&[0xe8, 0x07]);
    let replica_id = generate_replica_id::<PoseidonHasher, _>(
        &prover,
        7,
        &output.ticket,
        output.comm_d,
        &SMALL.as_v1_config().porep_id,
    );
    assert_eq!(output.replica_id, replica_id);
}

#[test]
fn the_output_follows_from_the_arguments() {
    let _limit = TimeLimit::seconds(60);
    let json = |miner, sector, seed| serde_json::to_string(&porep(SMALL, miner, sector, seed).unwrap()).unwrap();
    let output = json(1000, 7, 0);
    assert_eq!(output, json(1000, 7, 0));
    for other in [json(1001, 7, 0), json(1000, 8, 0), json(1000, 7, 1)] {
        assert_ne!(output, other);
    }
}

#[test]
fn the_circuit_is_satisfied_and_finds_a_wrong_hash() {
    let _limit = TimeLimit::seconds(120);
    let output = porep(SMALL, 1000, 7, 0).unwrap();
    let (params, inputs) = statement(&output);
    let mut challenges = small_proofs(&output)[0].clone();
    let system = check_circuit(&params, &inputs, &challenges);
    assert_eq!(system.unsatisfied(), &[] as &[usize]);
    assert_eq!(system.inputs(), expected_inputs(&params, &inputs));

    let honest = &challenges[1].comm_r_last_proof;
    let mut path = honest.path();
    path[0].0[3] = PoseidonDomain::from(Scalar::from(1));
    challenges[1].comm_r_last_proof = MerkleProof::from_parts(honest.leaf(), honest.root(), path);
    let system = check_circuit(&params, &inputs, &challenges);
    assert_ne!(system.unsatisfied(), &[] as &[usize]);
}

/// One challenge of a production sector, because all 18 take the time of 18.
fn a_challenge_satisfies_the_circuit<Tree>(output: &SealCommitPhase1Output, proofs: &[Vec<Proof<Tree>>])
where
    Tree: MerkleTreeTrait<Hasher = PoseidonHasher> + 'static,
{
    let (params, inputs) = statement::<Tree>(output);
    assert!(StackedDrg::<Tree, Sha256Hasher>::verify_all_partitions(&params, &inputs, proofs).unwrap());
    let system = check_circuit(&params, &inputs, &vec![proofs[0][0].clone()]);
    assert_eq!(system.unsatisfied(), &[] as &[usize]);
    let expected = expected_inputs(&params, &inputs);
    assert_eq!(system.inputs(), &expected[..system.inputs().len()]);
}

#[test]
fn a_32_gib_sector_verifies_and_a_challenge_of_it_satisfies_the_circuit() {
    let _limit = TimeLimit::seconds(240);
    let output = porep(RegisteredSealProof::StackedDrg32GiBV1_1, 1000, 7, 0).unwrap();
    let VanillaSealProof::StackedDrg32GiBV1(proofs) = &output.vanilla_proofs else {
        panic!("not the proofs of a 32 GiB sector");
    };
    a_challenge_satisfies_the_circuit(&output, proofs);
}

/// The largest shape has sub-trees and a top tree.
#[test]
fn a_64_gib_sector_verifies_and_a_challenge_of_it_satisfies_the_circuit() {
    let _limit = TimeLimit::seconds(240);
    let output = porep(RegisteredSealProof::StackedDrg64GiBV1_1, 1000, 7, 0).unwrap();
    let VanillaSealProof::StackedDrg64GiBV1(proofs) = &output.vanilla_proofs else {
        panic!("not the proofs of a 64 GiB sector");
    };
    a_challenge_satisfies_the_circuit(&output, proofs);
}

#[test]
fn every_other_published_size_is_made_in_seconds() {
    let _limit = TimeLimit::seconds(60);
    let sizes = [(RegisteredSealProof::StackedDrg8MiBV1_1, 1), (RegisteredSealProof::StackedDrg512MiBV1_1, 1)];
    for (registered_proof, partitions) in sizes {
        let output = porep(registered_proof, 1000, 7, 0).unwrap();
        let made = match &output.vanilla_proofs {
            VanillaSealProof::StackedDrg8MiBV1(proofs) | VanillaSealProof::StackedDrg512MiBV1(proofs) => proofs.len(),
            _ => 0,
        };
        assert_eq!(made, partitions, "{registered_proof:?}");
    }
}

#[test]
fn other_kinds_of_porep_are_refused() {
    let _limit = TimeLimit::seconds(10);
    for registered_proof in [
        RegisteredSealProof::StackedDrg2KiBV1_1_Feat_SyntheticPoRep,
        RegisteredSealProof::StackedDrg2KiBV1_2_Feat_NonInteractivePoRep,
    ] {
        let refused = porep(registered_proof, 1000, 7, 0);
        assert!(
            matches!(refused, Err(GenerateError::NotInteractive { registered_proof: named }) if named == registered_proof)
        );
    }
}

#[test]
fn the_wrapped_form_holds_the_output() {
    let _limit = TimeLimit::seconds(60);
    let output = porep(SMALL, 1000, 7, 0).unwrap();
    let wrapped: serde_json::Value = serde_json::from_slice(&wrap(&output, 7, 2048).unwrap()).unwrap();
    assert_eq!((&wrapped["SectorNum"], &wrapped["SectorSize"]), (&7.into(), &2048.into()));
    let inner = STANDARD.decode(wrapped["Phase1Out"].as_str().unwrap()).unwrap();
    assert_eq!(inner, serde_json::to_vec(&output).unwrap());
}
