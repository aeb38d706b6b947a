//! `cuzk synth`.

use std::time::Duration;

use anyhow::Context;
use cuzk_filecoin::{
    registered::{seal_proof, window_post_proof},
    sealed::{self, Job},
    synthetic,
};
use serde_json::json;

use crate::{
    args::{SynthArgs, SynthCommand, SynthPorepArgs, SynthWindowPostArgs},
    child, files,
    progress::Step,
    submission,
};

/// How long sealing a small sector may take.
pub(crate) const SEAL_LIMIT: Duration = Duration::from_secs(600);

/// Makes a request and writes it to a file.
pub(crate) fn run(command: &SynthCommand, json: bool) -> anyhow::Result<()> {
    match command {
        SynthCommand::Porep(args) => porep(args, json),
        SynthCommand::WindowPost(args) => write("window-post", &args.common, json, || window_post(args)),
        SynthCommand::WinningPost(args) => write("winning-post", args, json, || {
            Ok(submission::encode(synthetic::winning_post(args.sector_size, args.miner, args.sector, args.seed)?))
        }),
        SynthCommand::Snap(args) => write("snap", args, json, || {
            Ok(submission::encode(synthetic::snap_submission(args.sector_size, args.miner, args.sector, args.seed)?))
        }),
    }
}

fn window_post(args: &SynthWindowPostArgs) -> anyhow::Result<Vec<u8>> {
    let SynthWindowPostArgs { common, sectors } = args;
    let end = common.sector.checked_add(sectors.get() as u64).context("sector numbers end at 2^64")?;
    let numbers: Vec<u64> = (common.sector..end).collect();
    let proof = window_post_proof(common.sector_size);
    Ok(submission::encode(synthetic::window_post(proof, common.miner, 0, &numbers, common.seed)?))
}

fn porep(args: &SynthPorepArgs, json: bool) -> anyhow::Result<()> {
    let SynthArgs { sector_size, seed, miner, sector, .. } = args.common;
    write(if args.sealed { "sealed porep" } else { "porep" }, &args.common, json, || {
        let registered_proof = seal_proof(sector_size, args.feature.into());
        let output = if args.sealed {
            let job = Job { registered_proof, miner_id: miner, sector_number: sector, seed };
            sealed::run_child(&child::program()?, child::SEAL, &job, SEAL_LIMIT)?
        } else {
            synthetic::porep(registered_proof, miner, sector, seed)?
        };
        Ok(if args.bare {
            serde_json::to_vec(&output)?
        } else {
            synthetic::wrap(&output, sector, sector_size.bytes())?
        })
    })
}

/// Makes a request, writes it, and says so.
fn write(
    what: &str,
    args: &SynthArgs,
    json: bool,
    make: impl FnOnce() -> anyhow::Result<Vec<u8>>,
) -> anyhow::Result<()> {
    let step = Step::spinner(format!("{what} of {}", args.sector_size));
    let bytes = make()?;
    files::write(&args.out, &bytes)?;
    step.done(&format!("{} bytes in {}", bytes.len(), args.out.display()));
    if json {
        println!("{}", json!({ "file": args.out, "bytes": bytes.len(), "sector_size": args.sector_size.bytes() }));
    }
    Ok(())
}
