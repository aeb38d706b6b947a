//! The rows of a tree of a published shape, and paths through them.

use filecoin_hashers::poseidon::{PoseidonDomain, PoseidonHasher};
use generic_array::typenum::Unsigned;
use storage_proofs_core::merkle::{MerkleProof, MerkleTreeTrait};

/// An inclusion proof in a tree of the shape `Tree`.
pub(super) type TreeProof<Tree> = MerkleProof<
    <Tree as MerkleTreeTrait>::Hasher,
    <Tree as MerkleTreeTrait>::Arity,
    <Tree as MerkleTreeTrait>::SubTreeArity,
    <Tree as MerkleTreeTrait>::TopTreeArity,
>;

/// Arity of every row above the leaves: base rows, then one for the sub-trees and one for the top tree if `Tree` has
/// them.
pub(super) fn row_arities<Tree: MerkleTreeTrait>(leaf_count: usize) -> Vec<usize> {
    let base = Tree::Arity::USIZE;
    let upper: Vec<usize> =
        [Tree::SubTreeArity::USIZE, Tree::TopTreeArity::USIZE].into_iter().filter(|&arity| arity > 0).collect();
    let base_leaves = leaf_count / upper.iter().product::<usize>();
    let mut arities = vec![base; base_leaves.ilog(base) as usize];
    arities.extend(upper);
    debug_assert_eq!(arities.iter().product::<usize>(), leaf_count, "{leaf_count} leaves do not fill the shape");
    arities
}

/// Inclusion proof of leaf `leaf` in a tree of these `arities`; `node` gives the nodes by row, the leaves being row 0,
/// and index.
pub(super) fn open<Tree>(
    arities: &[usize],
    leaf: usize,
    node: impl Fn(usize, usize) -> PoseidonDomain,
) -> TreeProof<Tree>
where
    Tree: MerkleTreeTrait<Hasher = PoseidonHasher>,
{
    let mut index = leaf;
    let mut path = Vec::with_capacity(arities.len());
    for (row, &arity) in arities.iter().enumerate() {
        let (parent, position) = (index / arity, index % arity);
        let siblings = (0..arity).filter(|&child| child != position);
        path.push((siblings.map(|child| node(row, parent * arity + child)).collect(), position));
        index = parent;
    }
    MerkleProof::from_parts(node(0, leaf), node(arities.len(), 0), path)
}

#[cfg(test)]
mod tests {
    use super::row_arities;
    use cuzk_testing::TimeLimit;
    use filecoin_proofs::constants::{SectorShapeBase, SectorShapeSub8, SectorShapeTop2};

    #[test]
    fn the_rows_fill_the_published_sizes() {
        let _limit = TimeLimit::seconds(10);
        assert_eq!(row_arities::<SectorShapeBase>(1 << 6), [8; 2]);
        assert_eq!(row_arities::<SectorShapeBase>(1 << 24), [8; 8]);
        assert_eq!(row_arities::<SectorShapeSub8>(1 << 30), [8; 10]);
        assert_eq!(row_arities::<SectorShapeTop2>(1 << 31), [8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 2]);
    }
}
