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
    FallbackPoStSectorProof, PoStConfig, PoStType, generate_fallback_sector_challenges, single_partition_vanilla_proofs,
};
use filecoin_proofs_api::{RegisteredPoStProof, SectorId};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;
use storage_proofs_core::api_version::ApiVersion;
use storage_proofs_core::error::Result as CratesResult;
use storage_proofs_post::fallback::{self, PublicInputs, PublicSector, SectorProof};

use super::GenerateError;
use super::sparse_tree::SparseTree;
use crate::merkle::poseidon;
use crate::prover_id::prover_id;
use crate::shape::{TreeShape, with_shape};
use crate::{ProofKind, SectorSize, Submission, registered};

/// A WindowPoSt request for these sectors as one partition of a deadline, checked by the proof crates' own vanilla
/// verifier. Which partition makes a difference to V1 only, whose challenges count through the deadline.
///
/// The same arguments always give the same request; another `seed` gives other leaves and other randomness. A sector has ten
/// paths: 25 KB at 32 GiB.
///
/// # Errors
/// [`GenerateError::Sectors`] for no sector, one that is named twice, or more than a partition has;
/// [`GenerateError::Crates`] and [`GenerateError::Rejected`] from the proof crates.
pub fn window_post(
    registered_proof: RegisteredPoStProof,
    miner_id: u64,
    partition_index: u32,
    sectors: &[u64],
    seed: u64,
) -> Result<Submission, GenerateError> {
    let submission = post(registered_proof, miner_id, partition_index, sectors, seed)?;
    Ok(Submission { request_id: format!("wdpost-{miner_id}-{partition_index}"), ..submission })
}

/// A WinningPoSt request for one sector, checked by the proof crates' own vanilla verifier. See [`window_post`].
///
/// # Errors
/// [`GenerateError::Crates`] and [`GenerateError::Rejected`] from the proof crates.
pub fn winning_post(size: SectorSize, miner_id: u64, sector: u64, seed: u64) -> Result<Submission, GenerateError> {
    let registered_proof = registered::winning_post_proof(size);
    let submission = post(registered_proof, miner_id, 0, &[sector], seed)?;
    Ok(Submission { request_id: format!("winpost-{miner_id}"), ..submission })
}

fn post(
    registered_proof: RegisteredPoStProof,
    miner_id: u64,
    partition_index: u32,
    sectors: &[u64],
    seed: u64,
) -> Result<Submission, GenerateError> {
    let name = || registered::describe_post(registered_proof);
    let size = registered::post_proof_size(registered_proof);
    let size = size.ok_or_else(|| GenerateError::crates("know its size", name())("not a published one"))?;
    let limit = registered_proof.sector_count();
    let distinct: BTreeSet<u64> = sectors.iter().copied().collect();
    if distinct.is_empty() || distinct.len() != sectors.len() || sectors.len() > limit {
        return Err(GenerateError::Sectors { proof_type: name(), found: sectors.len(), limit });
    }
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let mut randomness = [0; 32];
    rng.fill_bytes(&mut randomness);
    let ids: Vec<SectorId> = distinct.into_iter().map(SectorId::from).collect();
    let config = registered_proof.as_v1_config();
    let maker = Maker { registered_proof, config, miner_id, partition_index, randomness };
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
        partition_index,
        ..Submission::default()
    })
}

/// What all sectors of a request share.
struct Maker {
    registered_proof: RegisteredPoStProof,
    config: PoStConfig,
    miner_id: u64,
    partition_index: u32,
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
        let crates = |step| GenerateError::crates(step, self.name());
        let challenges = self.challenges::<Tree>(ids).map_err(crates("make challenges"))?;
        let leaves: BTreeSet<u64> = challenges.values().flatten().copied().collect();
        let leaves: BTreeMap<usize, PoseidonDomain> =
            leaves.into_iter().map(|leaf| (leaf as usize, random(rng))).collect();
        let tree = SparseTree::new::<Tree>(size.nodes(), leaves);
        let proofs: Vec<_> =
            challenges.iter().map(|(id, leaves)| sector::<Tree>(*id, leaves, &tree, random(rng))).collect();
        self.judge(&proofs)?;
        proofs
            .iter()
            .map(|proof| ::bincode::serialize(proof).map_err(GenerateError::crates("write bincode", self.name())))
            .collect()
    }

    /// The challenged leaves of every sector.
    fn challenges<Tree: TreeShape>(&self, ids: &[SectorId]) -> CratesResult<BTreeMap<SectorId, Vec<u64>>> {
        // The crates count partitions by the sectors before them; which those are does not matter.
        let before = match self.config.api_version {
            ApiVersion::V1_0_0 | ApiVersion::V1_1_0 => self.partition_index as usize * self.config.sector_count,
            ApiVersion::V1_2_0 => 0,
        };
        let others = std::iter::repeat_n(SectorId::from(u64::MAX), before);
        let deadline: Vec<SectorId> = others.chain(ids.iter().copied()).collect();
        let prover = prover_id(self.miner_id);
        let mut challenges =
            generate_fallback_sector_challenges::<Tree>(&self.config, &self.field_element(), &deadline, prover)?;
        challenges.retain(|id, _| ids.contains(id));
        Ok(challenges)
    }

    fn name(&self) -> String {
        registered::describe_post(self.registered_proof)
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
        let mut params = params.map_err(GenerateError::crates("set up its parameters", self.name()))?;
        if self.config.api_version == ApiVersion::V1_2_0 {
            // Sectors repeated to fill the partition would only be verified again.
            params.sector_count = proofs.len();
        }
        // The one sector of a WinningPoSt is verified once for each of its challenges.
        let repeat = if self.config.typ == PoStType::Winning { params.sector_count } else { 1 };
        let public = |proof: &FallbackPoStSectorProof<Tree>| PublicSector { id: proof.sector_id, comm_r: proof.comm_r };
        let inputs = PublicInputs {
            randomness: poseidon(&self.field_element()),
            prover_id: poseidon(&prover_id(self.miner_id)),
            sectors: proofs.iter().flat_map(|proof| vec![public(proof); repeat]).collect(),
            k: Some(self.partition_index as usize),
        };
        // It fails, rather than saying no, where a proof is wrong.
        single_partition_vanilla_proofs::<Tree>(&self.config, &params, &inputs, proofs)
            .map(drop)
            .map_err(|_| GenerateError::Rejected { proof_type: self.name() })
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
