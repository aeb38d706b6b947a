//! TreeR of a synthetic replica that is whole: a Poseidon tree over leaves that repeat.
//!
//! A row of such a tree falls into stretches of equal length, and each stretch repeats a tile of its own. That holds
//! from the leaves to the root: hashed up, a tile shrinks by the arity until it is one node, which its stretch then
//! repeats; when a stretch has shrunk to less than the arity, parents span several of them and every node of a row is
//! its own stretch. So memory and time go with the number of stretches and the length of a tile, not with the sector.

use super::{
    tree_hash,
    tree_shape::{TreeProof, open, row_arities},
};
use filecoin_hashers::poseidon::{PoseidonDomain, PoseidonHasher};
use storage_proofs_core::merkle::MerkleTreeTrait;

/// One row of nodes. Its length, that of a stretch and that of a tile are powers of two.
pub(super) struct Row {
    /// Nodes of a stretch.
    stretch: usize,
    /// Nodes of a tile, at most those of a stretch.
    tile: usize,
    /// The tiles of all stretches, one after the other.
    tiles: Vec<PoseidonDomain>,
}

impl Row {
    /// A row of stretches of `stretch` nodes that repeat the `tile` nodes given for each of them.
    pub(super) fn new(stretch: usize, tile: usize, tiles: Vec<PoseidonDomain>) -> Self {
        debug_assert!(stretch.is_multiple_of(tile) && tiles.len().is_multiple_of(tile));
        Self { stretch, tile, tiles }
    }

    fn len(&self) -> usize {
        self.tiles.len() / self.tile * self.stretch
    }

    /// Node `index` of the row.
    pub(super) fn node(&self, index: usize) -> PoseidonDomain {
        self.tiles[index / self.stretch * self.tile + index % self.stretch % self.tile]
    }

    /// The row above, each of whose nodes has `arity` children here; `height` is this row's own.
    fn parents(&self, arity: usize, height: usize) -> Self {
        let (stretch, tile) = ((self.stretch / arity).max(1), (self.tile / arity).max(1));
        let starts = (0..self.len() / arity).step_by(stretch);
        let tiles = starts
            .flat_map(|start| start..start + tile)
            .map(|parent| {
                let children: Vec<_> = (parent * arity..(parent + 1) * arity).map(|child| self.node(child)).collect();
                tree_hash::<PoseidonHasher>(&children, height)
            })
            .collect();
        Self::new(stretch, tile, tiles)
    }
}

/// A Poseidon tree over such a row.
pub(super) struct PeriodicTree {
    /// Children of a node, for each row above the leaves from the bottom up.
    arities: Vec<usize>,
    /// All rows, leaves first, the root last.
    rows: Vec<Row>,
}

impl PeriodicTree {
    /// The tree of the shape `Tree` over a row of leaves.
    pub(super) fn new<Tree>(leaves: Row) -> Self
    where
        Tree: MerkleTreeTrait<Hasher = PoseidonHasher>,
    {
        let arities = row_arities::<Tree>(leaves.len());
        let mut rows = vec![leaves];
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
    use super::{PeriodicTree, Row, row_arities, tree_hash};
    use cuzk_testing::TimeLimit;
    use ff::Field;
    use filecoin_hashers::poseidon::{PoseidonDomain, PoseidonHasher};
    use filecoin_proofs::constants::{SectorShapeBase, SectorShapeSub2, SectorShapeSub8, SectorShapeTop2};
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;
    use storage_proofs_core::merkle::{MerkleProofTrait, MerkleTreeTrait};

    /// Holds the periodic tree against one built row by row over all its leaves.
    fn holds_against_full_tree<Tree>(leaf_count: usize, stretches: usize, tile: usize)
    where
        Tree: MerkleTreeTrait<Hasher = PoseidonHasher>,
    {
        let mut rng = ChaCha20Rng::seed_from_u64(3);
        let tiles: Vec<Vec<PoseidonDomain>> =
            (0..stretches).map(|_| (0..tile).map(|_| blstrs::Scalar::random(&mut rng).into()).collect()).collect();
        let stretch = leaf_count / stretches;
        let leaves: Vec<PoseidonDomain> =
            tiles.iter().flat_map(|tile| tile.iter().copied().cycle().take(stretch)).collect();
        let mut row = leaves.clone();
        for (height, arity) in row_arities::<Tree>(leaf_count).into_iter().enumerate() {
            row = row.chunks(arity).map(|children| tree_hash::<PoseidonHasher>(children, height)).collect();
        }
        let tree = PeriodicTree::new::<Tree>(Row::new(stretch, tile, tiles.concat()));
        assert_eq!(row, [tree.root()], "{leaf_count} leaves, {stretches} × {tile}");
        for leaf in [0, 1, stretch - 1, leaf_count / 2, leaf_count - 1] {
            let proof = tree.proof::<Tree>(leaf);
            assert!(proof.validate(leaf) && proof.validate_data(leaves[leaf]) && proof.root() == tree.root());
        }
    }

    #[test]
    fn a_periodic_tree_is_the_full_tree_over_its_leaves() {
        let _limit = TimeLimit::seconds(120);
        for (stretches, tile) in [(1, 1), (1, 64), (2, 1), (2, 8), (2, 32), (16, 2), (16, 4), (64, 1)] {
            holds_against_full_tree::<SectorShapeBase>(64, stretches, tile);
            holds_against_full_tree::<SectorShapeSub2>(128, stretches, tile);
            holds_against_full_tree::<SectorShapeSub8>(512, stretches, tile);
            holds_against_full_tree::<SectorShapeTop2>(1024, stretches, tile);
        }
    }
}
