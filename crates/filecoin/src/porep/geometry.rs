//! How large the parts of a valid PoRep payload are, asked of the proof crates.

use filecoin_proofs::constants::{DRG_DEGREE, EXP_DEGREE};
use filecoin_proofs::parameters::setup_params;
use filecoin_proofs_api::RegisteredSealProof;
use generic_array::typenum::{U0, U2, Unsigned};
use storage_proofs_core::merkle::base_path_length;
use storage_proofs_porep::stacked::TOTAL_PARENTS;

use crate::SectorSize;
use crate::shape::{TreeShape, with_shape};

/// Counts and lengths of a valid payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// Partitions of a sector's proof, each a proof of its own.
    pub(crate) partitions: usize,
    /// Challenged nodes a partition.
    pub(crate) challenges: usize,
    /// Layers of labels.
    pub(crate) layers: usize,
    /// Parents of a node in its own layer.
    pub(crate) drg_parents: usize,
    /// Parents of a node in the layer before.
    pub(crate) exp_parents: usize,
    /// Labels that go into a label, parents repeated.
    pub(crate) label_parents: usize,
    /// A path in TreeD.
    pub(crate) data_path: PathShape,
    /// A path in TreeR or TreeC.
    pub(crate) replica_path: PathShape,
}

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

impl Geometry {
    /// The geometry of a seal proof of that size, or what the crates have against it.
    pub(crate) fn new(proof: RegisteredSealProof, size: SectorSize) -> Result<Self, String> {
        let config = proof.as_v1_config();
        let setup = setup_params(&config).map_err(|error| format!("{error:#}"))?;
        Ok(Self {
            partitions: usize::from(config.partitions),
            challenges: setup.challenges.num_challenges_per_partition(),
            layers: setup.num_layers,
            drg_parents: DRG_DEGREE,
            exp_parents: EXP_DEGREE,
            label_parents: TOTAL_PARENTS,
            data_path: path_shape::<U2, U0, U0>(size.nodes()),
            replica_path: with_shape!(size, Tree => tree_path_shape::<Tree>(size.nodes())),
        })
    }
}

fn tree_path_shape<Tree: TreeShape>(leaves: usize) -> PathShape {
    path_shape::<Tree::Arity, Tree::SubTreeArity, Tree::TopTreeArity>(leaves)
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
    use crate::registered::interactive_seal_proof;

    fn leaves(shape: &[PartShape]) -> usize {
        shape.iter().map(|part| part.arity.pow(part.rows as u32)).product()
    }

    #[test]
    fn paths_span_exactly_the_sector() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for size in SectorSize::ALL {
            let geometry = Geometry::new(interactive_seal_proof(size), size).expect("a published size");
            assert_eq!(leaves(&geometry.data_path), size.nodes(), "{size}");
            assert_eq!(leaves(&geometry.replica_path), size.nodes(), "{size}");
        }
    }

    #[test]
    fn production_sectors_have_180_challenges_in_11_layers() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for size in [SectorSize::GiB32, SectorSize::GiB64] {
            let geometry = Geometry::new(interactive_seal_proof(size), size).expect("a published size");
            assert_eq!((geometry.partitions, geometry.challenges, geometry.layers), (10, 18, 11), "{size}");
            assert_eq!((geometry.drg_parents, geometry.exp_parents, geometry.label_parents), (6, 8, 37));
        }
        let part = |name, rows, arity| PartShape { name, rows, arity };
        let large = Geometry::new(interactive_seal_proof(SectorSize::GiB64), SectorSize::GiB64);
        assert_eq!(
            large.expect("a published size").replica_path,
            [part("base_proof", 9, 8), part("sub_proof", 1, 8), part("top_proof", 1, 2)]
        );
        let small = Geometry::new(interactive_seal_proof(SectorSize::KiB2), SectorSize::KiB2);
        assert_eq!(small.expect("a published size").replica_path, [part("path", 2, 8)]);
    }
}
