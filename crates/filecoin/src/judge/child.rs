//! The judge's own side: a process that reads one job, verifies one proof, and ends.

use std::io::{Read, Write};

use super::job::JudgeJob;
use crate::PROOF_BYTES;
use crate::guard::guarded;

/// What a judging process does: reads a [`JudgeJob`] as JSON from `input`, and writes a [`Verdict`](super::Verdict) as
/// JSON to `output`.
///
/// Uses the settings and the verifying key of the process it runs in, which is why [`run_child`](super::run_child)
/// starts one for it.
///
/// Returns the process's exit status: 0 with a verdict, whichever it is, 2 without one.
pub fn child_main(input: impl Read, mut output: impl Write) -> u8 {
    let answered = serde_json::from_reader(input)
        .map_err(|error| format!("the job cannot be read: {error}"))
        .and_then(|job: JudgeJob| job.judge())
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

/// What is wrong with a result that is not even made of so many proofs of curve points: that is a verdict, and no failure
/// of the judge.
pub(crate) fn malformed(proof: &[u8], partitions: usize) -> Option<String> {
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
