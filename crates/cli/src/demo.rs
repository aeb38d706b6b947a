//! `cuzk demo`: the main job, from nothing to verified proofs.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use cuzk_engine::{Engine, ensure_development_params};
use cuzk_filecoin::{
    CircuitId, ProofKind, Request, SectorSize, Submission,
    judge::{Sealer, Verifier},
    registered::{interactive_seal_proof, window_post_proof},
    sealed::{self, Job},
    synthetic,
};
use cuzk_proto::{
    Client,
    v1::{AwaitProofResponse, GetStatusResponse},
};
use cuzk_prover::params::Progress;
use cuzk_server::{ListenAddr, Server, ServerConfig, to_wire};

use crate::{
    args::{DemoArgs, DemoKind},
    child, local,
    progress::{Step, seconds},
    submit,
    synth::SEAL_LIMIT,
    table, verify,
};

/// Where the demo keeps parameters unless told otherwise.
const PARAMS_DIR: &str = ".cache/parameters";
/// The size of all sectors.
const SIZE: SectorSize = SectorSize::KiB2;
const MINER: u64 = 1000;
const SECTOR: u64 = 1;

/// A request that came back proved.
struct Proved {
    kind: ProofKind,
    submission: Submission,
    response: AwaitProofResponse,
    round_trip: Duration,
}

/// Makes requests, has them proved through a daemon and lets the chain's own verifiers judge the proofs.
pub(crate) fn run(args: &DemoArgs) -> anyhow::Result<()> {
    let params_dir = args.params_dir.clone().unwrap_or_else(|| PathBuf::from(PARAMS_DIR));
    let kinds = kinds(args.kind);
    let requests = kinds.iter().map(|kind| request(*kind)).collect::<anyhow::Result<Vec<_>>>()?;
    kinds.iter().try_for_each(|kind| parameters(CircuitId::new(*kind, SIZE), &params_dir))?;
    let mut config = local::config(&args.engine, params_dir.clone())?;
    config.allow_development_keys = true;
    let engine = Engine::new(config)?;
    let runtime = tokio::runtime::Runtime::new().context("cannot start the I/O runtime")?;
    let (proved, status) = runtime.block_on(through_daemon(engine, kinds.into_iter().zip(requests).collect()))?;
    let verifiers = proved.iter().map(|proved| judged(proved, &params_dir)).collect::<anyhow::Result<Vec<_>>>()?;
    print(&proved, &verifiers, &status);
    Ok(())
}

fn kinds(kind: DemoKind) -> Vec<ProofKind> {
    match kind {
        DemoKind::Porep => vec![ProofKind::PorepSealCommit],
        DemoKind::Snap => vec![ProofKind::SnapDealsUpdate],
        DemoKind::WindowPost => vec![ProofKind::WindowPostPartition],
        DemoKind::WinningPost => vec![ProofKind::WinningPost],
        DemoKind::All => ProofKind::ALL.to_vec(),
    }
}

fn request(kind: ProofKind) -> anyhow::Result<Submission> {
    let step = Step::spinner(format!("{kind} request"));
    let (what, submission) = match kind {
        ProofKind::PorepSealCommit => ("sealed sector", sealed_sector()?),
        ProofKind::SnapDealsUpdate => ("synthetic update", synthetic::snap_submission(SIZE, MINER, SECTOR, 0)?),
        ProofKind::WindowPostPartition => {
            let sectors = [SECTOR, SECTOR + 1];
            ("two synthetic sectors", synthetic::window_post(window_post_proof(SIZE), MINER, 0, &sectors, 0)?)
        }
        ProofKind::WinningPost => ("synthetic sector", synthetic::winning_post(SIZE, MINER, SECTOR, 0)?),
    };
    step.done(&format!("made: {what} of {SIZE}, {}", table::bytes(submission.payload_bytes() as u64)));
    Ok(submission)
}

fn sealed_sector() -> anyhow::Result<Submission> {
    let registered_proof = interactive_seal_proof(SIZE);
    let job = Job { registered_proof, miner_id: MINER, sector_number: SECTOR, seed: 0 };
    let output = sealed::run_child(&child::program()?, child::SEAL, &job, SEAL_LIMIT)?;
    let mut submission = Submission::porep(synthetic::wrap(&output, SECTOR, SIZE.bytes())?);
    submission.request_id = format!("porep-{MINER}-{SECTOR}");
    submission.miner_id = MINER;
    submission.sector_number = SECTOR;
    Ok(submission)
}

fn parameters(circuit: CircuitId, dir: &Path) -> anyhow::Result<()> {
    let step = Step::counted(format!("parameters of {circuit}"));
    let made =
        ensure_development_params(circuit, dir, &mut |progress: Progress| step.at(progress.done, progress.total))?;
    let bytes = std::fs::metadata(&made.params).map(|file| file.len()).unwrap_or(0);
    let verb = if made.generated { "generated" } else { "found" };
    step.done(&format!("{verb}: {} in {}", table::bytes(bytes), dir.display()));
    Ok(())
}

/// Starts a daemon on a free port of the loopback interface, has the requests proved over gRPC, and stops it again.
async fn through_daemon(
    engine: Engine,
    requests: Vec<(ProofKind, Submission)>,
) -> anyhow::Result<(Vec<Proved>, GetStatusResponse)> {
    let loopback: ListenAddr = "127.0.0.1:0".parse()?;
    let server = Server::bind(engine, &ServerConfig::new(vec![loopback])).await?;
    let address = server.addresses().first().context("the server has no address")?.to_string();
    eprintln!("{:28} up on {address}", "daemon");
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(server.run(async {
        // An error means that the sender is gone: time to stop as well.
        let _ = stopped.await;
    }));
    let received = prove_all(&address, requests).await;
    drop(stop);
    serving.await??;
    received
}

async fn prove_all(
    address: &str,
    requests: Vec<(ProofKind, Submission)>,
) -> anyhow::Result<(Vec<Proved>, GetStatusResponse)> {
    let client = Client::connect(address).await?;
    let mut proved = Vec::with_capacity(requests.len());
    for (kind, submission) in requests {
        let step = Step::spinner(format!("{kind} proof"));
        let started = Instant::now();
        let response = client.prove(to_wire(submission.clone()), None).await?;
        let round_trip = started.elapsed();
        step.done(&format!("received over gRPC: {} bytes", submit::completed(&response)?.len()));
        proved.push(Proved { kind, submission, response, round_trip });
    }
    Ok((proved, client.status().await?))
}

fn judged(proved: &Proved, params_dir: &Path) -> anyhow::Result<Verifier> {
    let step = Step::spinner(format!("{} judge", proved.kind));
    let request = Request::parse(&proved.submission)?;
    let proof = submit::completed(&proved.response)?.to_vec();
    let sealer = Sealer { miner_id: MINER, sector_number: SECTOR };
    let verdict = verify::judge(&request, Some(sealer), proof, params_dir)?;
    let reason = verdict.reason.as_deref().unwrap_or("no reason given");
    ensure!(verdict.valid, "{} refuses the proof: {reason}", verdict.verifier);
    step.done(&format!("verified by the API crate's {}", verdict.verifier));
    Ok(verdict.verifier)
}

fn print(proved: &[Proved], verifiers: &[Verifier], status: &GetStatusResponse) {
    let row = |(proved, verifier): (&Proved, &Verifier)| {
        let mut row = vec![proved.kind.to_string(), format!("verified by {verifier}")];
        row.extend(submit::stages(&proved.response).map(|(_, time)| seconds(time)));
        row.push(seconds(proved.round_trip));
        row
    };
    let rows: Vec<Vec<String>> = proved.iter().zip(verifiers).map(row).collect();
    let stages = proved.first().map(|proved| submit::stages(&proved.response).map(|(stage, _)| stage));
    let header = [&["kind", "verdict"][..], stages.as_ref().map_or(&[][..], |stages| stages), &["over gRPC"]].concat();
    println!();
    table::print(&header, &rows);
    println!();
    if let Some(memory) = &status.memory {
        table::print_memory(memory);
    }
}
