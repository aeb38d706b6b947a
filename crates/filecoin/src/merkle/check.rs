//! The shape of a path: its parts, their lengths and arities, where it leads from, and that every number is a field
//! element.
//!
//! Hashes are not recomputed here: a payload with one wrong hash passes, and fails in its circuit, which names the
//! constraint. What is checked is what the proof crates take for granted (and panic without), and that a path opens the
//! node that it should. Values that the circuit ignores but the payload states twice, such as the root that each path
//! says it leads to, must agree with each other.

use super::{MerkleProof, Node, PathElement};
use crate::error::RequestError;
use crate::field_path::FieldPath;
use crate::hex;

use super::shape::PartShape;

type Check = Result<(), RequestError>;

/// A node that has to be opened.
#[derive(Clone, Copy)]
pub(crate) struct Opened {
    /// Its number.
    pub(crate) node: u64,
    /// What makes it the one, for messages: "the node to open, which follows from …,".
    pub(crate) because: &'static str,
}

impl Opened {
    /// Refuses a number that should name this node.
    pub(crate) fn is(self, found: u64, at: &FieldPath<'_>) -> Check {
        if found == self.node {
            return Ok(());
        }
        Err(self.contradicts(at.to_string(), found.to_string()))
    }

    fn contradicts(self, field: String, value: String) -> RequestError {
        RequestError::Contradiction {
            field,
            value,
            other_field: self.because.to_owned(),
            other_value: self.node.to_string(),
        }
    }
}

/// Checks one path: its parts, their lengths and arities, and that it leads from the node to open.
pub(crate) fn open(proof: &MerkleProof, shape: &[PartShape], opened: Opened, at: &FieldPath<'_>) -> Check {
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
    if index == opened.node {
        return Ok(());
    }
    Err(opened.contradicts(at.to_string(), format!("the path of node {index}, by the indices of its rows")))
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

/// Refuses a path that says it leads to another root than the one that stands at `root_at`.
pub(crate) fn same_root(proof: &MerkleProof, at: &FieldPath<'_>, root: &Node, root_at: &FieldPath<'_>) -> Check {
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

/// [`canonical`] for every node of a list.
pub(crate) fn canonical_all(nodes: &[Node], at: &FieldPath<'_>) -> Check {
    nodes.iter().enumerate().try_for_each(|(i, node)| canonical(node, &at.index(i)))
}

/// Refuses bytes that are no canonical field element: the crates' conversions to one panic.
pub(crate) fn canonical(node: &Node, at: &FieldPath<'_>) -> Check {
    if is_canonical(node) {
        return Ok(());
    }
    Err(RequestError::NotCanonical { field: at.to_string(), value: hex(node) })
}

/// Refuses a commitment of nothing but zeros: what a field holds that nobody filled in.
pub(crate) fn refuse_zero(commitment: &Node, at: &FieldPath<'_>) -> Check {
    if commitment != &[0; 32] {
        return Ok(());
    }
    Err(RequestError::Value {
        field: at.to_string(),
        value: "all zero".to_owned(),
        expected: "a commitment, which is taken for unset when it is zero".to_owned(),
    })
}

/// The order of the scalar field less one, as 64-bit words from the least significant.
const LARGEST: [u64; 4] = [0xffff_ffff_0000_0000, 0x53bd_a402_fffe_5bfe, 0x3339_d808_09a1_d805, 0x73ed_a753_299d_7d48];

/// Whether 32 little-endian bytes are less than the order. A payload has hundreds of thousands of them, so this compares
/// words (nearly always only the first) instead of making a field element.
fn is_canonical(node: &Node) -> bool {
    let (words, _) = node.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    words.rev().le(LARGEST.into_iter().rev())
}

#[cfg(test)]
mod tests {
    use super::*;
    use blstrs::Scalar;
    use ff::{Field, PrimeField};
    use proptest::prelude::*;

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

    proptest! {
        /// Around the order itself, where it matters: each word of it kept, lowered or raised a little.
        #[test]
        fn comparing_words_agrees_with_the_field(steps in prop::array::uniform4(-1_i64..=1)) {
            let mut node = [0; 32];
            for ((bytes, word), step) in node.as_chunks_mut::<8>().0.iter_mut().zip(LARGEST).zip(steps) {
                *bytes = word.wrapping_add_signed(step).to_le_bytes();
            }
            prop_assert_eq!(is_canonical(&node), Scalar::from_repr_vartime(node).is_some());
        }
    }
}
