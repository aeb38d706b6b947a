//! The vanilla proof of a synthetic sector, as the first commit phase would put it out.
//!
//! 1. The data: a periodic tile gives TreeD and comm_d.
//! 2. comm_d, miner, sector and ticket give the replica id; the replica id and the seed give the challenges.
//! 3. The challenged nodes are labelled in all layers over parents with random labels.
//! 4. The column hashes become the leaves of TreeC, the challenged nodes' encoded data those of TreeR; their roots
//!    give comm_r.
//! 5. Every challenge gets its proof from the three trees, and the crates' own verifier judges the whole.

use super::{
    GenerateError,
    data_tree::DataTree,
    labels::{Challenged, Labels},
    sparse_tree::SparseTree,
    tree_shape::TreeProof,
};
use crate::registered::describe;
use blstrs::Scalar;
use filecoin_hashers::{
    HashFunction, Hasher,
    poseidon::{PoseidonDomain, PoseidonHasher},
    sha256::{Sha256Domain, Sha256Hasher},
};
use filecoin_proofs::{constants::DRG_DEGREE, parameters::public_params};
use filecoin_proofs_api::{
    Commitment, ProverId, RegisteredSealProof, Ticket,
    seal::{SealCommitPhase1Output, VanillaSealProof},
};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;
use std::{
    collections::{BTreeMap, BTreeSet},
    marker::PhantomData,
};
use storage_proofs_core::{drgraph::Graph, merkle::MerkleTreeTrait, proof::ProofScheme};
use storage_proofs_porep::stacked::{
    Column, ColumnProof, EncodingProof, LabelingProof, Proof, PublicInputs, PublicParams, ReplicaColumnProof,
    StackedDrg, Tau, generate_replica_id,
};

/// One challenge's vanilla proof.
type ChallengeProof<Tree> = Proof<Tree, Sha256Hasher>;

/// Height of the tile that the data repeats: 2¹² leaves, 128 KiB.
const DATA_TILE_HEIGHT: usize = 12;

/// Which synthetic sector to make.
pub(super) struct Sector {
    pub(super) registered_proof: RegisteredSealProof,
    pub(super) prover_id: ProverId,
    pub(super) sector_number: u64,
    pub(super) seed: u64,
}

impl Sector {
    /// The sector's commit output; `wrap` is the API's variant for the sector size that `Tree` is the shape of.
    pub(super) fn commit_phase1<Tree>(
        &self,
        wrap: fn(Vec<Vec<ChallengeProof<Tree>>>) -> VanillaSealProof,
    ) -> Result<SealCommitPhase1Output, GenerateError>
    where
        Tree: MerkleTreeTrait<Hasher = PoseidonHasher> + 'static,
    {
        let registered_proof = self.registered_proof;
        let config = registered_proof.as_v1_config();
        let params = public_params::<Tree>(&config)
            .map_err(GenerateError::crates("set up its parameters", describe(registered_proof)))?;
        let nodes = params.graph.size();
        let mut rng = ChaCha20Rng::seed_from_u64(self.seed);

        let (ticket, seed) = (random_bytes(&mut rng), random_bytes(&mut rng));
        let data = DataTree::random(nodes.ilog2() as usize, DATA_TILE_HEIGHT, &mut rng);
        let comm_d = Commitment::from(data.root());
        let replica_id = generate_replica_id::<PoseidonHasher, _>(
            &self.prover_id,
            self.sector_number,
            &ticket,
            comm_d,
            &config.porep_id,
        );
        let mut inputs =
            PublicInputs::<PoseidonDomain, Sha256Domain> { replica_id, seed: Some(seed), tau: None, k: None };
        let challenges = self.challenges(&params, &inputs);
        let distinct: BTreeSet<u32> = challenges.iter().flatten().copied().collect();
        let labels = Labels::new(&params, &replica_id, &distinct, &mut rng)
            .map_err(GenerateError::crates("look up parents in its graph", describe(registered_proof)))?;

        let trees = Trees::<Tree>::new(nodes, data, &labels)
            .map_err(GenerateError::crates("hash its columns", describe(registered_proof)))?;
        inputs.tau = Some(Tau { comm_d: trees.data.root(), comm_r: trees.comm_r() });
        let prove_partition = |challenges: &Vec<u32>| {
            challenges
                .iter()
                .map(|challenge| trees.prove(*challenge, &labels.challenged()[challenge], &labels))
                .collect()
        };
        let proofs: Vec<Vec<_>> = challenges.iter().map(prove_partition).collect();
        self.judge(&params, &inputs, &proofs)?;
        Ok(SealCommitPhase1Output {
            registered_proof,
            vanilla_proofs: wrap(proofs),
            comm_r: Scalar::from(trees.comm_r()).to_bytes_le(),
            comm_d,
            replica_id,
            seed,
            ticket,
        })
    }

    /// The challenged nodes of every partition.
    fn challenges<Tree: MerkleTreeTrait>(
        &self,
        params: &PublicParams<Tree>,
        inputs: &PublicInputs<PoseidonDomain, Sha256Domain>,
    ) -> Vec<Vec<u32>> {
        (0..usize::from(self.registered_proof.partitions()))
            .map(|partition| {
                let nodes = inputs.challenges(&params.challenges, params.graph.size(), Some(partition));
                // The graph numbers its nodes in 32 bits.
                nodes.into_iter().map(|node| node as u32).collect()
            })
            .collect()
    }

    /// Lets the crates' own vanilla verifier decide.
    fn judge<Tree>(
        &self,
        params: &PublicParams<Tree>,
        inputs: &PublicInputs<PoseidonDomain, Sha256Domain>,
        proofs: &[Vec<ChallengeProof<Tree>>],
    ) -> Result<(), GenerateError>
    where
        Tree: MerkleTreeTrait<Hasher = PoseidonHasher> + 'static,
    {
        let registered_proof = self.registered_proof;
        let accepted = StackedDrg::<Tree, Sha256Hasher>::verify_all_partitions(params, inputs, proofs)
            .map_err(GenerateError::crates("verify the vanilla proofs", describe(registered_proof)))?;
        if accepted { Ok(()) } else { Err(GenerateError::Rejected { proof_type: describe(registered_proof) }) }
    }
}

/// The three trees that a sector commits to.
struct Trees<Tree> {
    data: DataTree,
    columns: SparseTree,
    replica: SparseTree,
    shape: PhantomData<fn() -> Tree>,
}

impl<Tree> Trees<Tree>
where
    Tree: MerkleTreeTrait<Hasher = PoseidonHasher> + 'static,
{
    /// Builds TreeC over the columns, and TreeR over the challenged nodes' data, encoded with their last labels.
    fn new(nodes: usize, data: DataTree, labels: &Labels) -> storage_proofs_core::error::Result<Self> {
        let mut column_hashes = BTreeMap::new();
        for (node, column) in labels.columns() {
            let hash = Column::<PoseidonHasher>::new(node, column.to_vec())?.hash();
            column_hashes.insert(node as usize, hash.into());
        }
        let mut encoded = BTreeMap::new();
        for &node in labels.challenged().keys() {
            let key = labels.column(node).last().copied().unwrap_or_default();
            encoded.insert(node as usize, encode(key, data.leaf(node as usize)));
        }
        Ok(Self {
            data,
            columns: SparseTree::new::<Tree>(nodes, column_hashes),
            replica: SparseTree::new::<Tree>(nodes, encoded),
            shape: PhantomData,
        })
    }

    /// The replica's commitment.
    fn comm_r(&self) -> PoseidonDomain {
        <PoseidonHasher as Hasher>::Function::hash2(&self.columns.root(), &self.replica.root())
    }

    /// Opens everything that one challenge asks for.
    fn prove(&self, challenge: u32, challenged: &Challenged, labels: &Labels) -> ChallengeProof<Tree> {
        let column = |node: u32| -> ColumnProof<TreeProof<Tree>> {
            ColumnProof::new(node, labels.column(node).to_vec(), self.columns.proof::<Tree>(node as usize))
        };
        let (drg_parents, exp_parents) = challenged.parents.split_at(DRG_DEGREE);
        let labeling_proofs: Vec<_> = (1u32..)
            .zip(&challenged.preimages)
            .map(|(layer, preimage)| LabelingProof::new(layer, u64::from(challenge), preimage.clone()))
            .collect();
        // The encoding key is the last layer's label.
        let key_preimage = challenged.preimages.last().cloned().unwrap_or_default();
        Proof {
            comm_d_proofs: self.data.proof(challenge as usize),
            comm_r_last_proof: self.replica.proof::<Tree>(challenge as usize),
            replica_column_proofs: ReplicaColumnProof {
                c_x: column(challenge),
                drg_parents: drg_parents.iter().map(|&node| column(node)).collect(),
                exp_parents: exp_parents.iter().map(|&node| column(node)).collect(),
            },
            labeling_proofs,
            encoding_proof: EncodingProof::new(challenged.preimages.len() as u32, u64::from(challenge), key_preimage),
        }
    }
}

/// A leaf of the replica: the data plus its key, the last layer's label.
fn encode(key: PoseidonDomain, data: Sha256Domain) -> PoseidonDomain {
    (Scalar::from(key) + Scalar::from(data)).into()
}

/// 32 bytes for a ticket or a seed.
fn random_bytes(rng: &mut impl RngCore) -> Ticket {
    let mut bytes = [0u8; 32];
    rng.fill_bytes(&mut bytes);
    bytes
}
