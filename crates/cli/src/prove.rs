//! `cuzk prove`.

use anyhow::{Context, bail};
use cuzk_engine::{Engine, Interest, Outcome, OutcomeStatus};
use cuzk_filecoin::{Request, parameters::parameter_dir_from_env};
use serde_json::json;

use crate::{
    args::ProveArgs,
    files, local,
    progress::{Step, seconds},
    submission, table,
};

/// Proves in this process. Development keys are taken: the operator who names a file here has nobody else to protect.
pub(crate) fn run(args: &ProveArgs, json: bool) -> anyhow::Result<()> {
    let submission = submission::read(&args.request)?;
    submission::check_owner(&Request::parse(&submission)?, submission::sealer(&args.request, &submission))?;
    let mut config = local::config(&args.engine, parameter_dir_from_env(args.params.params_dir.clone()))?;
    config.allow_development_keys = true;
    let engine = Engine::new(config)?;
    let step = Step::spinner("proving");
    let job = engine.submit(submission, Interest::WhileHeld, None)?;
    let outcome = job.outcome_blocking(None).context("the engine ended without an outcome")?;
    let proof = proof(&outcome)?;
    step.done(&format!("{} bytes, verified with the key's own verifying key", proof.len()));
    files::write(&args.out, proof)?;
    report(&outcome, &engine, json);
    Ok(())
}

fn proof(outcome: &Outcome) -> anyhow::Result<&[u8]> {
    match &outcome.status {
        OutcomeStatus::Completed { proof } => Ok(proof),
        OutcomeStatus::Cancelled { reason } => bail!("{reason}"),
        OutcomeStatus::Failed { stage, partition: Some(partition), message } => {
            bail!("partition {partition} failed at {stage}: {message}")
        }
        OutcomeStatus::Failed { stage, partition: None, message } => bail!("failed at {stage}: {message}"),
    }
}

fn report(outcome: &Outcome, engine: &Engine, json: bool) {
    let timings = outcome.timings;
    let memory = engine.ledger().snapshot();
    if json {
        let milliseconds = |duration: std::time::Duration| duration.as_secs_f64() * 1e3;
        let report = json!({
            "queue_wait_ms": milliseconds(timings.queue_wait),
            "srs_load_ms": milliseconds(timings.srs_load),
            "synthesis_ms": milliseconds(timings.synthesis),
            "backend_ms": milliseconds(timings.gpu_compute),
            "verify_ms": milliseconds(timings.verify),
            "total_ms": milliseconds(timings.total),
            "memory": memory,
        });
        println!("{report}");
        return;
    }
    let stages = [
        ("key load", timings.srs_load),
        ("synthesis", timings.synthesis),
        ("backend", timings.gpu_compute),
        ("verification", timings.verify),
        ("total", timings.total),
    ];
    table::print(&["stage", "time"], &stages.map(|(stage, time)| vec![stage.to_owned(), seconds(time)]));
    println!("  peak of all counted buffers: {}", table::bytes(memory.peak_bytes));
}
