//! The form in which storage providers send the commit output: JSON around base64 around JSON.

use super::GenerateError;
use base64::{Engine, engine::general_purpose::STANDARD};
use filecoin_proofs_api::seal::SealCommitPhase1Output;
use serde::Serialize;

/// The fields as the sender's software names them.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Wrapped {
    sector_num: u64,
    phase1_out: String,
    sector_size: u64,
}

/// `output` as the wrapped payload of a request:
/// `{"SectorNum": int, "Phase1Out": standard padded base64 of the output's JSON, "SectorSize": bytes}`.
///
/// `sector_size` is in bytes, and stated, not checked: a test may want to contradict the output.
///
/// # Errors
/// [`GenerateError::Json`] when the output has no JSON form.
pub fn wrap(output: &SealCommitPhase1Output, sector_number: u64, sector_size: u64) -> Result<Vec<u8>, GenerateError> {
    let phase1_out = STANDARD.encode(serde_json::to_vec(output)?);
    Ok(serde_json::to_vec(&Wrapped { sector_num: sector_number, phase1_out, sector_size })?)
}
