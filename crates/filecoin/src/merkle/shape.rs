//! How long the parts of a path are, asked of the proof crates.

use generic_array::typenum::{U0, U2, Unsigned};
use storage_proofs_core::merkle::base_path_length;

use crate::SectorSize;
use crate::shape::{TreeShape, with_shape};

/// The parts that a path has, from the leaf up.
pub(crate) type PathShape = Vec<PartShape>;

/// Consecutive rows of a path with one arity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartShape {
    /// Its name in the payload.
    pub(crate) name: &'static str,
    /// Its length.
    pub(crate) rows: usize,
    /// Children of a node in these rows; a path gives all but one.
    pub(crate) arity: usize,
}

/// A path in TreeR or TreeC of a sector.
pub(crate) fn tree_path_shape(size: SectorSize) -> PathShape {
    fn of<Tree: TreeShape>(leaves: usize) -> PathShape {
        path_shape::<Tree::Arity, Tree::SubTreeArity, Tree::TopTreeArity>(leaves)
    }
    with_shape!(size, Tree => of::<Tree>(size.nodes()))
}

/// A path in TreeD of a sector.
pub(crate) fn data_path_shape(size: SectorSize) -> PathShape {
    path_shape::<U2, U0, U0>(size.nodes())
}

fn path_shape<Base: Unsigned, Sub: Unsigned, Top: Unsigned>(leaves: usize) -> PathShape {
    let compound = Sub::USIZE > 0;
    let mut parts = vec![PartShape {
        name: if compound { "base_proof" } else { "path" },
        rows: base_path_length::<Base, Sub, Top>(leaves),
        arity: Base::USIZE,
    }];
    for (name, arity) in [("sub_proof", Sub::USIZE), ("top_proof", Top::USIZE)] {
        if arity > 0 {
            parts.push(PartShape { name, rows: 1, arity });
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(shape: &[PartShape]) -> usize {
        shape.iter().map(|part| part.arity.pow(part.rows as u32)).product()
    }

    #[test]
    fn paths_span_exactly_the_sector() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for size in SectorSize::ALL {
            assert_eq!(leaves(&data_path_shape(size)), size.nodes(), "{size}");
            assert_eq!(leaves(&tree_path_shape(size)), size.nodes(), "{size}");
        }
    }

    #[test]
    fn upper_rows_have_arities_of_their_own() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let part = |name, rows, arity| PartShape { name, rows, arity };
        assert_eq!(
            tree_path_shape(SectorSize::GiB64),
            [part("base_proof", 9, 8), part("sub_proof", 1, 8), part("top_proof", 1, 2)]
        );
        assert_eq!(tree_path_shape(SectorSize::KiB2), [part("path", 2, 8)]);
    }
}
