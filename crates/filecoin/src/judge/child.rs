//! The judge's own side: a process that reads one job, verifies one proof, and ends.

use std::io::{Read, Write};

use filecoin_proofs_api::SectorId;
use rand::rngs::OsRng;
use storage_proofs_core::compound_proof::{self, CompoundProof};
use storage_proofs_core::error::Result;
use storage_proofs_core::multi_proof::MultiProof;
use storage_proofs_porep::stacked::{ChallengeRequirements, StackedCompound, StackedDrg};

use super::job::{JudgeJob, Sealer, Verdict, Verifier};
use crate::guard::guarded;
use crate::porep::Statement;
use crate::shape::{DataHasher, TreeShape, with_shape};
use crate::{PROOF_BYTES, hex, prover_id, registered};

/// What a judging process does: reads a [`JudgeJob`] as JSON from `input`, and writes a [`Verdict`] as JSON to
/// `output`.
///
/// Uses the settings and the verifying key of the process it runs in, which is why [`run_child`](super::run_child)
/// starts one for it.
///
/// Returns the process's exit status: 0 with a verdict, whichever it is, 2 without one.
pub fn child_main(input: impl Read, mut output: impl Write) -> u8 {
    let answered = serde_json::from_reader(input)
        .map_err(|error| format!("the job cannot be read: {error}"))
        .and_then(|job| judge(&job))
        .and_then(|verdict| serde_json::to_vec(&verdict).map_err(|error| error.to_string()))
        .and_then(|json| output.write_all(&json).and_then(|()| output.flush()).map_err(|error| error.to_string()));
    match answered {
        Ok(()) => 0,
        Err(message) => {
            eprintln!("judge: {message}");
            2
        }
    }
}

/// Judges a proof. An error says that no judgement was possible, not that the proof is wrong.
fn judge(job: &JudgeJob) -> std::result::Result<Verdict, String> {
    let statement = job.statement();
    let verifier = if job.sealed_by().is_some() { Verifier::VerifySeal } else { Verifier::PublicInputs };
    if let Some(reason) = malformed(&statement, job.proof()) {
        return Ok(Verdict::invalid(verifier, reason));
    }
    let verified = match job.sealed_by() {
        Some(sealer) => {
            if let Some(reason) = not_sealed_by(job, sealer) {
                return Ok(Verdict::invalid(verifier, reason));
            }
            guarded(|| verify_seal(job, sealer))?
        }
        None => {
            let size = registered::seal_proof_size(statement.registered_proof).ok_or_else(|| {
                format!("{} is of no published size", registered::describe(statement.registered_proof))
            })?;
            guarded(|| with_shape!(size, Tree => verify::<Tree>(&statement, job.proof())))?
        }
    };
    Ok(match verified {
        true => Verdict::valid(verifier),
        false => Verdict::invalid(verifier, "the pairing equation does not hold for this statement and proof"),
    })
}

/// What is wrong with a proof that is not even made of curve points: that is a verdict, and no failure of the judge.
fn malformed(statement: &Statement, proof: &[u8]) -> Option<String> {
    let partitions = usize::from(statement.registered_proof.partitions());
    let expected = partitions * PROOF_BYTES;
    if proof.len() != expected {
        let found = proof.len();
        return Some(format!("the proof has {found} bytes, not {expected} ({partitions} × {PROOF_BYTES})"));
    }
    (0..partitions).zip(proof.chunks_exact(PROOF_BYTES)).find_map(|(partition, bytes)| {
        let read = guarded(|| bellperson::groth16::Proof::<blstrs::Bls12>::read(bytes));
        read.err().map(|message| format!("the proof of partition {partition} is not made of curve points: {message}"))
    })
}

/// Why a sector is not the one of that miner and number.
fn not_sealed_by(job: &JudgeJob, sealer: Sealer) -> Option<String> {
    let statement = job.statement();
    let recomputed = prover_id::replica_id(
        &prover_id::prover_id(sealer.miner_id),
        sealer.sector_number,
        &job.ticket(),
        &statement.comm_d,
        &prover_id::porep_id(statement.registered_proof),
    );
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
fn verify_seal(job: &JudgeJob, sealer: Sealer) -> Result<bool> {
    let statement = job.statement();
    filecoin_proofs_api::seal::verify_seal(
        statement.registered_proof,
        statement.comm_r,
        statement.comm_d,
        prover_id::prover_id(sealer.miner_id),
        SectorId::from(sealer.sector_number),
        job.ticket(),
        statement.seed,
        job.proof(),
    )
}

/// The same steps as `verify_seal`, with the replica id that the request states: a C1 output alone does not name
/// miner and sector.
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
