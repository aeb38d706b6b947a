//! The command line.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use cuzk_engine::{Permit, WitnessSource};
use cuzk_filecoin::{CircuitId, ProofKind, SectorSize, registered::SealFeature};
use cuzk_server::ListenAddr;

/// The Groth16 proving engine for Filecoin storage providers.
#[derive(Debug, Parser)]
#[command(name = "cuzk", version, propagate_version = true)]
pub(crate) struct Cli {
    /// Print results as one JSON object on standard output.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the daemon until it is interrupted.
    Serve(ServeArgs),
    /// Send a request to a daemon and wait for its proof.
    Submit(SubmitArgs),
    /// Prove a request in this process.
    Prove(ProveArgs),
    /// Let the chain's own verifier judge a proof. Exit status 1 if it refuses.
    Verify(VerifyArgs),
    /// Ask a daemon how it is.
    Status(StatusArgs),
    /// Generate, list and check parameter files.
    #[command(subcommand)]
    Params(ParamsCommand),
    /// Build, list and check the files of compiled circuits.
    #[command(subcommand)]
    Circuits(CircuitsCommand),
    /// Measure.
    #[command(subcommand)]
    Bench(BenchCommand),
    /// Make valid requests without a sealed sector.
    #[command(subcommand)]
    Synth(SynthCommand),
    /// Make a request, prove it through a daemon and have it verified.
    Demo(DemoArgs),
    /// The second judge's process.
    #[command(hide = true)]
    Judge,
    /// The sealing process.
    #[command(hide = true)]
    Seal,
}

/// Where parameter files are.
#[derive(Debug, Clone, Args)]
pub(crate) struct ParamsDir {
    /// Directory of the parameter files [default: /var/tmp/filecoin-proof-parameters].
    #[arg(long, env = "FIL_PROOFS_PARAMETER_CACHE", value_name = "DIR")]
    pub(crate) params_dir: Option<PathBuf>,
}

/// How to set up an engine.
#[derive(Debug, Clone, Args)]
pub(crate) struct EngineArgs {
    /// What proves.
    #[arg(long, value_enum, default_value_t = BackendKind::Cpu)]
    pub(crate) backend: BackendKind,
    /// Threads of the CPU backend [default: all cores].
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Partitions that are solved at once [default: min(4, cores / 2), at least 1].
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<NonZeroUsize>,
    /// Solved partitions that may wait for each backend [default: workers].
    #[arg(long, value_name = "N")]
    pub(crate) queue_depth: Option<NonZeroUsize>,
    /// How long a worker keeps its permit.
    #[arg(long, value_enum, default_value_t = PermitKind::UntilQueued)]
    pub(crate) permit: PermitKind,
    /// Where witnesses come from.
    #[arg(long, value_enum, default_value_t = WitnessKind::Compiled)]
    pub(crate) witness: WitnessKind,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum WitnessKind {
    /// The compiled circuit solves them from the vanilla proof.
    Compiled,
    /// The proof crates' gadgets compute them, 16 to 160 times slower, for comparison; every constraint is checked.
    Gadgets,
}

impl From<WitnessKind> for WitnessSource {
    fn from(kind: WitnessKind) -> Self {
        match kind {
            WitnessKind::Compiled => Self::Compiled,
            WitnessKind::Gadgets => Self::Gadgets,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum BackendKind {
    /// The CPU, on threads of its own.
    Cpu,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum PermitKind {
    /// Until its partition has a place in the queue to the backends: partitions in flight are bounded.
    UntilQueued,
    /// Until its partition is solved: solved partitions pile up before a slow backend.
    UntilSolved,
}

impl From<PermitKind> for Permit {
    fn from(kind: PermitKind) -> Self {
        match kind {
            PermitKind::UntilQueued => Self::UntilQueued,
            PermitKind::UntilSolved => Self::UntilSolved,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Where to listen: `host:port` or `unix:///path`; may be given more than once.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9820")]
    pub(crate) listen: Vec<ListenAddr>,
    #[command(flatten)]
    pub(crate) params: ParamsDir,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    /// Jobs that may be pending or in progress.
    #[arg(long, value_name = "N", default_value = "256")]
    pub(crate) max_pending: NonZeroUsize,
    /// Bytes that a message may have, each way.
    #[arg(long, value_name = "BYTES", default_value_t = cuzk_proto::DEFAULT_MAX_MESSAGE_BYTES)]
    pub(crate) max_message: usize,
    /// Prove with development keys too, for tests alone. Their proofs are worth nothing on any chain.
    #[arg(long)]
    pub(crate) allow_development_keys: bool,
}

/// Which request, and whose.
#[derive(Debug, Clone, Args)]
pub(crate) struct RequestArgs {
    /// The request: what `cuzk synth` wrote (the bytes of a SubmitProofRequest), or a C1 output in the API crate's JSON,
    /// bare or wrapped (`{"SectorNum", "Phase1Out", "SectorSize"}`).
    #[arg(long, visible_alias = "c1", value_name = "FILE")]
    pub(crate) request: PathBuf,
    /// The miner's number, where the file does not say it: with it and the sector's a PoRep's replica id is checked.
    #[arg(long, value_name = "ID")]
    pub(crate) miner: Option<u64>,
    /// The sector's number, where the file does not say it.
    #[arg(long, value_name = "NUMBER", requires = "miner")]
    pub(crate) sector: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct SubmitArgs {
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    /// The daemon: `host:port` or `unix:///path`.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9820")]
    pub(crate) server: String,
    /// A name for the job [default: the request's own, or the usual one of its kind, such as `porep-MINER-SECTOR`].
    #[arg(long, value_name = "ID")]
    pub(crate) request_id: Option<String>,
    /// Where to write the proof.
    #[arg(long, value_name = "FILE", required_unless_present = "no_wait")]
    pub(crate) out: Option<PathBuf>,
    /// Queue the job and print its id; do not wait for the proof.
    #[arg(long)]
    pub(crate) no_wait: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ProveArgs {
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    /// Where to write the proof.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) params: ParamsDir,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    /// The proof: 192 bytes a partition.
    #[arg(long, value_name = "FILE")]
    pub(crate) proof: PathBuf,
    #[command(flatten)]
    pub(crate) params: ParamsDir,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// The daemon: `host:port` or `unix:///path`.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9820")]
    pub(crate) server: String,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ParamsCommand {
    /// Generate development parameters: complete, and worthless on any chain.
    Generate(GenerateArgs),
    /// Say which parameter files are there and what is known of each. Hashes nothing.
    Status(ParamsStatusArgs),
    /// Check parameter files: digests against the published ones, and points. Exit status 1 if a file is wrong.
    ///
    /// Without --circuit and --file: the digests of all published files in the parameter directory. Hashing the largest,
    /// 44 GiB, takes a minute or more; what was found is remembered until the file changes. With one of them: the digest, and
    /// every point (lengths, on its curve, in its subgroup), which takes much longer.
    Check(CheckArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ParamsStatusArgs {
    #[command(flatten)]
    pub(crate) params: ParamsDir,
}

#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    /// The circuit, such as `porep-2k`.
    #[arg(long, value_name = "ID")]
    pub(crate) circuit: CircuitId,
    /// The directory to write to; never the operators' default one.
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Replace development parameters that are there already.
    #[arg(long)]
    pub(crate) replace: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The circuit whose files in the parameter directory are checked.
    #[arg(long, value_name = "ID", conflicts_with = "file")]
    pub(crate) circuit: Option<CircuitId>,
    /// A file anywhere. Its digest is checked if a file of its name is published.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Check digests only [default without --circuit and --file].
    #[arg(long, conflicts_with = "points")]
    pub(crate) digest_only: bool,
    /// Check every point too [default with --circuit or --file].
    #[arg(long)]
    pub(crate) points: bool,
    /// Hash files again whose digests are remembered: the only way to find out that a disk has lost bits.
    #[arg(long)]
    pub(crate) rehash: bool,
    #[command(flatten)]
    pub(crate) params: ParamsDir,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CircuitsCommand {
    /// Compile circuits and write their files beside the parameters. The daemon does so too, when it needs one.
    ///
    /// Without --circuit and --all: those whose parameters are there.
    Build(BuildCircuitsArgs),
    /// Say which files of compiled circuits are there and whether they are of use. Reads their heads alone.
    List(ParamsStatusArgs),
    /// Read files of compiled circuits to the end. Exit status 1 if one is stale, damaged or does not fit its parameters.
    ///
    /// Without --circuit: all that are there.
    Check(CheckCircuitsArgs),
}

#[derive(Debug, Args)]
pub(crate) struct BuildCircuitsArgs {
    /// A circuit, such as `porep-32g`; may be given more than once.
    #[arg(long, value_name = "ID", conflicts_with = "all")]
    pub(crate) circuit: Vec<CircuitId>,
    /// All kinds at all sizes.
    #[arg(long)]
    pub(crate) all: bool,
    /// Build also where there is a file that is of use.
    #[arg(long)]
    pub(crate) replace: bool,
    #[command(flatten)]
    pub(crate) params: ParamsDir,
}

#[derive(Debug, Args)]
pub(crate) struct CheckCircuitsArgs {
    /// A circuit; may be given more than once.
    #[arg(long, value_name = "ID")]
    pub(crate) circuit: Vec<CircuitId>,
    /// Also compile each circuit again, with nothing left out, and compare. Takes a minute for a PoRep of production size,
    /// and five for a WindowPoSt.
    #[arg(long)]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) params: ParamsDir,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// How long a compiled circuit takes to solve a partition's witness, beside the gadgets.
    ///
    /// Both are measured here and now, on a synthetic request; every value that the gadgets compute is compared.
    Solve(BenchSolveArgs),
}

#[derive(Debug, Args)]
pub(crate) struct BenchSolveArgs {
    /// Which kind of proof.
    #[arg(long, value_enum, default_value_t = KindName::Porep)]
    pub(crate) kind: KindName,
    /// 2KiB, 8MiB, 512MiB, 32GiB or 64GiB.
    #[arg(long, value_name = "SIZE", default_value = "2KiB")]
    pub(crate) sector_size: SectorSize,
    /// Threads that solve.
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) threads: NonZeroUsize,
    /// How often the witness is solved; the median counts.
    #[arg(long, value_name = "N", default_value = "5")]
    pub(crate) runs: NonZeroUsize,
    /// Equal seeds make equal requests.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Auxiliary variables after which the gadgets are stopped and their time is scaled to all of them.
    #[arg(long, value_name = "N", default_value = "8000000", conflicts_with = "whole")]
    pub(crate) gadgets_aux: NonZeroUsize,
    /// Let the gadgets compute all values.
    #[arg(long)]
    pub(crate) whole: bool,
    #[command(flatten)]
    pub(crate) params: ParamsDir,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindName {
    /// PoRep C2.
    Porep,
    /// A SnapDeals update.
    Snap,
    /// A WindowPoSt partition.
    WindowPost,
    /// A WinningPoSt.
    WinningPost,
}

impl From<KindName> for ProofKind {
    fn from(name: KindName) -> Self {
        match name {
            KindName::Porep => Self::PorepSealCommit,
            KindName::Snap => Self::SnapDealsUpdate,
            KindName::WindowPost => Self::WindowPostPartition,
            KindName::WinningPost => Self::WinningPost,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum SynthCommand {
    /// A PoRep C1 output.
    Porep(SynthPorepArgs),
    /// A WindowPoSt partition (V1.1).
    WindowPost(SynthWindowPostArgs),
    /// A WinningPoSt.
    WinningPost(SynthArgs),
    /// A SnapDeals update.
    Snap(SynthArgs),
}

/// What every request is made from.
#[derive(Debug, Args)]
pub(crate) struct SynthArgs {
    /// 2KiB, 8MiB, 512MiB, 32GiB or 64GiB.
    #[arg(long, value_name = "SIZE")]
    pub(crate) sector_size: SectorSize,
    /// Equal seeds make equal requests.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// The miner's number.
    #[arg(long, default_value_t = 1000)]
    pub(crate) miner: u64,
    /// The sector's number; the first one's of a WindowPoSt.
    #[arg(long, default_value_t = 1)]
    pub(crate) sector: u64,
    /// Where to write the request.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct SynthWindowPostArgs {
    #[command(flatten)]
    pub(crate) common: SynthArgs,
    /// How many sectors: up to 2 at small sizes, 2349 at 32GiB, 2300 at 64GiB. One that is missing from a partition repeats
    /// the last.
    #[arg(long, value_name = "N", default_value = "2")]
    pub(crate) sectors: NonZeroUsize,
}

#[derive(Debug, Args)]
pub(crate) struct SynthPorepArgs {
    #[command(flatten)]
    pub(crate) common: SynthArgs,
    /// What the challenges follow from. All but interactive need `--sealed`, since theirs depend on comm_r.
    #[arg(long, value_enum, default_value_t = FeatureKind::Interactive)]
    pub(crate) feature: FeatureKind,
    /// Seal a sector for real, through the API crate (2KiB and 8MiB; Synthetic PoRep 2KiB only).
    #[arg(long)]
    pub(crate) sealed: bool,
    /// Write the bare C1 output instead of the wrapped form that clients send.
    #[arg(long)]
    pub(crate) bare: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum FeatureKind {
    /// V1.1: replica id and seed.
    Interactive,
    /// Synthetic PoRep: comm_r too; the seed picks out of a set that is known before it.
    Synthetic,
    /// Non-interactive PoRep: replica id and comm_r alone; 13 partitions of a small sector.
    NonInteractive,
}

impl From<FeatureKind> for SealFeature {
    fn from(kind: FeatureKind) -> Self {
        match kind {
            FeatureKind::Interactive => Self::Interactive,
            FeatureKind::Synthetic => Self::Synthetic,
            FeatureKind::NonInteractive => Self::NonInteractive,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Which kind of proof.
    #[arg(long, value_enum, default_value_t = DemoKind::Porep)]
    pub(crate) kind: DemoKind,
    /// Directory of the parameter files; they are generated there if missing [default: .cache/parameters].
    #[arg(long, env = "FIL_PROOFS_PARAMETER_CACHE", value_name = "DIR")]
    pub(crate) params_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DemoKind {
    /// PoRep C2 of a sector that is sealed for it.
    Porep,
    /// A SnapDeals update.
    Snap,
    /// A WindowPoSt partition.
    WindowPost,
    /// A WinningPoSt.
    WinningPost,
    /// All of them, one after the other.
    All,
}
