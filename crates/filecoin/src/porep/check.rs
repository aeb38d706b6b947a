//! The shape of a PoRep payload: every count and length, every index, and that every number is a field element; and that
//! it opens the nodes that are challenged (see [`merkle`](crate::merkle) for what is left to the
//! circuit).

use super::expected::Opening;
use super::geometry::Geometry;
use super::output::{ChallengeProof, ColumnProof, LabelProof};
use crate::error::RequestError;
use crate::field_path::FieldPath;
use crate::merkle::{MerkleProof, Node, Opened, canonical_all, count, open, same_root};
use crate::registered::SealFeature;

/// The roots that all paths of one request share.
#[derive(Clone, Copy)]
pub(crate) struct Roots {
    /// Of TreeD.
    pub(crate) comm_d: Node,
    /// Of TreeC, as the first challenge states it.
    pub(crate) comm_c: Node,
    /// Of TreeR, as the first challenge states it.
    pub(crate) comm_r_last: Node,
}

/// Checks one challenge's proof against what it must open.
pub(crate) struct Checker<'a> {
    pub(crate) geometry: &'a Geometry,
    pub(crate) roots: &'a Roots,
    /// Where the first challenge's proof stands, which the roots are taken from.
    pub(crate) first: &'a FieldPath<'a>,
    /// Where `comm_d` stands.
    pub(crate) comm_d: &'a FieldPath<'a>,
    /// What the challenges follow from.
    pub(crate) feature: SealFeature,
}

type Check = Result<(), RequestError>;

impl Checker<'_> {
    /// Checks everything that opens one challenged node.
    pub(crate) fn challenge(&self, proof: &ChallengeProof, opening: &Opening, at: &FieldPath<'_>) -> Check {
        let geometry = self.geometry;
        self.data_path(&proof.comm_d_proofs, opening.node, &at.field("comm_d_proofs"))?;
        self.replica_path(&proof.comm_r_last_proof, opening.node, &at.field("comm_r_last_proof"))?;

        let columns = &proof.replica_column_proofs;
        let columns_at = at.field("replica_column_proofs");
        self.column(&columns.c_x, opening.node, &columns_at.field("c_x"))?;
        let drg_at = columns_at.field("drg_parents");
        let exp_at = columns_at.field("exp_parents");
        let (drg, exp) = opening.parents.split_at(geometry.drg_parents.min(opening.parents.len()));
        self.parents(&columns.drg_parents, drg, &drg_at)?;
        self.parents(&columns.exp_parents, exp, &exp_at)?;

        let labels_at = at.field("labeling_proofs");
        count(&labels_at, "layers", proof.labeling_proofs.len(), geometry.layers)?;
        for (layer, label) in proof.labeling_proofs.iter().enumerate() {
            self.label(label, layer + 1, opening.node, &labels_at.index(layer))?;
        }
        self.label(&proof.encoding_proof, geometry.layers, opening.node, &at.field("encoding_proof"))
    }

    fn parents(&self, columns: &[ColumnProof], parents: &[u32], at: &FieldPath<'_>) -> Check {
        count(at, "parents", columns.len(), parents.len())?;
        for (i, (column, &parent)) in columns.iter().zip(parents).enumerate() {
            self.column(column, u64::from(parent), &at.index(i))?;
        }
        Ok(())
    }

    fn column(&self, column: &ColumnProof, node: u64, at: &FieldPath<'_>) -> Check {
        let column_at = at.field("column");
        self.opened(node).is(u64::from(column.column.index), &column_at.field("index"))?;
        let rows_at = column_at.field("rows");
        count(&rows_at, "rows", column.column.rows.len(), self.geometry.layers)?;
        canonical_all(&column.column.rows, &rows_at)?;

        let path_at = at.field("inclusion_proof");
        open(&column.inclusion_proof, &self.geometry.replica_path, self.opened(node), &path_at)?;
        let stated = self.first.field("replica_column_proofs");
        let stated = stated.field("c_x");
        let stated = stated.field("inclusion_proof");
        same_root(&column.inclusion_proof, &path_at, &self.roots.comm_c, &stated.field("root"))
    }

    fn data_path(&self, proof: &MerkleProof, node: u64, at: &FieldPath<'_>) -> Check {
        open(proof, &self.geometry.data_path, self.opened(node), at)?;
        same_root(proof, at, &self.roots.comm_d, self.comm_d)
    }

    fn replica_path(&self, proof: &MerkleProof, node: u64, at: &FieldPath<'_>) -> Check {
        open(proof, &self.geometry.replica_path, self.opened(node), at)?;
        let stated = self.first.field("comm_r_last_proof");
        same_root(proof, at, &self.roots.comm_r_last, &stated.field("root"))
    }

    fn label(&self, label: &LabelProof, layer: usize, node: u64, at: &FieldPath<'_>) -> Check {
        self.opened(node).is(label.node, &at.field("node"))?;
        let layer_at = at.field("layer_index");
        if u64::from(label.layer_index) != layer as u64 {
            return Err(RequestError::Value {
                field: layer_at.to_string(),
                value: label.layer_index.to_string(),
                expected: format!("layer {layer}"),
            });
        }
        let parents_at = at.field("parents");
        count(&parents_at, "parents", label.parents.len(), self.geometry.label_parents)?;
        canonical_all(&label.parents, &parents_at)
    }

    /// A node that the challenges (and the graph) say must be opened.
    fn opened(&self, node: u64) -> Opened {
        let because = match self.feature {
            SealFeature::Interactive => "the node to open, which follows from replica_id, seed and registered_proof,",
            SealFeature::Synthetic => {
                "the node to open, which follows from replica_id, comm_r, seed and registered_proof,"
            }
            SealFeature::NonInteractive => {
                "the node to open, which follows from replica_id, comm_r and registered_proof,"
            }
        };
        Opened { node, because }
    }
}
