//! Checked paths in the crates' own types.

use blstrs::Scalar;
use filecoin_hashers::Hasher;
use filecoin_hashers::poseidon::{PoseidonDomain, PoseidonHasher};
use filecoin_hashers::sha256::Sha256Domain;
use generic_array::typenum::U2;
use storage_proofs_core::merkle;

use super::{MerkleProof, Node};
use crate::shape::{DataHasher, TreeShape};

/// A path in TreeR or TreeC.
pub(crate) type TreePath<Tree> = merkle::MerkleProof<
    PoseidonHasher,
    <Tree as merkle::MerkleTreeTrait>::Arity,
    <Tree as merkle::MerkleTreeTrait>::SubTreeArity,
    <Tree as merkle::MerkleTreeTrait>::TopTreeArity,
>;
/// A path in TreeD.
pub(crate) type DataPath = merkle::MerkleProof<DataHasher, U2>;

/// Bytes as a domain element; the crates take any bytes here, and panic later unless they are canonical.
pub(crate) fn poseidon(node: &Node) -> PoseidonDomain {
    PoseidonDomain::from(*node)
}

/// A checked path in a tree of the shape `Tree`.
pub(crate) fn tree_path<Tree: TreeShape>(proof: &MerkleProof) -> TreePath<Tree> {
    TreePath::<Tree>::from_parts(
        poseidon(proof.leaf()),
        poseidon(proof.root()),
        rows::<PoseidonHasher>(proof, poseidon),
    )
}

/// A checked path in TreeD.
pub(crate) fn data_path(proof: &MerkleProof) -> DataPath {
    let domain = |node: &Node| Sha256Domain(*node);
    DataPath::from_parts(domain(proof.leaf()), domain(proof.root()), rows::<DataHasher>(proof, domain))
}

/// A path in the crates' form: siblings and index of every row, from the leaf up.
fn rows<H: Hasher>(proof: &MerkleProof, domain: impl Fn(&Node) -> H::Domain) -> Vec<(Vec<H::Domain>, usize)> {
    proof
        .parts()
        .flat_map(|(_, part)| part)
        .map(|row| (row.hashes.iter().map(&domain).collect(), row.index as usize))
        .collect()
}

/// A checked path as gadgets take it, in a tree over Poseidon.
#[allow(clippy::type_complexity, reason = "the crates' own type")]
pub(crate) fn path_options(proof: &MerkleProof) -> Vec<(Vec<Option<Scalar>>, Option<usize>)> {
    let option = |node: PoseidonDomain| Some(Scalar::from(node));
    let rows = rows::<PoseidonHasher>(proof, poseidon).into_iter();
    rows.map(|(siblings, index)| (siblings.into_iter().map(option).collect(), Some(index))).collect()
}
