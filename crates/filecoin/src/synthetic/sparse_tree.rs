//! TreeC and TreeR of a synthetic sector: Poseidon trees in which only some leaves were ever written.
//!
//! Every other leaf is zero. A row then has one value for all nodes that stand over unwritten leaves only, and a map
//! of the others; memory and time go with the number of leaves written, whatever the size of the sector.

use super::{
    tree_hash,
    tree_shape::{TreeProof, open, row_arities},
};
use filecoin_hashers::poseidon::{PoseidonDomain, PoseidonHasher};
use std::collections::BTreeMap;
use storage_proofs_core::merkle::MerkleTreeTrait;

/// One row of nodes.
struct Row {
    /// The value of the nodes that `written` lacks.
    empty: PoseidonDomain,
    /// The nodes over written leaves.
    written: BTreeMap<usize, PoseidonDomain>,
}

impl Row {
    fn node(&self, index: usize) -> PoseidonDomain {
        self.written.get(&index).copied().unwrap_or(self.empty)
    }

    /// The row above, each of whose nodes has `arity` children here; `height` is this row's own.
    fn parents(&self, arity: usize, height: usize) -> Self {
        let mut written = BTreeMap::new();
        for parent in self.written.keys().map(|index| index / arity) {
            written.entry(parent).or_insert_with(|| {
                let children: Vec<_> = (0..arity).map(|child| self.node(parent * arity + child)).collect();
                tree_hash::<PoseidonHasher>(&children, height)
            });
        }
        let empty = tree_hash::<PoseidonHasher>(&vec![self.empty; arity], height);
        Self { empty, written }
    }
}

/// A Poseidon tree over zeros and a few written leaves.
pub(super) struct SparseTree {
    /// Children of a node, for each row above the leaves from the bottom up.
    arities: Vec<usize>,
    /// All rows, leaves first, the root last.
    rows: Vec<Row>,
}

impl SparseTree {
    /// The tree of the shape `Tree` over `leaf_count` leaves, of which `leaves` are written.
    pub(super) fn new<Tree>(leaf_count: usize, leaves: BTreeMap<usize, PoseidonDomain>) -> Self
    where
        Tree: MerkleTreeTrait<Hasher = PoseidonHasher>,
    {
        let arities = row_arities::<Tree>(leaf_count);
        let mut rows = vec![Row { empty: PoseidonDomain::default(), written: leaves }];
        for (height, &arity) in arities.iter().enumerate() {
            rows.push(rows[height].parents(arity, height));
        }
        Self { arities, rows }
    }

    /// The tree's commitment.
    pub(super) fn root(&self) -> PoseidonDomain {
        self.rows[self.arities.len()].node(0)
    }

    /// Inclusion proof of leaf `leaf`; `Tree` is the shape that the tree was made with.
    pub(super) fn proof<Tree>(&self, leaf: usize) -> TreeProof<Tree>
    where
        Tree: MerkleTreeTrait<Hasher = PoseidonHasher>,
    {
        open::<Tree>(&self.arities, leaf, |row, index| self.rows[row].node(index))
    }
}

#[cfg(test)]
mod tests {
    use super::{SparseTree, row_arities, tree_hash};
    use cuzk_testing::TimeLimit;
    use ff::Field;
    use filecoin_hashers::poseidon::{PoseidonDomain, PoseidonHasher};
    use filecoin_proofs::constants::{SectorShapeBase, SectorShapeSub2, SectorShapeSub8, SectorShapeTop2};
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;
    use std::collections::BTreeMap;
    use storage_proofs_core::merkle::{MerkleProofTrait, MerkleTreeTrait};

    /// Holds the sparse tree against one built row by row over all its leaves.
    fn holds_against_full_tree<Tree>(leaf_count: usize, written: &[usize])
    where
        Tree: MerkleTreeTrait<Hasher = PoseidonHasher>,
    {
        let mut rng = ChaCha20Rng::seed_from_u64(3);
        let leaves: BTreeMap<usize, PoseidonDomain> =
            written.iter().map(|&leaf| (leaf % leaf_count, blstrs::Scalar::random(&mut rng).into())).collect();
        let mut row: Vec<PoseidonDomain> =
            (0..leaf_count).map(|leaf| leaves.get(&leaf).copied().unwrap_or_default()).collect();
        for (height, arity) in row_arities::<Tree>(leaf_count).into_iter().enumerate() {
            row = row.chunks(arity).map(|children| tree_hash::<PoseidonHasher>(children, height)).collect();
        }
        let tree = SparseTree::new::<Tree>(leaf_count, leaves.clone());
        assert_eq!(row, [tree.root()]);
        for (leaf, value) in leaves {
            let proof = tree.proof::<Tree>(leaf);
            assert!(proof.validate(leaf) && proof.validate_data(value) && proof.root() == tree.root());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        #[test]
        fn a_sparse_tree_is_the_full_tree_over_zeros(written in prop::collection::vec(0usize..4096, 0..6)) {
            let _limit = TimeLimit::seconds(60);
            holds_against_full_tree::<SectorShapeBase>(64, &written);
            holds_against_full_tree::<SectorShapeSub2>(128, &written);
            holds_against_full_tree::<SectorShapeSub8>(512, &written);
            holds_against_full_tree::<SectorShapeTop2>(1024, &written);
        }
    }
}
