//! `cuzk params`.

mod check;
mod status;

use std::process::ExitCode;

use cuzk_engine::{FileReport, FileState, ensure_development_params, replace_development_params};
use cuzk_prover::params::Progress;
use serde_json::{Value, json};

use crate::{
    args::{GenerateArgs, ParamsCommand},
    progress::Step,
};

/// Generates, lists or checks.
pub(crate) fn run(command: &ParamsCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        ParamsCommand::Generate(args) => generate(args, json)?,
        ParamsCommand::Status(args) => status::run(args, json),
        ParamsCommand::Check(args) => return check::run(args, json),
    }
    Ok(ExitCode::SUCCESS)
}

fn generate(args: &GenerateArgs, json: bool) -> anyhow::Result<()> {
    let step = Step::counted(format!("parameters of {}", args.circuit));
    let make = if args.replace { replace_development_params } else { ensure_development_params };
    let made = make(args.circuit, &args.dir, &mut |progress: Progress| step.at(progress.done, progress.total))?;
    let verb = if made.generated { "generated" } else { "found" };
    step.done(&format!("{verb}: {}", made.params.display()));
    if json {
        println!("{}", json!({ "params": made.params, "vk": made.vk, "generated": made.generated }));
    }
    Ok(())
}

/// A file and what is known of it, for programs.
fn to_json(report: &FileReport) -> Value {
    let file = &report.file;
    let digest = match &report.state {
        FileState::Published => Some(file.published()),
        FileState::Wrong { found, .. } => Some(*found),
        _ => None,
    };
    json!({
        "circuit": file.circuit.to_string(),
        "kind": file.circuit.kind.name(),
        "sector_size": file.circuit.size.bytes(),
        "role": file.role.extension(),
        "file": file.path,
        "present": report.bytes.is_some(),
        "bytes": report.bytes,
        "state": report.state.as_str(),
        "digest": digest.map(|digest| digest.to_string()),
        "published_digest": file.published().to_string(),
        "reason": trouble(report),
    })
}

/// What is wrong with a file, if something is, for people: with the file's path.
fn trouble(report: &FileReport) -> Option<String> {
    match &report.state {
        FileState::Wrong { found, published } => Some(format!(
            "{}: its digest is {found}, the published one is {published}; fetch the file again",
            report.file.path.display()
        )),
        FileState::Unusable { reason } => Some(reason.to_string()),
        FileState::Missing | FileState::Published | FileState::Development | FileState::NotChecked => None,
    }
}
