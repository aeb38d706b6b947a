//! Labels of the nodes that a synthetic sector needs: the challenged ones and their parents.
//!
//! A proof shows two things about labels: that each challenged node's label is the hash of its parents' labels, in
//! every layer, and that the columns of the node and of its parents are leaves of TreeC. Nobody asks where the
//! parents' own labels come from, so those are drawn at random, unless the parent is itself challenged.

use super::CHALLENGE_PARENTS;
use filecoin_hashers::poseidon::{PoseidonDomain, PoseidonHasher};
use filecoin_proofs::constants::DRG_DEGREE;
use rand::RngCore;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use storage_proofs_core::{drgraph::Graph, merkle::MerkleTreeTrait};
use storage_proofs_porep::stacked::{PublicParams, TOTAL_PARENTS};

/// What the hash of a challenged node takes in.
pub(super) struct Challenged {
    /// The node's parents: first those of the same layer, then the expander's, of the layer before.
    pub(super) parents: [u32; CHALLENGE_PARENTS],
    /// For each layer from the first, the parents' labels as they are hashed: repeated to a fixed number.
    pub(super) preimages: Vec<Vec<PoseidonDomain>>,
}

/// The labels of a synthetic sector.
pub(super) struct Labels {
    columns: BTreeMap<u32, Vec<PoseidonDomain>>,
    challenged: BTreeMap<u32, Challenged>,
}

impl Labels {
    /// Labels all of `challenges` under `replica_id`; the parents' columns are drawn from `rng`.
    ///
    /// Parents are looked up in the graph node by node, so no parent cache is read or written.
    ///
    /// # Errors
    /// Passes on what the graph says of a node outside it.
    pub(super) fn new<Tree>(
        params: &PublicParams<Tree>,
        replica_id: &PoseidonDomain,
        challenges: &BTreeSet<u32>,
        rng: &mut impl RngCore,
    ) -> storage_proofs_core::error::Result<Self>
    where
        Tree: MerkleTreeTrait<Hasher = PoseidonHasher>,
    {
        let mut challenged = BTreeMap::new();
        for &node in challenges {
            let mut parents = [0; CHALLENGE_PARENTS];
            params.graph.parents(node as usize, &mut parents)?;
            challenged.insert(node, Challenged { parents, preimages: Vec::with_capacity(params.num_layers) });
        }
        let mut labels = Self { columns: random_columns(&challenged, params.num_layers, rng), challenged };
        for layer in 1..=params.num_layers {
            labels.label_layer(layer, replica_id);
        }
        Ok(labels)
    }

    /// Labels the challenged nodes in one layer. In ascending order, because a node's parents in the same layer come
    /// before it.
    fn label_layer(&mut self, layer: usize, replica_id: &PoseidonDomain) {
        let columns = &mut self.columns;
        for (&node, challenged) in &mut self.challenged {
            // Layer 1 has no layer before it, and hashes the parents of its own layer only.
            let parents = if layer == 1 { &challenged.parents[..DRG_DEGREE] } else { &challenged.parents[..] };
            let preimage: Vec<_> = (parents.iter().enumerate())
                .map(|(position, parent)| {
                    let parent_layer = if position < DRG_DEGREE { layer } else { layer - 1 };
                    columns[parent][parent_layer - 1]
                })
                .cycle()
                .take(TOTAL_PARENTS)
                .collect();
            columns.entry(node).or_default().push(label(replica_id, layer, node, &preimage));
            challenged.preimages.push(preimage);
        }
    }

    /// The labels of `node` in all layers; for challenged nodes and their parents only.
    pub(super) fn column(&self, node: u32) -> &[PoseidonDomain] {
        &self.columns[&node]
    }

    /// All columns, by node.
    pub(super) fn columns(&self) -> impl Iterator<Item = (u32, &[PoseidonDomain])> {
        self.columns.iter().map(|(&node, column)| (node, column.as_slice()))
    }

    /// The challenged nodes and what they hash.
    pub(super) fn challenged(&self) -> &BTreeMap<u32, Challenged> {
        &self.challenged
    }
}

/// Random columns for the parents that are not themselves challenged.
fn random_columns(
    challenged: &BTreeMap<u32, Challenged>,
    layers: usize,
    rng: &mut impl RngCore,
) -> BTreeMap<u32, Vec<PoseidonDomain>> {
    let parents: BTreeSet<u32> = challenged.values().flat_map(|node| node.parents).collect();
    parents
        .into_iter()
        .filter(|parent| !challenged.contains_key(parent))
        .map(|parent| (parent, (0..layers).map(|_| random_label(rng)).collect()))
        .collect()
}

/// A label as a hash would give it: 254 bits.
fn random_label(rng: &mut impl RngCore) -> PoseidonDomain {
    let mut digest = [0u8; 32];
    rng.fill_bytes(&mut digest);
    fr32::bytes_into_fr_repr_safe(&digest).into()
}

/// The label of `node` in `layer`, counted from 1: SHA-256 over the replica id, a block of 32 bytes with layer and
/// node in big-endian order, and the parents' labels, cut to 254 bits.
fn label(replica_id: &PoseidonDomain, layer: usize, node: u32, preimage: &[PoseidonDomain]) -> PoseidonDomain {
    let mut position = [0u8; 32];
    position[..4].copy_from_slice(&(layer as u32).to_be_bytes());
    position[4..12].copy_from_slice(&u64::from(node).to_be_bytes());
    let mut hash = Sha256::new();
    hash.update(AsRef::<[u8]>::as_ref(replica_id));
    hash.update(position);
    for parent in preimage {
        hash.update(AsRef::<[u8]>::as_ref(parent));
    }
    fr32::bytes_into_fr_repr_safe(&hash.finalize()).into()
}
