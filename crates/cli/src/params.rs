//! `cuzk params`.

use cuzk_engine::{ensure_development_params, replace_development_params};
use cuzk_filecoin::{parameters::parameter_dir_from_env, params_file_name};
use cuzk_prover::params::{self, Progress};
use serde_json::json;

use crate::{
    args::{CheckArgs, GenerateArgs, ParamsCommand},
    progress::Step,
};

/// Generates or checks.
pub(crate) fn run(command: &ParamsCommand, json: bool) -> anyhow::Result<()> {
    match command {
        ParamsCommand::Generate(args) => generate(args, json),
        ParamsCommand::Check(args) => check(args, json),
    }
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

fn check(args: &CheckArgs, json: bool) -> anyhow::Result<()> {
    let path = match (&args.file, args.circuit) {
        (Some(file), _) => file.clone(),
        (None, Some(circuit)) => parameter_dir_from_env(args.params.params_dir.clone()).join(params_file_name(circuit)),
        (None, None) => anyhow::bail!("name a circuit with --circuit or a file with --file"),
    };
    let step = Step::counted("checking parameters");
    let report = params::check(&path, &mut |progress: Progress| step.at(progress.done, progress.total))?;
    let origin =
        if report.development { "development: worthless on any chain" } else { "not from the development generator" };
    step.done(&format!("every point is on its curve and in its subgroup; {origin}"));
    if json {
        let layout = report.layout;
        println!(
            "{}",
            json!({
                "file": path,
                "development": report.development,
                "inputs": layout.ic, "h": layout.h, "l": layout.l, "a": layout.a, "b": layout.b,
            })
        );
    }
    Ok(())
}
