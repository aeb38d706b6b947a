//! What a PoSt request says more than once must be the same each time.

use filecoin_proofs::PoStType;
use filecoin_proofs_api::RegisteredPoStProof;

use super::inputs::Statement;
use super::payload::FIELD;
use crate::error::RequestError;
use crate::registered::{self, describe_post};
use crate::{ProofKind, SectorSize, Submission};

/// What the parts of a request agree on.
pub(crate) struct Agreement {
    pub(crate) registered_proof: RegisteredPoStProof,
    pub(crate) size: SectorSize,
    pub(crate) partition_index: u32,
}

impl Agreement {
    /// Compares the fields.
    pub(crate) fn of(kind: ProofKind, submission: &Submission) -> Result<Self, RequestError> {
        let registered_proof = proof(kind, submission.registered_proof)?;
        let size = registered::post_proof_size(registered_proof).ok_or_else(|| RequestError::Value {
            field: "registered_proof".to_owned(),
            value: describe_post(registered_proof),
            expected: "a PoSt proof of a published sector size".to_owned(),
        })?;
        let stated = submission.sector_size;
        if stated != 0 && stated != size.bytes() {
            return Err(RequestError::Contradiction {
                field: "sector_size".to_owned(),
                value: stated.to_string(),
                other_field: "registered_proof".to_owned(),
                other_value: format!("{}, of {} bytes", describe_post(registered_proof), size.bytes()),
            });
        }
        // Only V1's challenges depend on it; clients send 0 for every partition otherwise.
        let partition_index = match kind {
            ProofKind::WindowPostPartition if registered_proof.minor_version() < 2 => submission.partition_index,
            _ => 0,
        };
        Ok(Self { registered_proof, size, partition_index })
    }
}

/// Field 4 for a kind. A number of the other kind contradicts `proof_kind`.
fn proof(kind: ProofKind, number: u64) -> Result<RegisteredPoStProof, RequestError> {
    let (wanted, expected) = match kind {
        ProofKind::WinningPost => (PoStType::Winning, "the number of a WinningPoSt proof, 0 to 4"),
        _ => (PoStType::Window, "the number of a WindowPoSt proof, 5 to 9 (V1) or 10 to 14 (V1_1)"),
    };
    let proof = registered::post_proof_from_wire(number).ok_or_else(|| RequestError::Value {
        field: "registered_proof".to_owned(),
        value: number.to_string(),
        expected: expected.to_owned(),
    })?;
    if proof.typ() == wanted {
        return Ok(proof);
    }
    Err(RequestError::Contradiction {
        field: "registered_proof".to_owned(),
        value: describe_post(proof),
        other_field: "proof_kind".to_owned(),
        other_value: format!("{kind} ({}), which takes {expected}", kind.wire()),
    })
}

/// A WinningPoSt has one sector, which field 20 may name as well.
pub(crate) fn sector_number(
    kind: ProofKind,
    submission: &Submission,
    statement: &Statement,
) -> Result<(), RequestError> {
    let stated = submission.sector_number;
    match statement.sectors.as_slice() {
        [sector] if kind == ProofKind::WinningPost && stated != 0 && stated != sector.id => {
            Err(RequestError::Contradiction {
                field: "sector_number".to_owned(),
                value: stated.to_string(),
                other_field: FIELD.index(0).field("sector_id").to_string(),
                other_value: sector.id.to_string(),
            })
        }
        _ => Ok(()),
    }
}
