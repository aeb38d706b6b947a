//! How large the parts of a valid SnapDeals payload are, asked of the proof crates.

use storage_proofs_update::PublicParams;

use crate::SectorSize;
use crate::merkle::{PathShape, data_path_shape, tree_path_shape};

/// Counts and lengths of a valid payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Geometry {
    /// Leaves of the sector's trees.
    pub(super) nodes: usize,
    /// Partitions of a sector's proof, each a proof of its own.
    pub(super) partitions: usize,
    /// Challenged nodes a partition.
    pub(super) challenges: usize,
    /// Nodes of TreeD that a partition gives of its apex row.
    pub(super) apex_leafs: usize,
    /// The height of that row above the leaves.
    pub(super) apex_height: usize,
    /// The height of the nodes that a partition has one of: above it, all paths of the partition are the same.
    pub(super) partition_height: usize,
    /// A path in TreeD.
    pub(super) data_path: PathShape,
    /// A path in TreeR.
    pub(super) replica_path: PathShape,
}

impl Geometry {
    /// The geometry of a sector size.
    pub(super) fn new(size: SectorSize) -> Self {
        let params = PublicParams::from_sector_size(size.bytes());
        let partition_height = params.challenge_bit_len - params.partition_bit_len;
        Self {
            nodes: params.sector_nodes,
            partitions: params.partition_count,
            challenges: params.challenge_count,
            apex_leafs: params.apex_leaf_count,
            apex_height: partition_height - params.apex_leaf_bit_len,
            partition_height,
            data_path: data_path_shape(size),
            replica_path: tree_path_shape(size),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_and_challenges_are_the_published_ones() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let expected = [(1, 10, 8), (4, 10, 128), (16, 86, 128), (16, 86, 128), (16, 86, 128)];
        for (size, expected) in SectorSize::ALL.into_iter().zip(expected) {
            let geometry = Geometry::new(size);
            assert_eq!((geometry.partitions, geometry.challenges, geometry.apex_leafs), expected, "{size}");
            assert_eq!(geometry.partitions << geometry.partition_height, size.nodes());
            assert_eq!((geometry.partitions * geometry.apex_leafs) << geometry.apex_height, size.nodes());
        }
    }
}
