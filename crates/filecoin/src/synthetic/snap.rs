//! A synthetic sector's update, with the vanilla proofs of all its partitions.
//!
//! Which nodes are opened follows from comm_r_new, the commitment to the whole new replica; so there has to be one.
//!
//! 1. Data and old replica are periodic with the same short tile. They give comm_d_new, and with a random comm_c
//!    comm_r_old; those two give phi.
//! 2. The new replica is `old + data · rho`, where rho is another one for each of the 2ʰ stretches of the sector whose
//!    nodes share the `h` highest bits of their number. So it repeats one tile in each stretch.
//! 3. Its root gives comm_r_new, and that the challenges. Every one is opened in all three trees, and the crates' own
//!    verifier judges the whole.

use super::{
    GenerateError,
    data_tree::DataTree,
    periodic_tree::{PeriodicTree, Row},
};
use crate::{CircuitId, ProofKind, SectorSize, shape::TreeShape};
use blstrs::Scalar;
use ff::Field;
use filecoin_hashers::{
    HashFunction, Hasher,
    poseidon::{PoseidonDomain, PoseidonHasher},
};
use filecoin_proofs_api::Commitment;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use storage_proofs_core::proof::ProofScheme;
use storage_proofs_update::{
    ChallengeProof, Challenges, EmptySectorUpdate, PartitionProof, PublicInputs, PublicParams, constants::h_default,
    phi, rho,
};

/// Height of the tile that data and old replica repeat: 64 leaves, 2 KiB. The new replica has one in each stretch, so
/// this decides what making an update costs.
const TILE_HEIGHT: usize = 6;

/// The vanilla proofs of an update, and what they are about.
#[derive(Clone, Debug)]
pub struct SnapVanilla {
    /// The commitment to the replica before the update: a field element, little-endian.
    pub comm_r_old: Commitment,
    /// The commitment to the replica after it.
    pub comm_r_new: Commitment,
    /// The commitment to the data after it.
    pub comm_d_new: Commitment,
    /// One bincode `PartitionProof` a partition, in partition order.
    pub partition_proofs: Vec<Vec<u8>>,
}

/// The update of a sector of that size, whose trees have the shape `Tree`.
pub(super) fn update<Tree: TreeShape>(size: SectorSize, seed: u64) -> Result<SnapVanilla, GenerateError> {
    let circuit = CircuitId::new(ProofKind::SnapDealsUpdate, size);
    let params = PublicParams::from_sector_size(size.bytes());
    let sector = Sector::new::<Tree>(&params, &mut ChaCha20Rng::seed_from_u64(seed));
    let inputs = sector.public_inputs();
    let proofs: Vec<_> =
        (0..params.partition_count).map(|k| sector.prove::<Tree>(&params, inputs.comm_r_new, k)).collect();
    let accepted = EmptySectorUpdate::<Tree>::verify_all_partitions(&params, &inputs, &proofs)
        .map_err(GenerateError::crates("verify the vanilla proofs", circuit))?;
    if !accepted {
        return Err(GenerateError::Rejected { proof_type: circuit.to_string() });
    }
    let partition_proofs: Result<_, _> = proofs.iter().map(bincode::serialize).collect();
    Ok(SnapVanilla {
        comm_r_old: Scalar::from(inputs.comm_r_old).to_bytes_le(),
        comm_r_new: Scalar::from(inputs.comm_r_new).to_bytes_le(),
        comm_d_new: Commitment::from(inputs.comm_d_new),
        partition_proofs: partition_proofs.map_err(GenerateError::crates("write the vanilla proofs", circuit))?,
    })
}

/// A sector before and after its update.
struct Sector {
    /// Commitment to the label columns; the update does not open them.
    comm_c: PoseidonDomain,
    replica_old: PeriodicTree,
    data_new: DataTree,
    replica_new: PeriodicTree,
    /// How many high bits of a node's number choose its rho.
    high_bits: usize,
}

impl Sector {
    fn new<Tree: TreeShape>(params: &PublicParams, rng: &mut ChaCha20Rng) -> Self {
        let (nodes, high_bits) = (params.sector_nodes, h_default(params.sector_nodes));
        let stretch = nodes >> high_bits;
        let tile = stretch.min(1 << TILE_HEIGHT);

        let comm_c = Scalar::random(&mut *rng).into();
        let data_new = DataTree::random(params.challenge_bit_len, tile.ilog2() as usize, rng);
        let old: Vec<Scalar> = (0..tile).map(|_| Scalar::random(&mut *rng)).collect();
        let old_leaves = old.iter().copied().map(PoseidonDomain::from).collect();
        let replica_old = PeriodicTree::new::<Tree>(Row::new(nodes, tile, old_leaves));

        let phi = phi(&data_new.root(), &comm_r(&comm_c, &replica_old));
        let mut new_leaves = Vec::with_capacity(tile << high_bits);
        for high in 0..1 << high_bits {
            let rho = rho(&phi, high);
            let encoded = old.iter().enumerate().map(|(leaf, old)| old + Scalar::from(data_new.leaf(leaf)) * rho);
            new_leaves.extend(encoded.map(PoseidonDomain::from));
        }
        let replica_new = PeriodicTree::new::<Tree>(Row::new(stretch, tile, new_leaves));
        Self { comm_c, replica_old, data_new, replica_new, high_bits }
    }

    fn public_inputs(&self) -> PublicInputs {
        PublicInputs {
            k: 0,
            comm_r_old: comm_r(&self.comm_c, &self.replica_old),
            comm_d_new: self.data_new.root(),
            comm_r_new: comm_r(&self.comm_c, &self.replica_new),
            h: self.high_bits,
        }
    }

    /// Opens everything that partition `k` asks for.
    fn prove<Tree: TreeShape>(
        &self,
        params: &PublicParams,
        comm_r_new: PoseidonDomain,
        k: usize,
    ) -> PartitionProof<Tree> {
        let apex_row = params.challenge_bit_len - params.partition_bit_len - params.apex_leaf_bit_len;
        let apex = k * params.apex_leaf_count..(k + 1) * params.apex_leaf_count;
        PartitionProof {
            comm_c: self.comm_c,
            apex_leafs: apex.map(|index| self.data_new.node(apex_row, index)).collect(),
            challenge_proofs: Challenges::new(params.sector_nodes, comm_r_new, k)
                .map(|challenge| ChallengeProof {
                    proof_r_old: self.replica_old.proof::<Tree>(challenge as usize),
                    proof_d_new: self.data_new.proof(challenge as usize),
                    proof_r_new: self.replica_new.proof::<Tree>(challenge as usize),
                })
                .collect(),
        }
    }
}

/// The commitment to a replica and its label columns.
fn comm_r(comm_c: &PoseidonDomain, replica: &PeriodicTree) -> PoseidonDomain {
    <PoseidonHasher as Hasher>::Function::hash2(comm_c, &replica.root())
}
