//! `cuzk synth`.

use std::time::Duration;

use cuzk_filecoin::{
    registered::interactive_seal_proof,
    sealed::{self, Job},
    synthetic,
};
use serde_json::json;

use crate::{
    args::{SynthCommand, SynthPorepArgs},
    child, files,
    progress::Step,
};

/// How long sealing a small sector may take.
pub(crate) const SEAL_LIMIT: Duration = Duration::from_secs(600);

/// Makes a request and writes it to a file.
pub(crate) fn run(command: &SynthCommand, json: bool) -> anyhow::Result<()> {
    match command {
        SynthCommand::Porep(args) => porep(args, json),
    }
}

fn porep(args: &SynthPorepArgs, json: bool) -> anyhow::Result<()> {
    let registered_proof = interactive_seal_proof(args.sector_size);
    let step =
        Step::spinner(format!("{} of {}", if args.sealed { "sealed sector" } else { "request" }, args.sector_size));
    let output = if args.sealed {
        let job = Job { registered_proof, miner_id: args.miner, sector_number: args.sector, seed: args.seed };
        sealed::run_child(&child::program()?, child::SEAL, &job, SEAL_LIMIT)?
    } else {
        synthetic::porep(registered_proof, args.miner, args.sector, args.seed)?
    };
    let bytes = if args.bare {
        serde_json::to_vec(&output)?
    } else {
        synthetic::wrap(&output, args.sector, args.sector_size.bytes())?
    };
    files::write(&args.out, &bytes)?;
    step.done(&format!("{} bytes in {}", bytes.len(), args.out.display()));
    if json {
        println!("{}", json!({ "file": args.out, "bytes": bytes.len(), "sector_size": args.sector_size.bytes() }));
    }
    Ok(())
}
