//! TreeD of a synthetic sector: the tree over data that repeats one tile.
//!
//! The rows inside a tile are kept for one tile only. Above the tile all nodes of a row are equal, so that a row is one
//! value. A tree over 2³⁰ leaves thus takes the memory of its tile.

use super::tree_hash;
use filecoin_hashers::sha256::{Sha256Domain, Sha256Hasher};
use generic_array::typenum::U2;
use rand::RngCore;
use storage_proofs_core::merkle::MerkleProof;

/// The binary SHA-256 tree over periodic data.
pub(super) struct DataTree {
    /// Rows of one tile, leaves first; the last row is the root of the tile alone.
    tile: Vec<Vec<Sha256Domain>>,
    /// The one value of each row above the tile; the last one is the root.
    above: Vec<Sha256Domain>,
}

impl DataTree {
    /// A tree of 2^`height` leaves over a random tile of 2^`tile_height`, or of as many as there are.
    pub(super) fn random(height: usize, tile_height: usize, rng: &mut impl RngCore) -> Self {
        let tile_height = height.min(tile_height);
        let leaves = (0..1usize << tile_height).map(|_| random_leaf(rng)).collect();
        let mut tile: Vec<Vec<Sha256Domain>> = vec![leaves];
        for row in 0..tile_height {
            let parents = tile[row].chunks(2).map(|pair| tree_hash::<Sha256Hasher>(pair, row)).collect();
            tile.push(parents);
        }
        let mut node = tile[tile_height][0];
        let above = (tile_height..height)
            .map(|row| {
                node = tree_hash::<Sha256Hasher>(&[node, node], row);
                node
            })
            .collect();
        Self { tile, above }
    }

    /// Number of rows above the leaves.
    fn height(&self) -> usize {
        self.tile.len() - 1 + self.above.len()
    }

    /// Node `index` of `row`, row 0 being the leaves.
    pub(super) fn node(&self, row: usize, index: usize) -> Sha256Domain {
        match self.tile.get(row) {
            Some(nodes) => nodes[index % nodes.len()],
            None => self.above[row - self.tile.len()],
        }
    }

    /// The data of leaf `index`.
    pub(super) fn leaf(&self, index: usize) -> Sha256Domain {
        self.node(0, index)
    }

    /// The data commitment, comm_d.
    pub(super) fn root(&self) -> Sha256Domain {
        self.node(self.height(), 0)
    }

    /// Inclusion proof of leaf `index`.
    pub(super) fn proof(&self, index: usize) -> MerkleProof<Sha256Hasher, U2> {
        let path = (0..self.height())
            .map(|row| {
                let node = index >> row;
                (vec![self.node(row, node ^ 1)], node & 1)
            })
            .collect();
        MerkleProof::from_parts(self.leaf(index), self.root(), path)
    }
}

/// A leaf as padding leaves it: 254 bits of data, the top two clear.
fn random_leaf(rng: &mut impl RngCore) -> Sha256Domain {
    let mut leaf = [0u8; 32];
    rng.fill_bytes(&mut leaf);
    leaf[31] &= 0b0011_1111;
    Sha256Domain::from(leaf)
}

#[cfg(test)]
mod tests {
    use super::{DataTree, tree_hash};
    use cuzk_testing::TimeLimit;
    use filecoin_hashers::sha256::{Sha256Domain, Sha256Hasher};
    use rand::SeedableRng;
    use rand_chacha::ChaCha20Rng;
    use storage_proofs_core::merkle::MerkleProofTrait;

    const TILE_HEIGHT: usize = 12;

    fn tree(height: usize) -> DataTree {
        DataTree::random(height, TILE_HEIGHT, &mut ChaCha20Rng::seed_from_u64(7))
    }

    #[test]
    fn the_root_is_that_of_the_tree_built_row_by_row() {
        let _limit = TimeLimit::seconds(60);
        for height in [1, 6, TILE_HEIGHT, TILE_HEIGHT + 2] {
            let tree = tree(height);
            let mut row: Vec<Sha256Domain> = (0..1 << height).map(|index| tree.leaf(index)).collect();
            for level in 0..height {
                row = row.chunks(2).map(|pair| tree_hash::<Sha256Hasher>(pair, level)).collect();
            }
            assert_eq!(row, [tree.root()], "height {height}");
        }
    }

    #[test]
    fn the_crates_accept_the_paths() {
        let _limit = TimeLimit::seconds(60);
        for (height, leaves) in [(6, [0, 1, 63]), (30, [1, (1 << 12) + 5, (1 << 30) - 1])] {
            let tree = tree(height);
            for leaf in leaves {
                let proof = tree.proof(leaf);
                assert!(proof.validate(leaf) && proof.root() == tree.root(), "leaf {leaf} of 2^{height}");
            }
        }
    }
}
