//! The chain's own verification of a PoSt.

use std::collections::BTreeMap;

use bellperson::groth16::{self, Proof};
use filecoin_proofs::PoStType;
use filecoin_proofs_api::post::{verify_window_post, verify_winning_post};
use filecoin_proofs_api::{PublicReplicaInfo, SectorId};
use rand::rngs::OsRng;
use serde::{Deserialize, Serialize};
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::error::Result;
use storage_proofs_post::fallback::FallbackPoStCompound;

use super::geometry::Geometry;
use super::inputs::Statement;
use crate::guard::guarded;
use crate::judge::{Verdict, Verifier, malformed};
use crate::prover_id::prover_id;
use crate::registered::{describe_post, post_proof_size};
use crate::shape::{TreeShape, with_shape};

/// What a PoSt claims.
#[derive(Serialize, Deserialize)]
pub(crate) struct PostClaim {
    pub(super) statement: Statement,
    pub(super) miner_id: u64,
}

/// Judges a proof.
pub(super) fn judge(claim: &PostClaim, proof: &[u8]) -> std::result::Result<Verdict, String> {
    let verifier = verifier(&claim.statement);
    if let Some(reason) = malformed(proof, 1) {
        return Ok(Verdict::invalid(verifier, reason));
    }
    let valid = match verifier {
        Verifier::PublicInputs => with_own_inputs(&claim.statement, proof)?,
        _ => guarded(|| with_api(claim, proof))?,
    };
    Ok(Verdict::of(verifier, valid))
}

/// The API crate's verifier takes a whole deadline. A single partition is one too, except in V1, where the challenges of
/// all partitions but the first depend on those before.
fn verifier(statement: &Statement) -> Verifier {
    match statement.registered_proof.typ() {
        PoStType::Winning => Verifier::VerifyWinningPost,
        PoStType::Window if statement.partition_index == 0 => Verifier::VerifyWindowPost,
        PoStType::Window => Verifier::PublicInputs,
    }
}

/// The chain's own verification, as a node runs it.
fn with_api(claim: &PostClaim, proof: &[u8]) -> Result<bool> {
    let PostClaim { statement, miner_id } = claim;
    let Statement { registered_proof, randomness, sectors, .. } = statement;
    let replicas: BTreeMap<_, _> = sectors
        .iter()
        .map(|sector| (SectorId::from(sector.id), PublicReplicaInfo::new(*registered_proof, sector.comm_r)))
        .collect();
    let prover = prover_id(*miner_id);
    match registered_proof.typ() {
        PoStType::Winning => verify_winning_post(randomness, proof, &replicas, prover),
        PoStType::Window => verify_window_post(randomness, &[(*registered_proof, proof)], &replicas, prover),
    }
}

/// The pairing equation on the public inputs that this partition has.
fn with_own_inputs(statement: &Statement, proof: &[u8]) -> std::result::Result<bool, String> {
    let size = post_proof_size(statement.registered_proof)
        .ok_or_else(|| format!("{} is of no published size", describe_post(statement.registered_proof)))?;
    let geometry = Geometry::new(statement.registered_proof, size)?;
    guarded(|| with_shape!(size, Tree => verify::<Tree>(statement, &geometry, proof)))
}

fn verify<Tree: TreeShape>(statement: &Statement, geometry: &Geometry, proof: &[u8]) -> Result<bool> {
    let key = FallbackPoStCompound::<Tree>::verifying_key::<OsRng>(None, &geometry.params)?;
    let key = groth16::prepare_verifying_key(&key);
    Ok(groth16::verify_proof(&key, &Proof::read(proof)?, &statement.scalars(geometry))?)
}
