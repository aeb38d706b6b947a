//! Requests from small sectors that are sealed for real, by the API crate.
//!
//! Owns the path from random data to the output of the first commit phase: padding, labelling, trees, replica and
//! vanilla proof are all the API crate's, so that what comes out is another implementation's view of a request. Each
//! feature of PoRep can be sealed: interactive, Synthetic, non-interactive.
//!
//! The API crate works on disk and has state of its own for the whole process:
//! - its settings, read once, from `./rust-fil-proofs.config.toml` and from environment variables that begin with
//!   `FIL_PROOFS_`;
//! - a parent cache for each sector size, 56 bytes a node, in `FIL_PROOFS_PARENT_CACHE` (by default
//!   `/var/tmp/filecoin-parents`): 3.5 KiB for 2 KiB sectors, 14 MiB for 8 MiB ones. It is never removed.
//!
//! [`seal_commit_phase1`] leaves both as they are. [`run_child`] has the work done in a process of its own, whose
//! working directory, parent cache and temporary files are in a directory that is removed afterwards; [`child_main`]
//! is what that process runs.

mod child;

pub use child::{child_main, run_child};

use crate::{
    SectorSize,
    prover_id::prover_id,
    registered::{SealFeature, describe},
    synthetic::GenerateError,
};
use filecoin_proofs_api::{
    PieceInfo, RegisteredSealProof, SectorId, Ticket, UnpaddedBytesAmount,
    seal::{self, SealCommitPhase1Output},
};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::{Deserialize, Serialize};
use std::{fs::File, io, path::Path};
use tempfile::TempDir;

/// The largest sector that is sealed: larger ones take minutes and many times their size on disk. Of Synthetic PoRep the
/// API crate proves every node that a seed may challenge, which is 2^18 vanilla proofs even of 8 MiB: over ten minutes.
fn limit_bytes(feature: SealFeature) -> u64 {
    match feature {
        SealFeature::Interactive | SealFeature::NonInteractive => SectorSize::MiB8.bytes(),
        SealFeature::Synthetic => SectorSize::KiB2.bytes(),
    }
}

/// Which sector to seal. As JSON it is what [`child_main`] reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Proof type, and with it the sector size.
    pub registered_proof: RegisteredSealProof,
    /// The miner that the replica is bound to.
    pub miner_id: u64,
    /// The sector that the replica is bound to.
    pub sector_number: u64,
    /// Where data, ticket and interactive randomness come from.
    pub seed: u64,
}

/// Seals a sector full of random data in a temporary directory, and returns the output of the first commit phase.
///
/// Takes part of a second for 2 KiB. Equal jobs give equal outputs. See the module's words on what the API crate
/// leaves on disk and in the process.
///
/// # Errors
/// [`GenerateError::TooLarge`] for sectors above 8 MiB (2 KiB for Synthetic PoRep), [`GenerateError::WorkFile`] and
/// [`GenerateError::Crates`] when the work itself fails.
pub fn seal_commit_phase1(job: &Job) -> Result<SealCommitPhase1Output, GenerateError> {
    check(job.registered_proof)?;
    let directory = work_directory()?;
    Workshop { job, directory: directory.path() }.run()
}

/// Refuses what cannot be sealed here.
fn check(registered_proof: RegisteredSealProof) -> Result<(), GenerateError> {
    let sector_bytes = u64::from(registered_proof.sector_size());
    let limit_bytes = limit_bytes(SealFeature::of(registered_proof));
    if sector_bytes > limit_bytes {
        return Err(GenerateError::TooLarge { registered_proof, sector_bytes, limit_bytes });
    }
    Ok(())
}

/// A fresh directory under the system's temporary one.
fn work_directory() -> Result<TempDir, GenerateError> {
    tempfile::Builder::new()
        .prefix("cuzk-seal-")
        .tempdir()
        .map_err(work_file("make a directory", &std::env::temp_dir()))
}

/// Wraps an I/O error on a file in `directory`.
fn work_file(action: &'static str, directory: &Path) -> impl FnOnce(io::Error) -> GenerateError {
    let directory = directory.display().to_string();
    move |source| GenerateError::WorkFile { action, directory, source }
}

/// One sector being sealed in its directory.
struct Workshop<'a> {
    job: &'a Job,
    directory: &'a Path,
}

impl Workshop<'_> {
    fn run(&self) -> Result<SealCommitPhase1Output, GenerateError> {
        let Job { registered_proof, miner_id, sector_number, seed } = *self.job;
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let (ticket, challenge_seed) = (random_bytes(&mut rng), random_bytes(&mut rng));
        let (staged, replica) = (self.directory.join("staged"), self.directory.join("replica"));
        let cache = self.directory.join("cache");
        std::fs::create_dir(&cache).map_err(work_file("make the cache directory", self.directory))?;
        // The API crate writes the replica over a file that has to be there.
        File::create(&replica).map_err(work_file("create the replica", self.directory))?;

        let (prover, sector) = (prover_id(miner_id), SectorId::from(sector_number));
        let pieces = [self.stage_data(&staged, &mut rng)?];
        let labelled =
            seal::seal_pre_commit_phase1(registered_proof, &cache, &staged, &replica, prover, sector, ticket, &pieces)
                .map_err(GenerateError::crates("label a sector", describe(registered_proof)))?;
        let committed = seal::seal_pre_commit_phase2(labelled, &cache, &replica)
            .map_err(GenerateError::crates("encode a sector", describe(registered_proof)))?;
        if SealFeature::of(registered_proof) == SealFeature::Synthetic {
            // All nodes that a seed can challenge are opened now; with the seed, the first commit phase picks from them.
            let (cache, replica, committed) = (&cache, &replica, committed.clone());
            seal::generate_synth_proofs(cache, replica, prover, sector, ticket, committed, &pieces)
                .map_err(GenerateError::crates("open the synthetic challenges", describe(registered_proof)))?;
        }
        seal::seal_commit_phase1(&cache, &replica, prover, sector, ticket, challenge_seed, committed, &pieces)
            .map_err(GenerateError::crates("open a sealed sector", describe(registered_proof)))
    }

    /// Writes one random piece that fills the sector, padded as the API crate does it.
    fn stage_data(&self, staged: &Path, rng: &mut impl RngCore) -> Result<PieceInfo, GenerateError> {
        let registered_proof = self.job.registered_proof;
        let piece_bytes = UnpaddedBytesAmount::from(registered_proof.sector_size());
        let mut piece = vec![0; u64::from(piece_bytes) as usize];
        rng.fill_bytes(&mut piece);
        let target = File::create(staged).map_err(work_file("create the data file", self.directory))?;
        let (piece, _) = seal::write_and_preprocess(registered_proof, piece.as_slice(), target, piece_bytes)
            .map_err(GenerateError::crates("pad a piece", describe(registered_proof)))?;
        Ok(piece)
    }
}

/// 32 bytes for a ticket or a seed.
fn random_bytes(rng: &mut impl RngCore) -> Ticket {
    let mut bytes = [0u8; 32];
    rng.fill_bytes(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::{GenerateError, Job, SealCommitPhase1Output, seal_commit_phase1};
    use cuzk_testing::TimeLimit;
    use filecoin_proofs_api::RegisteredSealProof;
    use std::{path::Path, process::Command};

    /// Names the file that a test run as a child writes its output to.
    const OUTPUT: &str = "CUZK_SEALED_TEST_OUTPUT";

    const JOB: Job =
        Job { registered_proof: RegisteredSealProof::StackedDrg2KiBV1_1, miner_id: 1000, sector_number: 7, seed: 0 };

    /// Seals in a child process (this very test, started again), because the parent cache's place is fixed when the
    /// process starts.
    #[test]
    fn a_sealed_sector_parses_back_and_leaves_nothing_behind() {
        let _limit = TimeLimit::seconds(60);
        if let Some(output) = std::env::var_os(OUTPUT) {
            let sealed = seal_commit_phase1(&JOB).unwrap();
            std::fs::write(output, serde_json::to_vec(&sealed).unwrap()).unwrap();
            return;
        }
        let directory = tempfile::tempdir().unwrap();
        let seal = |output: &Path| {
            let work = tempfile::tempdir().unwrap();
            let child = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "sealed::tests::a_sealed_sector_parses_back_and_leaves_nothing_behind"])
                .env(OUTPUT, output)
                .env("FIL_PROOFS_PARENT_CACHE", directory.path().join("parents"))
                .env("TMPDIR", work.path())
                .output()
                .unwrap();
            assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
            assert_eq!(work.path().read_dir().unwrap().count(), 0, "files were left in the temporary directory");
            std::fs::read(output).unwrap()
        };
        let sealed = seal(&directory.path().join("first"));
        assert_eq!(sealed, seal(&directory.path().join("second")), "equal jobs gave different outputs");
        assert_eq!(directory.path().join("parents").read_dir().unwrap().count(), 1, "the parent cache went elsewhere");
        let parsed: SealCommitPhase1Output = serde_json::from_slice(&sealed).unwrap();
        assert_eq!(parsed.registered_proof, JOB.registered_proof);
        assert_eq!(serde_json::to_vec(&parsed).unwrap(), sealed);
    }

    #[test]
    fn large_sectors_are_refused() {
        let _limit = TimeLimit::seconds(10);
        for (registered_proof, limit) in [
            (RegisteredSealProof::StackedDrg512MiBV1_1, 8 << 20),
            (RegisteredSealProof::StackedDrg512MiBV1_2_Feat_NonInteractivePoRep, 8 << 20),
            (RegisteredSealProof::StackedDrg8MiBV1_1_Feat_SyntheticPoRep, 2 << 10),
        ] {
            let refused = seal_commit_phase1(&Job { registered_proof, ..JOB }).unwrap_err();
            assert!(
                matches!(refused, GenerateError::TooLarge { limit_bytes, .. } if limit_bytes == limit),
                "{refused}"
            );
        }
    }
}
