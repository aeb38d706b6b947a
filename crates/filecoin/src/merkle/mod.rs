//! Merkle proofs of a request, the same for every kind: read into types of our own, checked, then made into the crates'.
//!
//! The proof crates' types deserialise whatever has the right form: bytes that are no field elements, paths of any
//! length. Their fields are private, and the code behind them panics on such data. So a payload is read into plain
//! mirrors first (the same names and the same order of fields, hence the same JSON and the same bincode).

mod advice;
mod check;
mod convert;
mod shape;

use serde::Deserialize;

pub(crate) use advice::{advise_bits, advise_node, advise_nodes, advise_path, advise_siblings, rows};
pub(crate) use check::{Opened, canonical, canonical_all, count, open, refuse_zero, same_root};
pub(crate) use convert::{TreePath, data_path, path_options, poseidon, tree_path};
pub(crate) use shape::{PathShape, data_path_shape, tree_path_shape};

/// 32 bytes: a node of a tree, a label or a commitment, not yet known to be a field element.
pub(crate) type Node = [u8; 32];

/// Mirror of the crates' `MerkleProof`.
#[derive(Deserialize)]
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(crate) struct MerkleProof {
    pub(crate) data: MerkleData,
}

/// Mirror of `ProofData`: a path in one tree, in a tree of trees, or one more level up.
#[derive(Deserialize)]
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(crate) enum MerkleData {
    Single { root: Node, leaf: Node, path: InclusionPath },
    Sub { base_proof: InclusionPath, sub_proof: InclusionPath, root: Node, leaf: Node },
    Top { base_proof: InclusionPath, sub_proof: InclusionPath, top_proof: InclusionPath, root: Node, leaf: Node },
}

/// Mirror of `InclusionPath`, from the leaf up.
#[derive(Deserialize)]
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(crate) struct InclusionPath {
    pub(crate) path: Vec<PathElement>,
}

/// Mirror of `PathElement`: the siblings in one row, and where among them the path goes.
#[derive(Deserialize)]
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(crate) struct PathElement {
    pub(crate) hashes: Vec<Node>,
    pub(crate) index: u64,
}

/// Heap bytes behind a value that was read: what a job holds for as long as it lives.
pub(crate) trait HeapBytes {
    fn heap_bytes(&self) -> usize;
}

impl HeapBytes for Node {
    fn heap_bytes(&self) -> usize {
        0
    }
}

impl<T: HeapBytes> HeapBytes for Vec<T> {
    fn heap_bytes(&self) -> usize {
        self.capacity() * size_of::<T>() + self.iter().map(T::heap_bytes).sum::<usize>()
    }
}

impl HeapBytes for MerkleProof {
    fn heap_bytes(&self) -> usize {
        match &self.data {
            MerkleData::Single { path, .. } => path.path.heap_bytes(),
            MerkleData::Sub { base_proof, sub_proof, .. } => base_proof.path.heap_bytes() + sub_proof.path.heap_bytes(),
            MerkleData::Top { base_proof, sub_proof, top_proof, .. } => {
                base_proof.path.heap_bytes() + sub_proof.path.heap_bytes() + top_proof.path.heap_bytes()
            }
        }
    }
}

impl HeapBytes for PathElement {
    fn heap_bytes(&self) -> usize {
        self.hashes.heap_bytes()
    }
}

impl MerkleProof {
    pub(crate) fn root(&self) -> &Node {
        match &self.data {
            MerkleData::Single { root, .. } | MerkleData::Sub { root, .. } | MerkleData::Top { root, .. } => root,
        }
    }

    pub(crate) fn leaf(&self) -> &Node {
        match &self.data {
            MerkleData::Single { leaf, .. } | MerkleData::Sub { leaf, .. } | MerkleData::Top { leaf, .. } => leaf,
        }
    }

    /// The parts of the path from the leaf up, each with its name in the JSON.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&'static str, &[PathElement])> {
        let parts = match &self.data {
            MerkleData::Single { path, .. } => [Some(("path", path)), None, None],
            MerkleData::Sub { base_proof, sub_proof, .. } => {
                [Some(("base_proof", base_proof)), Some(("sub_proof", sub_proof)), None]
            }
            MerkleData::Top { base_proof, sub_proof, top_proof, .. } => {
                [Some(("base_proof", base_proof)), Some(("sub_proof", sub_proof)), Some(("top_proof", top_proof))]
            }
        };
        parts.into_iter().flatten().map(|(name, part)| (name, part.path.as_slice()))
    }
}
