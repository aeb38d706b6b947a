//! `cuzk demo`: the main job, from nothing to a verified proof.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use cuzk_engine::{Engine, ensure_development_params};
use cuzk_filecoin::{
    CircuitId, ProofKind, Request, SectorSize, Submission,
    judge::Sealer,
    registered::interactive_seal_proof,
    sealed::{self, Job},
    synthetic,
};
use cuzk_proto::{
    Client,
    v1::{AwaitProofResponse, GetStatusResponse},
};
use cuzk_prover::params::Progress;
use cuzk_server::{ListenAddr, Server, ServerConfig};

use crate::{
    args::DemoArgs,
    child, local,
    progress::{Step, seconds},
    submission, submit,
    synth::SEAL_LIMIT,
    table, verify,
};

/// Where the demo keeps parameters unless told otherwise.
const PARAMS_DIR: &str = ".cache/parameters";
/// The sector that is sealed.
const SIZE: SectorSize = SectorSize::KiB2;
const SEALER: Sealer = Sealer { miner_id: 1000, sector_number: 1 };

/// What came over the wire.
struct Received {
    response: AwaitProofResponse,
    status: GetStatusResponse,
    round_trip: Duration,
}

/// Seals a small sector, proves it through a daemon and lets the API crate judge the proof.
pub(crate) fn run(args: &DemoArgs) -> anyhow::Result<()> {
    let params_dir = args.params_dir.clone().unwrap_or_else(|| PathBuf::from(PARAMS_DIR));
    let submission = request()?;
    parameters(&params_dir)?;
    let mut config = local::config(&args.engine, params_dir.clone())?;
    config.allow_development_keys = true;
    let engine = Engine::new(config)?;
    let runtime = tokio::runtime::Runtime::new().context("cannot start the I/O runtime")?;
    let received = runtime.block_on(through_daemon(engine, submission.clone()))?;
    let proof = submit::completed(&received.response)?.to_vec();
    judged(&submission, proof, &params_dir)?;
    print(&received);
    Ok(())
}

fn request() -> anyhow::Result<Submission> {
    let step = Step::spinner("request");
    let job = Job {
        registered_proof: interactive_seal_proof(SIZE),
        miner_id: SEALER.miner_id,
        sector_number: SEALER.sector_number,
        seed: 0,
    };
    let output = sealed::run_child(&child::program()?, child::SEAL, &job, SEAL_LIMIT)?;
    let payload = synthetic::wrap(&output, SEALER.sector_number, SIZE.bytes())?;
    step.done(&format!("made: a sealed sector of {SIZE}, {}", table::bytes(payload.len() as u64)));
    let mut submission = Submission::porep(payload);
    submission.request_id = format!("porep-{}-{}", SEALER.miner_id, SEALER.sector_number);
    submission.miner_id = SEALER.miner_id;
    submission.sector_number = SEALER.sector_number;
    Ok(submission)
}

fn parameters(dir: &Path) -> anyhow::Result<()> {
    let circuit = CircuitId::new(ProofKind::PorepSealCommit, SIZE);
    let step = Step::counted(format!("parameters of {circuit}"));
    let made =
        ensure_development_params(circuit, dir, &mut |progress: Progress| step.at(progress.done, progress.total))?;
    let bytes = std::fs::metadata(&made.params).map(|file| file.len()).unwrap_or(0);
    let verb = if made.generated { "generated" } else { "found" };
    step.done(&format!("{verb}: {} in {}", table::bytes(bytes), dir.display()));
    Ok(())
}

/// Starts a daemon on a free port of the loopback interface, has the request proved over gRPC, and stops it again.
async fn through_daemon(engine: Engine, submission: Submission) -> anyhow::Result<Received> {
    let loopback: ListenAddr = "127.0.0.1:0".parse()?;
    let server = Server::bind(engine, &ServerConfig::new(vec![loopback])).await?;
    let address = server.addresses().first().context("the server has no address")?.to_string();
    eprintln!("{:28} up on {address}", "daemon");
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(server.run(async {
        // An error means that the sender is gone: time to stop as well.
        let _ = stopped.await;
    }));
    let received = prove(&address, submission).await;
    drop(stop);
    serving.await??;
    received
}

async fn prove(address: &str, submission: Submission) -> anyhow::Result<Received> {
    let client = Client::connect(address).await?;
    let step = Step::spinner("proof");
    let started = Instant::now();
    let response = client.prove(submission::to_wire(submission), None).await?;
    let round_trip = started.elapsed();
    step.done(&format!("received over gRPC: {} bytes", submit::completed(&response)?.len()));
    let status = client.status().await?;
    Ok(Received { response, status, round_trip })
}

fn judged(submission: &Submission, proof: Vec<u8>, params_dir: &Path) -> anyhow::Result<()> {
    let step = Step::spinner("second judge");
    let verdict = verify::judge(&Request::parse(submission)?, Some(SEALER), proof, params_dir)?;
    let reason = verdict.reason.as_deref().unwrap_or("no reason given");
    ensure!(verdict.valid, "{} refuses the proof: {reason}", verdict.verifier);
    step.done(&format!("verified by {}", verdict.verifier));
    Ok(())
}

fn print(received: &Received) {
    println!("\nverified\n");
    let mut rows: Vec<Vec<String>> = submit::stages(&received.response)
        .iter()
        .map(|(stage, time)| vec![(*stage).to_owned(), seconds(*time)])
        .collect();
    rows.push(vec!["round trip over gRPC".into(), seconds(received.round_trip)]);
    table::print(&["stage", "time"], &rows);
    println!();
    if let Some(memory) = &received.status.memory {
        table::print_memory(memory);
    }
}
