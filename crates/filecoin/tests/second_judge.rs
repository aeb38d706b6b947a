//! The API crate as a judge, in a process of its own.
//!
//! The keys are made for forging (see `fixture::trapdoor`): no parameters are needed.

mod fixture;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cuzk_filecoin::judge::{JudgeJob, JudgeProgram, Sealer, Verdict, Verifier, run_child};
use cuzk_filecoin::registered::SealFeature;
use cuzk_filecoin::{ChildFault, Error, Request, SectorSize, Submission, params_file_name, synthetic, vk_file_name};
use cuzk_testing::TimeLimit;
use fixture::trapdoor::Trapdoor;
use fixture::{MINER, SECTOR, bare, example, parse, sealed, snap, submission};

fn judge() -> JudgeProgram {
    JudgeProgram { program: example("judge"), arguments: Vec::new(), limit: Duration::from_secs(60) }
}

struct Bench {
    request: Request,
    trapdoor: Trapdoor,
    params: tempfile::TempDir,
}

impl Bench {
    /// For a small PoRep.
    fn porep() -> Self {
        Self::new(&submission(bare()))
    }

    /// For an update of four partitions.
    fn snap() -> Self {
        Self::new(&snap::submission(SectorSize::MiB8))
    }

    /// For a sealed small PoRep.
    fn sealed(feature: SealFeature) -> Self {
        Self::new(&Submission::porep(sealed(feature)))
    }

    fn new(submission: &Submission) -> Self {
        let request = Request::parse(submission).expect("a good payload");
        let trapdoor = Trapdoor::new(request.public_inputs(0).expect("one partition").len());
        let params = tempfile::tempdir().expect("a directory");
        fs::write(params.path().join(vk_file_name(request.circuit_id())), trapdoor.key()).expect("a file");
        Self { request, trapdoor, params }
    }

    fn proof(&self) -> Vec<u8> {
        let forge = |k| self.trapdoor.forge(&self.request.public_inputs(k).expect("a partition"));
        (0..self.request.partitions()).flat_map(forge).collect()
    }

    fn judge(&self, sealed_by: Option<Sealer>, proof: Vec<u8>) -> Verdict {
        let job = JudgeJob::new(&self.request, sealed_by, proof).expect("a job");
        run_child(&judge(), self.params.path(), &job).expect("a verdict")
    }
}

const SEALER: Sealer = Sealer { miner_id: MINER, sector_number: SECTOR };

fn listing(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path()).collect()
}

#[test]
fn a_proof_that_holds_is_valid_with_and_without_its_sealer() {
    let _limit = TimeLimit::seconds(120);
    let bench = Bench::porep();
    for (sealed_by, verifier) in [(Some(SEALER), Verifier::VerifySeal), (None, Verifier::PublicInputs)] {
        let verdict = bench.judge(sealed_by, bench.proof());
        assert_eq!(verdict, Verdict { valid: true, verifier, reason: None });
    }
    assert_eq!(listing(bench.params.path()).len(), 1, "the judge leaves nothing in the parameter directory");
}

#[test]
fn synthetic_porep_is_for_verify_seal_too() {
    let _limit = TimeLimit::seconds(120);
    let bench = Bench::sealed(SealFeature::Synthetic);
    for (sealed_by, verifier) in [(Some(SEALER), Verifier::VerifySeal), (None, Verifier::PublicInputs)] {
        let verdict = bench.judge(sealed_by, bench.proof());
        assert_eq!(verdict, Verdict { valid: true, verifier, reason: None });
        let other = bench.trapdoor.forge(&vec![5.into(); bench.trapdoor.inputs()]);
        assert!(!bench.judge(sealed_by, other).valid);
    }
}

/// The chain's verifier takes only the aggregate, so each circuit proof is verified with its own public inputs.
#[test]
fn non_interactive_porep_is_judged_proof_by_proof() {
    let _limit = TimeLimit::seconds(120);
    let bench = Bench::sealed(SealFeature::NonInteractive);
    let good = bench.proof();
    assert_eq!(good.len(), 13 * 192);
    let mut swapped = good.clone();
    swapped.rotate_left(192);
    let stranger = Sealer { miner_id: MINER + 1, ..SEALER };
    for sealed_by in [Some(SEALER), None] {
        let verdict = bench.judge(sealed_by, good.clone());
        assert_eq!(verdict, Verdict { valid: true, verifier: Verifier::PublicInputs, reason: None });
        assert!(!bench.judge(sealed_by, swapped.clone()).valid);
        let verdict = bench.judge(sealed_by, good[192..].to_vec());
        assert!(verdict.reason.is_some_and(|reason| reason.contains("13 × 192")));
    }
    let verdict = bench.judge(Some(stranger), good);
    assert!(verdict.reason.is_some_and(|reason| reason.contains("miner 1001")));
}

#[test]
fn any_other_proof_is_not() {
    let _limit = TimeLimit::seconds(120);
    let bench = Bench::porep();
    let good = bench.proof();
    let mut other_point = good.clone();
    other_point[..48].copy_from_slice(&good[144..]);
    let mut no_point = good.clone();
    no_point[20] ^= 1;
    let mut longer = good.clone();
    longer.push(0);
    for proof in [other_point, no_point, longer, good[..191].to_vec(), Vec::new(), vec![0; 192]] {
        for sealed_by in [Some(SEALER), None] {
            let verdict = bench.judge(sealed_by, proof.clone());
            assert!(!verdict.valid && verdict.reason.is_some(), "{verdict:?}");
        }
    }
}

#[test]
fn another_sealer_is_named() {
    let _limit = TimeLimit::seconds(120);
    let bench = Bench::porep();
    let verdict = bench.judge(Some(Sealer { miner_id: MINER + 1, ..SEALER }), bench.proof());
    assert!(!verdict.valid);
    assert!(verdict.reason.is_some_and(|reason| reason.contains("miner 1001")));
}

#[test]
fn another_statement_is_not_proved() {
    let _limit = TimeLimit::seconds(120);
    let bench = Bench::porep();
    let other = fixture::changed("/comm_r", |bytes| bytes[0] = (bytes[0].as_u64().expect("a byte") ^ 1).into());
    let other = parse(&other).expect("comm_r is only checked in the circuit");
    let job = JudgeJob::new(&other, None, bench.proof()).expect("a job");
    let verdict = run_child(&judge(), bench.params.path(), &job).expect("a verdict");
    assert!(!verdict.valid, "{verdict:?}");
}

/// The verifier finds the key under the name that we give it: the API crate's own name for it is that of a PoRep's.
#[test]
fn an_update_is_judged_by_the_api_crate() {
    let _limit = TimeLimit::seconds(120);
    let bench = Bench::snap();
    let verifier = Verifier::VerifyEmptySectorUpdate;
    let good = bench.proof();
    for sealed_by in [None, Some(SEALER)] {
        assert_eq!(bench.judge(sealed_by, good.clone()), Verdict { valid: true, verifier, reason: None });
    }
    assert_eq!(listing(bench.params.path()).len(), 1, "the judge leaves nothing in the parameter directory");

    let mut changed = good.clone();
    changed[700] ^= 1;
    let mut other_point = good.clone();
    other_point[576..624].copy_from_slice(&good[144..192]);
    let swapped = [&good[192..384], &good[..192], &good[384..]].concat();
    for proof in [changed, other_point, swapped, good[..576].to_vec(), Vec::new()] {
        let verdict = bench.judge(None, proof);
        assert!(!verdict.valid && verdict.verifier == verifier && verdict.reason.is_some(), "{verdict:?}");
    }

    let other = synthetic::snap_submission(SectorSize::MiB8, MINER, SECTOR, 8).expect("another update");
    let other = Request::parse(&other).expect("a good payload");
    let job = JudgeJob::new(&other, None, good).expect("a job");
    let verdict = run_child(&judge(), bench.params.path(), &job).expect("a verdict");
    assert!(!verdict.valid, "{verdict:?}");
}

#[test]
fn the_head_of_a_parameter_file_will_do() {
    let _limit = TimeLimit::seconds(120);
    let bench = Bench::porep();
    let id = bench.request.circuit_id();
    fs::remove_file(bench.params.path().join(vk_file_name(id))).expect("a file");
    let params = bench.params.path().join(params_file_name(id));
    let mut file = bench.trapdoor.key();
    file.extend_from_slice(&[0; 1000]);
    fs::write(&params, file).expect("a file");
    assert!(bench.judge(Some(SEALER), bench.proof()).valid);
    assert_eq!(listing(bench.params.path()), [params]);
}

#[test]
fn what_stops_the_judge_is_an_error_and_no_verdict() {
    let _limit = TimeLimit::seconds(120);
    let bench = Bench::porep();
    let empty = tempfile::tempdir().expect("a directory");
    let job = JudgeJob::new(&bench.request, None, bench.proof()).expect("a job");
    let error = run_child(&judge(), empty.path(), &job).expect_err("no key");
    assert!(matches!(&error, Error::VerifyingKey { .. }) && error.to_string().contains(".params"), "{error}");

    let program = |program: &str, arguments: &[&str], limit| JudgeProgram {
        program: program.into(),
        arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
        limit,
    };
    let minute = Duration::from_secs(60);
    let error = run_child(&program("/nonexistent", &[], minute), bench.params.path(), &job).expect_err("no program");
    assert!(matches!(error, Error::Judge { source: ChildFault::Start(_), .. }), "{error}");
    let error = run_child(&program("/bin/sh", &["-c", "echo no >&2; exit 3"], minute), bench.params.path(), &job);
    let error = error.expect_err("no verdict");
    assert!(
        matches!(&error, Error::Judge { source: ChildFault::Ended { stderr, .. }, .. } if stderr == "no"),
        "{error}"
    );
    let waits_for_ever = program("/bin/sh", &["-c", "exec /bin/sleep 1000"], Duration::from_millis(200));
    let error = run_child(&waits_for_ever, bench.params.path(), &job).expect_err("no verdict in time");
    assert!(matches!(error, Error::Judge { source: ChildFault::TimedOut(_), .. }), "{error}");

    // A key for another circuit, or none at all: the judge's failure, not the proof's.
    let name = vk_file_name(bench.request.circuit_id());
    for key in [Trapdoor::new(5).key(), b"no key".to_vec()] {
        fs::write(bench.params.path().join(&name), key).expect("a file");
        let error = run_child(&judge(), bench.params.path(), &job).expect_err("no verdict");
        assert!(matches!(&error, Error::Judge { source: ChildFault::Ended { .. }, .. }), "{error}");
    }
}
