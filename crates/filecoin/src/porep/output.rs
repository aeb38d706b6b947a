//! The C1 output of a payload, in types of our own.
//!
//! The proof crates' types deserialise whatever has the right names: bytes that are no field elements, paths of any
//! length. Their fields are private, and the code behind them panics on such data. So a payload is read into plain
//! mirrors first (the same names, hence the same JSON in any key order and spacing), checked, and only then made into
//! the crates' types through their constructors.

use std::fmt;

use filecoin_proofs_api::RegisteredSealProof;
use serde::de::{self, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::SectorSize;
use crate::merkle::{HeapBytes, MerkleProof, Node};

/// Mirror of the API crate's `SealCommitPhase1Output`.
#[derive(Deserialize)]
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(crate) struct Phase1Output {
    pub(crate) registered_proof: RegisteredSealProof,
    pub(crate) vanilla_proofs: VanillaProofs,
    pub(crate) comm_r: Node,
    pub(crate) comm_d: Node,
    pub(crate) replica_id: Node,
    pub(crate) seed: Node,
    pub(crate) ticket: Node,
}

/// Mirror of the API crate's `VanillaSealProof`: for each partition, for each challenge, a proof. The variant names the
/// sector size whatever the version.
#[derive(Deserialize)]
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(crate) enum VanillaProofs {
    StackedDrg2KiBV1(Partitions),
    StackedDrg8MiBV1(Partitions),
    StackedDrg512MiBV1(Partitions),
    StackedDrg32GiBV1(Partitions),
    StackedDrg64GiBV1(Partitions),
}

impl VanillaProofs {
    /// The sector size that the variant names.
    pub(crate) fn size(&self) -> SectorSize {
        match self {
            Self::StackedDrg2KiBV1(_) => SectorSize::KiB2,
            Self::StackedDrg8MiBV1(_) => SectorSize::MiB8,
            Self::StackedDrg512MiBV1(_) => SectorSize::MiB512,
            Self::StackedDrg32GiBV1(_) => SectorSize::GiB32,
            Self::StackedDrg64GiBV1(_) => SectorSize::GiB64,
        }
    }

    /// The proofs, by partition and challenge.
    pub(crate) fn into_partitions(self) -> Vec<Vec<ChallengeProof>> {
        match self {
            Self::StackedDrg2KiBV1(partitions)
            | Self::StackedDrg8MiBV1(partitions)
            | Self::StackedDrg512MiBV1(partitions)
            | Self::StackedDrg32GiBV1(partitions)
            | Self::StackedDrg64GiBV1(partitions) => partitions.0,
        }
    }
}

/// The most partitions of any seal proof: those of a non-interactive production sector.
const MAX_PARTITIONS: usize = 126;

/// For each partition, for each challenge, a proof.
///
/// An empty partition is three bytes of JSON and eight times as many in memory, so a list of too many is not read to its
/// end. (Everything within a partition is longer as JSON than in memory.)
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(crate) struct Partitions(Vec<Vec<ChallengeProof>>);

impl<'de> Deserialize<'de> for Partitions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(PartitionsVisitor).map(Self)
    }
}

struct PartitionsVisitor;

impl<'de> Visitor<'de> for PartitionsVisitor {
    type Value = Vec<Vec<ChallengeProof>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at most {MAX_PARTITIONS} partitions")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut partitions = Vec::new();
        while let Some(partition) = list.next_element()? {
            if partitions.len() == MAX_PARTITIONS {
                return Err(de::Error::invalid_length(MAX_PARTITIONS + 1, &self));
            }
            partitions.push(partition);
        }
        Ok(partitions)
    }
}

/// Mirror of `stacked::Proof`: what opens one challenged node.
#[derive(Deserialize)]
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(crate) struct ChallengeProof {
    /// The node's data in TreeD (SHA-256, arity 2).
    pub(crate) comm_d_proofs: MerkleProof,
    /// The node's replica in TreeR.
    pub(crate) comm_r_last_proof: MerkleProof,
    /// The label columns of the node and its parents in TreeC.
    pub(crate) replica_column_proofs: ColumnProofs,
    /// For each layer, what the node's label is made of.
    pub(crate) labeling_proofs: Vec<LabelProof>,
    /// What the node's key is made of: the last layer's label.
    pub(crate) encoding_proof: LabelProof,
}

/// Mirror of `ReplicaColumnProof`.
#[derive(Deserialize)]
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(crate) struct ColumnProofs {
    pub(crate) c_x: ColumnProof,
    pub(crate) drg_parents: Vec<ColumnProof>,
    pub(crate) exp_parents: Vec<ColumnProof>,
}

/// Mirror of `ColumnProof`: a column of labels, and its hash in TreeC.
#[derive(Deserialize)]
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(crate) struct ColumnProof {
    pub(crate) column: Column,
    pub(crate) inclusion_proof: MerkleProof,
}

/// Mirror of `Column`: a node's labels, one a layer.
#[derive(Deserialize)]
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(crate) struct Column {
    pub(crate) index: u32,
    pub(crate) rows: Vec<Node>,
    /// Marker of the crates' own type; present in their JSON, meaningless, and not asked for.
    #[serde(rename = "_h", default)]
    _marker: IgnoredAny,
}

/// Mirror of `LabelingProof` and of `EncodingProof`, which have the same fields.
#[derive(Deserialize)]
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(crate) struct LabelProof {
    pub(crate) parents: Vec<Node>,
    pub(crate) layer_index: u32,
    pub(crate) node: u64,
}

impl HeapBytes for ChallengeProof {
    fn heap_bytes(&self) -> usize {
        let columns = &self.replica_column_proofs;
        self.comm_d_proofs.heap_bytes()
            + self.comm_r_last_proof.heap_bytes()
            + columns.c_x.heap_bytes()
            + columns.drg_parents.heap_bytes()
            + columns.exp_parents.heap_bytes()
            + self.labeling_proofs.heap_bytes()
            + self.encoding_proof.heap_bytes()
    }
}

impl HeapBytes for ColumnProof {
    fn heap_bytes(&self) -> usize {
        self.column.rows.heap_bytes() + self.inclusion_proof.heap_bytes()
    }
}

impl HeapBytes for LabelProof {
    fn heap_bytes(&self) -> usize {
        self.parents.heap_bytes()
    }
}
