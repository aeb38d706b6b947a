//! How large the parts of a valid PoRep payload are, asked of the proof crates.

use filecoin_proofs::constants::{DRG_DEGREE, EXP_DEGREE};
use filecoin_proofs::parameters::setup_params;
use filecoin_proofs_api::RegisteredSealProof;
use storage_proofs_porep::stacked::TOTAL_PARENTS;

use crate::SectorSize;
use crate::merkle::{PathShape, data_path_shape, tree_path_shape};

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
            data_path: data_path_shape(size),
            replica_path: tree_path_shape(size),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registered::{SealFeature, seal_proof};

    #[test]
    fn production_sectors_have_180_challenges_in_11_layers() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for size in [SectorSize::GiB32, SectorSize::GiB64] {
            for feature in [SealFeature::Interactive, SealFeature::Synthetic] {
                let geometry = Geometry::new(seal_proof(size, feature), size).expect("a published size");
                assert_eq!((geometry.partitions, geometry.challenges, geometry.layers), (10, 18, 11), "{size}");
                assert_eq!((geometry.drg_parents, geometry.exp_parents, geometry.label_parents), (6, 8, 37));
            }
        }
    }

    #[test]
    fn non_interactive_sectors_differ_in_partitions_alone() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for size in SectorSize::ALL {
            let of = |feature| Geometry::new(seal_proof(size, feature), size).expect("a published size");
            let partitions = if size < SectorSize::GiB32 { 13 } else { 126 };
            let interactive = of(SealFeature::Interactive);
            assert_eq!(of(SealFeature::NonInteractive), Geometry { partitions, ..interactive });
        }
    }
}
