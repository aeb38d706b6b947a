//! The chain's own verification of a PoRep.

use filecoin_proofs_api::SectorId;
use rand::rngs::OsRng;
use serde::{Deserialize, Serialize};
use storage_proofs_core::compound_proof::{self, CompoundProof};
use storage_proofs_core::error::Result;
use storage_proofs_core::multi_proof::MultiProof;
use storage_proofs_porep::stacked::{ChallengeRequirements, StackedCompound, StackedDrg};

use super::inputs::Statement;
use crate::guard::guarded;
use crate::judge::{Sealer, Verdict, Verifier, malformed};
use crate::merkle::Node;
use crate::registered::SealFeature;
use crate::shape::{DataHasher, TreeShape, with_shape};
use crate::{hex, prover_id, registered};

/// What a PoRep claims.
#[derive(Serialize, Deserialize)]
pub(crate) struct PorepClaim {
    pub(super) statement: Statement,
    pub(super) ticket: Node,
    /// Who sealed it under which number, if known.
    pub(super) sealed_by: Option<Sealer>,
}

/// Judges a proof.
pub(super) fn judge(claim: &PorepClaim, proof: &[u8]) -> std::result::Result<Verdict, String> {
    let statement = &claim.statement;
    // Of non-interactive PoRep the API's verifier takes only the aggregate, and a result is what is aggregated.
    let api_takes_it = SealFeature::of(statement.registered_proof) != SealFeature::NonInteractive;
    let (verifier, api_sealer) = match claim.sealed_by {
        Some(sealer) if api_takes_it => (Verifier::VerifySeal, Some(sealer)),
        _ => (Verifier::PublicInputs, None),
    };
    if let Some(reason) = malformed(proof, usize::from(statement.registered_proof.partitions())) {
        return Ok(Verdict::invalid(verifier, reason));
    }
    if let Some(reason) = claim.sealed_by.and_then(|sealer| not_sealed_by(claim, sealer)) {
        return Ok(Verdict::invalid(verifier, reason));
    }
    let verified = match api_sealer {
        Some(sealer) => guarded(|| verify_seal(claim, sealer, proof))?,
        None => {
            let size = registered::seal_proof_size(statement.registered_proof).ok_or_else(|| {
                format!("{} is of no published size", registered::describe(statement.registered_proof))
            })?;
            guarded(|| with_shape!(size, Tree => verify::<Tree>(statement, proof)))?
        }
    };
    Ok(Verdict::of(verifier, verified))
}

/// Why a sector is not the one of that miner and number.
fn not_sealed_by(claim: &PorepClaim, sealer: Sealer) -> Option<String> {
    let statement = &claim.statement;
    let recomputed = statement.replica_id_of(sealer.miner_id, sealer.sector_number, &claim.ticket);
    (recomputed != statement.replica_id).then(|| {
        format!(
            "miner {} and sector {} make the replica id {}, but the request's is {}",
            sealer.miner_id,
            sealer.sector_number,
            hex(&recomputed),
            hex(&statement.replica_id)
        )
    })
}

/// The chain's own verification, as a node runs it.
fn verify_seal(claim: &PorepClaim, sealer: Sealer, proof: &[u8]) -> Result<bool> {
    let statement = &claim.statement;
    filecoin_proofs_api::seal::verify_seal(
        statement.registered_proof,
        statement.comm_r,
        statement.comm_d,
        prover_id::prover_id(sealer.miner_id),
        SectorId::from(sealer.sector_number),
        claim.ticket,
        statement.seed,
        proof,
    )
}

/// The same steps as `verify_seal` on the circuit proofs of any PoRep, with the replica id that the request states (a C1
/// output alone does not name miner and sector): every partition's proof against its public inputs.
fn verify<Tree: TreeShape>(statement: &Statement, proof: &[u8]) -> Result<bool> {
    let config = statement.registered_proof.as_v1_config();
    let partitions = usize::from(config.partitions);
    let setup = compound_proof::SetupParams {
        vanilla_params: filecoin_proofs::parameters::setup_params(&config)?,
        partitions: Some(partitions),
        priority: false,
    };
    let params: compound_proof::PublicParams<'_, StackedDrg<'_, Tree, DataHasher>> = StackedCompound::setup(&setup)?;
    let key = StackedCompound::<Tree, DataHasher>::verifying_key::<OsRng>(None, &params.vanilla_params)?;
    let key = bellperson::groth16::prepare_verifying_key(&key);
    let proof = MultiProof::new_from_bytes(Some(partitions), proof, &key)?;
    let requirements = ChallengeRequirements { minimum_challenges: config.minimum_challenges() };
    StackedCompound::verify(&params, &statement.public_inputs(None), &proof, &requirements)
}
