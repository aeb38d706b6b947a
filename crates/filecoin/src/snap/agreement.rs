//! The fields of a SnapDeals request beside its payload: sector size and update proof, which must agree, and the
//! commitments.

use filecoin_proofs_api::RegisteredUpdateProof;

use crate::error::RequestError;
use crate::field_path::FieldPath;
use crate::merkle::{Node, canonical, count, refuse_zero};
use crate::{Submission, registered};

/// The update proof that field 4 names. Its number 0 is the one of 2 KiB, and also what a client sends that leaves the
/// field out: with the size of another sector beside it that is a contradiction, and never a guess.
pub(super) fn registered_proof(submission: &Submission) -> Result<RegisteredUpdateProof, RequestError> {
    let number = submission.registered_proof;
    let proof = registered::update_proof_from_wire(number).ok_or_else(|| RequestError::Value {
        field: "registered_proof".to_owned(),
        value: number.to_string(),
        expected: "the number of a registered update proof, 0 to 4".to_owned(),
    })?;
    let bytes = registered::update_proof_size(proof).bytes();
    // Requests of the proof market give no size.
    if submission.sector_size == 0 || submission.sector_size == bytes {
        return Ok(proof);
    }
    Err(RequestError::Contradiction {
        field: "sector_size".to_owned(),
        value: submission.sector_size.to_string(),
        other_field: "registered_proof".to_owned(),
        other_value: format!("{}, of {bytes} bytes", registered::describe_update(proof)),
    })
}

/// A commitment: 32 bytes, a field element, and not zero, as where nobody filled it in.
pub(super) fn commitment(bytes: &[u8], name: &'static str) -> Result<Node, RequestError> {
    let at = FieldPath::root(name);
    if bytes.is_empty() {
        return Err(RequestError::Missing { field: name.to_owned(), expected: "a commitment of 32 bytes".to_owned() });
    }
    let mut node = Node::default();
    count(&at, "bytes", bytes.len(), node.len())?;
    node.copy_from_slice(bytes);
    canonical(&node, &at)?;
    refuse_zero(&node, &at)?;
    Ok(node)
}
