//! What a PoRep request says more than once must be the same each time.
//!
//! The payload is what gets proved, so it has the last word; fields and wrapper may repeat it or (zero on the wire)
//! keep silent, but not contradict it.

use super::inputs::Statement;
use super::payload::{FIELD, Payload};
use crate::error::RequestError;
use crate::field_path::FieldPath;
use crate::merkle::Node;
use crate::{SectorSize, Submission, hex, registered};

/// What the parts of a request agree on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agreement {
    pub(crate) size: SectorSize,
    pub(crate) miner_id: Option<u64>,
    pub(crate) sector_number: Option<u64>,
}

const REGISTERED_PROOF: FieldPath<'static> = FieldPath::root("registered_proof");
const SECTOR_SIZE: FieldPath<'static> = FieldPath::root("sector_size");
const SECTOR_NUMBER: FieldPath<'static> = FieldPath::root("sector_number");

impl Agreement {
    /// Compares fields, wrapper and C1 output.
    pub(crate) fn of(submission: &Submission, payload: &Payload) -> Result<Self, RequestError> {
        let root = payload.root();
        let proof_at = root.field("registered_proof");
        let proof = payload.output.registered_proof;
        let size = registered::seal_proof_size(proof).ok_or_else(|| RequestError::Value {
            field: proof_at.to_string(),
            value: registered::describe(proof),
            expected: "a seal proof of a published sector size".to_owned(),
        })?;
        proof_number(submission.registered_proof, payload)?;

        let by_proof = registered::describe(proof);
        let variant = payload.output.vanilla_proofs.size();
        if variant != size {
            return Err(contradiction(&root.field("vanilla_proofs"), format!("of {variant}"), &proof_at, by_proof));
        }
        let wrapper = payload.wrapper.unwrap_or_default();
        for (stated, at) in [(submission.sector_size, SECTOR_SIZE), (wrapper.sector_size, FIELD.field("SectorSize"))] {
            if stated != 0 && stated != size.bytes() {
                return Err(contradiction(&at, stated, &proof_at, format!("{by_proof}, of {} bytes", size.bytes())));
            }
        }
        Ok(Self {
            size,
            miner_id: given(submission.miner_id),
            sector_number: sector_number(submission.sector_number, wrapper.sector_number)?,
        })
    }
}

impl Agreement {
    /// Miner and sector make the replica id. One that they do not make is another sector's, whose proof the chain takes
    /// for nobody.
    pub(crate) fn with_replica_id(
        &self,
        statement: &Statement,
        ticket: &Node,
        root: &FieldPath<'_>,
    ) -> Result<(), RequestError> {
        let (Some(miner_id), Some(sector_number)) = (self.miner_id, self.sector_number) else {
            return Ok(());
        };
        let made = statement.replica_id_of(miner_id, sector_number, ticket);
        if made == statement.replica_id {
            return Ok(());
        }
        let other_field = format!("the replica id of miner_id {miner_id} and sector_number {sector_number}");
        Err(RequestError::Contradiction {
            field: root.field("replica_id").to_string(),
            value: hex(&statement.replica_id),
            other_field,
            other_value: hex(&made),
        })
    }
}

/// Field 4: 0 is V1 of 2 KiB, but also what a client sends that leaves the field out, so it contradicts nothing.
fn proof_number(number: u64, payload: &Payload) -> Result<(), RequestError> {
    if number == 0 {
        return Ok(());
    }
    let stated = registered::seal_proof_from_wire(number).ok_or_else(|| RequestError::Value {
        field: REGISTERED_PROOF.to_string(),
        value: number.to_string(),
        expected: "the number of a registered seal proof, 0 to 19".to_owned(),
    })?;
    let proof = payload.output.registered_proof;
    if stated == proof {
        return Ok(());
    }
    let root = payload.root();
    let (stated, proof) = (registered::describe(stated), registered::describe(proof));
    Err(contradiction(&REGISTERED_PROOF, stated, &root.field("registered_proof"), proof))
}

fn sector_number(field: u64, wrapper: u64) -> Result<Option<u64>, RequestError> {
    match (given(field), given(wrapper)) {
        (Some(field), Some(wrapper)) if field != wrapper => {
            Err(contradiction(&SECTOR_NUMBER, field, &FIELD.field("SectorNum"), wrapper))
        }
        (field, wrapper) => Ok(field.or(wrapper)),
    }
}

fn given(number: u64) -> Option<u64> {
    (number != 0).then_some(number)
}

fn contradiction(
    field: &FieldPath<'_>,
    value: impl ToString,
    other_field: &FieldPath<'_>,
    other_value: impl ToString,
) -> RequestError {
    RequestError::Contradiction {
        field: field.to_string(),
        value: value.to_string(),
        other_field: other_field.to_string(),
        other_value: other_value.to_string(),
    }
}
