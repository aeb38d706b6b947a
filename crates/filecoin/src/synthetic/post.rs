//! PoSt requests for sectors that nobody sealed.
//!
//! A PoSt opens a few leaves of each sector's TreeR, and shows that comm_r is the hash of comm_c and that tree's root. So
//! all sectors of a request share one sparse tree over random leaves where any of them is challenged, and each has a comm_c
//! of its own. The challenges follow from randomness and sector id, so nothing depends on what is made from them.

use std::collections::{BTreeMap, BTreeSet};

use blstrs::Scalar;
use ff::Field;
use filecoin_hashers::poseidon::{PoseidonDomain, PoseidonHasher};
use filecoin_hashers::{HashFunction, Hasher};
use filecoin_proofs::parameters::{window_post_public_params, winning_post_public_params};
use filecoin_proofs::{
    FallbackPoStSectorProof, PoStConfig, PoStType, generate_fallback_sector_challenges, partition_vanilla_proofs,
};
use filecoin_proofs_api::{RegisteredPoStProof, SectorId};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;
use storage_proofs_post::fallback::{self, PublicInputs, PublicSector, SectorProof};

use super::GenerateError;
use super::sparse_tree::SparseTree;
use crate::merkle::poseidon;
use crate::prover_id::prover_id;
use crate::shape::{TreeShape, with_shape};
use crate::{ProofKind, SectorSize, Submission, registered};

/// A WindowPoSt request (V1.1) for a partition of these sectors, checked by the proof crates' own vanilla verifier.
///
/// The same arguments always give the same request; another `seed` gives other leaves and other randomness. A sector has ten
/// paths: 25 KB at 32 GiB.
///
/// # Errors
/// [`GenerateError::Sectors`] for no sector, one that is named twice, or more than a partition has;
/// [`GenerateError::Crates`] and [`GenerateError::Rejected`] from the proof crates.
pub fn window_post(size: SectorSize, miner_id: u64, sectors: &[u64], seed: u64) -> Result<Submission, GenerateError> {
    let registered_proof = registered::window_post_proof(size);
    let submission = post(registered_proof, size, miner_id, sectors, seed)?;
    Ok(Submission { request_id: format!("wdpost-{miner_id}-0-{seed}"), ..submission })
}

/// A WinningPoSt request for one sector, checked by the proof crates' own vanilla verifier. See [`window_post`].
///
/// # Errors
/// [`GenerateError::Crates`] and [`GenerateError::Rejected`] from the proof crates.
pub fn winning_post(size: SectorSize, miner_id: u64, sector: u64, seed: u64) -> Result<Submission, GenerateError> {
    let registered_proof = registered::winning_post_proof(size);
    let submission = post(registered_proof, size, miner_id, &[sector], seed)?;
    Ok(Submission { request_id: format!("winpost-{miner_id}-{seed}"), ..submission })
}

fn post(
    registered_proof: RegisteredPoStProof,
    size: SectorSize,
    miner_id: u64,
    sectors: &[u64],
    seed: u64,
) -> Result<Submission, GenerateError> {
    let limit = registered_proof.sector_count();
    let distinct: BTreeSet<u64> = sectors.iter().copied().collect();
    if distinct.is_empty() || distinct.len() != sectors.len() || sectors.len() > limit {
        return Err(GenerateError::Sectors { proof: format!("{registered_proof:?}"), found: sectors.len(), limit });
    }
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let mut randomness = [0; 32];
    rng.fill_bytes(&mut randomness);
    let ids: Vec<SectorId> = distinct.into_iter().map(SectorId::from).collect();
    let maker = Maker { registered_proof, config: registered_proof.as_v1_config(), miner_id, randomness };
    let vanilla_proofs = with_shape!(size, Tree => maker.vanilla_proofs::<Tree>(size, &ids, &mut rng))?;
    let kind = match registered_proof.typ() {
        PoStType::Window => ProofKind::WindowPostPartition,
        PoStType::Winning => ProofKind::WinningPost,
    };
    Ok(Submission {
        proof_kind: kind.wire(),
        sector_size: size.bytes(),
        registered_proof: registered::post_proof_wire(registered_proof),
        vanilla_proofs,
        miner_id,
        randomness: randomness.to_vec(),
        ..Submission::default()
    })
}

/// What all sectors of a request share.
struct Maker {
    registered_proof: RegisteredPoStProof,
    config: PoStConfig,
    miner_id: u64,
    /// As the chain gives it, the top bits not cleared.
    randomness: [u8; 32],
}

impl Maker {
    fn vanilla_proofs<Tree: TreeShape>(
        &self,
        size: SectorSize,
        ids: &[SectorId],
        rng: &mut ChaCha20Rng,
    ) -> Result<Vec<Vec<u8>>, GenerateError> {
        let crates = |step| GenerateError::crates(step, self.registered_proof);
        let prover = prover_id(self.miner_id);
        let challenges = generate_fallback_sector_challenges::<Tree>(&self.config, &self.field_element(), ids, prover)
            .map_err(crates("make challenges"))?;
        let leaves: BTreeSet<u64> = challenges.values().flatten().copied().collect();
        let leaves: BTreeMap<usize, PoseidonDomain> =
            leaves.into_iter().map(|leaf| (leaf as usize, random(rng))).collect();
        let tree = SparseTree::new::<Tree>(size.nodes(), leaves);
        let proofs: Vec<_> =
            challenges.iter().map(|(id, leaves)| sector::<Tree>(*id, leaves, &tree, random(rng))).collect();
        self.judge(&proofs)?;
        proofs
            .iter()
            .map(|proof| {
                ::bincode::serialize(proof).map_err(GenerateError::crates("write bincode", self.registered_proof))
            })
            .collect()
    }

    /// The randomness as the circuit takes it.
    fn field_element(&self) -> [u8; 32] {
        let mut randomness = self.randomness;
        randomness[31] &= 0x3f;
        randomness
    }

    /// Lets the crates' own vanilla verifier decide.
    fn judge<Tree: TreeShape>(&self, proofs: &[FallbackPoStSectorProof<Tree>]) -> Result<(), GenerateError> {
        let params = match self.config.typ {
            PoStType::Window => window_post_public_params::<Tree>(&self.config),
            PoStType::Winning => winning_post_public_params::<Tree>(&self.config),
        };
        let mut params = params.map_err(GenerateError::crates("set up its parameters", self.registered_proof))?;
        if self.config.typ == PoStType::Window {
            // Sectors repeated to fill the partition would only be verified again.
            params.sector_count = proofs.len();
        }
        let inputs = PublicInputs {
            randomness: poseidon(&self.field_element()),
            prover_id: poseidon(&prover_id(self.miner_id)),
            sectors: proofs.iter().map(|proof| PublicSector { id: proof.sector_id, comm_r: proof.comm_r }).collect(),
            k: None,
        };
        // It fails, rather than saying no, where a proof is wrong.
        partition_vanilla_proofs::<Tree>(&self.config, &params, &inputs, 1, proofs)
            .map(drop)
            .map_err(|_| GenerateError::Rejected { proof: format!("{:?}", self.registered_proof) })
    }
}

/// One sector's vanilla proof.
fn sector<Tree: TreeShape>(
    sector_id: SectorId,
    leaves: &[u64],
    tree: &SparseTree,
    comm_c: PoseidonDomain,
) -> FallbackPoStSectorProof<Tree> {
    let comm_r_last = tree.root();
    let proof = SectorProof {
        inclusion_proofs: leaves.iter().map(|&leaf| tree.proof::<Tree>(leaf as usize)).collect(),
        comm_c,
        comm_r_last,
    };
    FallbackPoStSectorProof {
        sector_id,
        comm_r: <PoseidonHasher as Hasher>::Function::hash2(&comm_c, &comm_r_last),
        vanilla_proof: fallback::Proof { sectors: vec![proof] },
    }
}

fn random(rng: &mut ChaCha20Rng) -> PoseidonDomain {
    Scalar::random(rng).into()
}
