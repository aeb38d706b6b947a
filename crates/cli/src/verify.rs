//! `cuzk verify`.

use std::{path::Path, process::ExitCode};

use anyhow::Context;
use cuzk_filecoin::{
    Request,
    judge::{self, JudgeJob, JudgeProgram, Sealer, Verdict},
    parameters::parameter_dir_from_env,
};
use serde_json::json;

use crate::{args::VerifyArgs, child, files, submission};

/// Has a proof judged. The exit status is 0 only if it is valid.
pub(crate) fn run(args: &VerifyArgs, json: bool) -> anyhow::Result<ExitCode> {
    let submission = submission::read(&args.request)?;
    let request = Request::parse(&submission)?;
    let sealer = submission::sealer(&args.request, &submission);
    let params_dir = parameter_dir_from_env(args.params.params_dir.clone());
    let verdict = judge(&request, sealer, files::read(&args.proof)?, &params_dir)?;
    let verifier = verdict.verifier.to_string();
    match (&verdict.reason, verdict.valid) {
        _ if json => {
            println!("{}", json!({ "verified": verdict.valid, "verifier": verifier, "reason": verdict.reason }));
        }
        (_, true) => println!("verified ({verifier})"),
        (reason, false) => {
            println!("not verified ({verifier}): {}", reason.as_deref().unwrap_or("no reason given"));
        }
    }
    Ok(if verdict.valid { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Asks the second judge, in a process of its own.
pub(crate) fn judge(
    request: &Request,
    sealer: Option<Sealer>,
    proof: Vec<u8>,
    params_dir: &Path,
) -> anyhow::Result<Verdict> {
    let program = JudgeProgram::this_program(child::JUDGE).context("cannot start the judge")?;
    Ok(judge::run_child(&program, params_dir, &JudgeJob::new(request, sealer, proof)?)?)
}
