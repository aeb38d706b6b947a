//! `cuzk submit`.

use std::time::Duration;

use anyhow::{Context, bail};
use cuzk_filecoin::{ProofKind, Submission};
use cuzk_proto::{
    Client,
    v1::{AwaitProofResponse, await_proof_response::Status},
};
use cuzk_server::to_wire;
use serde_json::json;

use crate::{args::SubmitArgs, files, progress::Step, submission};

/// Sends a request and, unless told otherwise, waits for the proof.
pub(crate) fn run(args: &SubmitArgs, json: bool) -> anyhow::Result<()> {
    let mut submission = submission::read(&args.request)?;
    if let Some(id) = &args.request_id {
        submission.request_id.clone_from(id);
    } else if submission.request_id.is_empty() {
        submission.request_id = usual_id(&submission);
    }
    let runtime = tokio::runtime::Runtime::new().context("cannot start the I/O runtime")?;
    runtime.block_on(async {
        let client = Client::connect(&args.server).await?;
        let accepted = client.submit(to_wire(submission)).await?;
        let Some(out) = &args.out else {
            let text = json!({ "job_id": accepted.job_id, "queue_position": accepted.queue_position });
            println!("{}", if json { text.to_string() } else { accepted.job_id });
            return Ok(());
        };
        let step = Step::spinner(format!("job {}", accepted.job_id));
        let response = client.await_proof(&accepted.job_id, None).await?;
        let proof = completed(&response)?;
        files::write(out, proof)?;
        step.done(&format!("{} bytes", proof.len()));
        if json {
            println!(
                "{}",
                json!({ "job_id": response.job_id, "proof_bytes": proof.len(), "total_ms": response.total_ms })
            );
        }
        Ok(())
    })
}

/// The proof of a job that was completed.
pub(crate) fn completed(response: &AwaitProofResponse) -> anyhow::Result<&[u8]> {
    match response.status() {
        Status::Completed => Ok(&response.proof),
        status => bail!("job {} {}: {}", response.job_id, status.as_str_name().to_lowercase(), response.error_message),
    }
}

/// The name that a storage provider's client would give the job.
fn usual_id(submission: &Submission) -> String {
    let (miner, sector) = (submission.miner_id, submission.sector_number);
    match submission.kind() {
        Some(ProofKind::SnapDealsUpdate) => format!("snap-{miner}-{sector}"),
        Some(ProofKind::WindowPostPartition) => format!("wdpost-{miner}-{}", submission.partition_index),
        Some(ProofKind::WinningPost) => format!("winpost-{miner}"),
        // A number that is no kind is refused by the daemon.
        Some(ProofKind::PorepSealCommit) | None => format!("porep-{miner}-{sector}"),
    }
}

/// Stage times as the wire tells them.
pub(crate) fn stages(response: &AwaitProofResponse) -> [(&'static str, Duration); 6] {
    [
        ("queue", response.queue_wait_ms),
        ("key load", response.srs_load_ms),
        ("synthesis", response.synthesis_ms),
        ("backend", response.gpu_compute_ms),
        ("verification", response.verify_ms),
        ("total", response.total_ms),
    ]
    .map(|(stage, ms)| (stage, Duration::from_millis(ms)))
}
