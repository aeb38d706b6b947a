//! The shape of a PoRep payload: every count and length, every index, and that every number is a field element.
//!
//! Hashes are not recomputed here: a payload with one wrong hash passes, and fails in its circuit, which names the
//! constraint. What is checked is what the proof crates take for granted (and panic without), and that the payload
//! opens the nodes that the chain's randomness challenges. Values that the circuit ignores but the payload states
//! twice, such as the root that each path says it leads to, must agree with each other.

use blstrs::Scalar;
use ff::PrimeField;

use super::expected::Opening;
use super::geometry::{Geometry, PartShape};
use super::payload::{ChallengeProof, ColumnProof, LabelProof, MerkleProof, Node, PathElement};
use crate::error::RequestError;
use crate::field_path::FieldPath;
use crate::hex;

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
        opens(&column_at.field("index"), u64::from(column.column.index), node)?;
        let rows_at = column_at.field("rows");
        count(&rows_at, "rows", column.column.rows.len(), self.geometry.layers)?;
        canonical_all(&column.column.rows, &rows_at)?;

        let path_at = at.field("inclusion_proof");
        path(&column.inclusion_proof, &self.geometry.replica_path, node, &path_at)?;
        let stated = self.first.field("replica_column_proofs");
        let stated = stated.field("c_x");
        let stated = stated.field("inclusion_proof");
        same_root(&column.inclusion_proof, &path_at, &self.roots.comm_c, &stated.field("root"))
    }

    fn data_path(&self, proof: &MerkleProof, node: u64, at: &FieldPath<'_>) -> Check {
        path(proof, &self.geometry.data_path, node, at)?;
        same_root(proof, at, &self.roots.comm_d, self.comm_d)
    }

    fn replica_path(&self, proof: &MerkleProof, node: u64, at: &FieldPath<'_>) -> Check {
        path(proof, &self.geometry.replica_path, node, at)?;
        let stated = self.first.field("comm_r_last_proof");
        same_root(proof, at, &self.roots.comm_r_last, &stated.field("root"))
    }

    fn label(&self, label: &LabelProof, layer: usize, node: u64, at: &FieldPath<'_>) -> Check {
        opens(&at.field("node"), label.node, node)?;
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
}

/// Checks one path: its parts, their lengths and arities, and that it leads from `node`.
fn path(proof: &MerkleProof, shape: &[PartShape], node: u64, at: &FieldPath<'_>) -> Check {
    canonical(proof.root(), &at.field("root"))?;
    canonical(proof.leaf(), &at.field("leaf"))?;
    if !proof.parts().map(|(name, _)| name).eq(shape.iter().map(|part| part.name)) {
        let list = |names: Vec<&str>| names.join(", ");
        return Err(RequestError::Value {
            field: at.field("data").to_string(),
            value: format!("a path made of {}", list(proof.parts().map(|(name, _)| name).collect())),
            expected: format!(
                "one made of {} for this sector size",
                list(shape.iter().map(|part| part.name).collect())
            ),
        });
    }
    let (mut index, mut weight) = (0_u64, 1_u64);
    for ((name, rows), part) in proof.parts().zip(shape) {
        let part_at = at.field(name);
        count(&part_at, "rows", rows.len(), part.rows)?;
        for (i, row) in rows.iter().enumerate() {
            path_row(row, part.arity, &part_at.index(i))?;
            // No overflow: the weights of a full path multiply up to the nodes of a sector, 2^31 at most.
            index += row.index * weight;
            weight *= part.arity as u64;
        }
    }
    if index == node {
        return Ok(());
    }
    Err(RequestError::Contradiction {
        field: format!("{at} (by the indices of its rows)"),
        value: format!("the path of node {index}"),
        other_field: CHALLENGED.to_owned(),
        other_value: node.to_string(),
    })
}

fn path_row(row: &PathElement, arity: usize, at: &FieldPath<'_>) -> Check {
    if row.index >= arity as u64 {
        return Err(RequestError::Value {
            field: at.field("index").to_string(),
            value: row.index.to_string(),
            expected: format!("less than the arity {arity}"),
        });
    }
    let hashes_at = at.field("hashes");
    count(&hashes_at, "siblings", row.hashes.len(), arity - 1)?;
    canonical_all(&row.hashes, &hashes_at)
}

/// What replica id and seed (and the graph) say must be opened.
const CHALLENGED: &str = "the node to open, which follows from replica_id, seed and registered_proof,";

fn opens(at: &FieldPath<'_>, found: u64, node: u64) -> Check {
    if found == node {
        return Ok(());
    }
    Err(RequestError::Contradiction {
        field: at.to_string(),
        value: found.to_string(),
        other_field: CHALLENGED.to_owned(),
        other_value: node.to_string(),
    })
}

fn same_root(proof: &MerkleProof, at: &FieldPath<'_>, root: &Node, root_at: &FieldPath<'_>) -> Check {
    if proof.root() == root {
        return Ok(());
    }
    Err(RequestError::Contradiction {
        field: at.field("root").to_string(),
        value: hex(proof.root()),
        other_field: root_at.to_string(),
        other_value: hex(root),
    })
}

/// Refuses a list of the wrong length.
pub(crate) fn count(at: &FieldPath<'_>, what: &'static str, found: usize, expected: usize) -> Check {
    if found == expected {
        return Ok(());
    }
    Err(RequestError::Count { field: at.to_string(), what, found, expected })
}

fn canonical_all(nodes: &[Node], at: &FieldPath<'_>) -> Check {
    nodes.iter().enumerate().try_for_each(|(i, node)| canonical(node, &at.index(i)))
}

/// Refuses bytes that are no canonical field element: the crates' conversions to one panic.
pub(crate) fn canonical(node: &Node, at: &FieldPath<'_>) -> Check {
    if Scalar::from_repr_vartime(*node).is_some() {
        return Ok(());
    }
    Err(RequestError::NotCanonical { field: at.to_string(), value: hex(node) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ff::Field;

    #[test]
    fn canonical_means_less_than_the_order() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let at = FieldPath::root("value");
        let largest = (-Scalar::ONE).to_repr();
        assert_eq!(canonical(&[0; 32], &at), Ok(()));
        assert_eq!(canonical(&largest, &at), Ok(()));
        let mut order = largest;
        order[0] += 1;
        for bytes in [order, [0xff; 32]] {
            let error = canonical(&bytes, &at).unwrap_err();
            assert_eq!(error, RequestError::NotCanonical { field: "value".to_owned(), value: hex(&bytes) });
        }
    }
}
