//! Settings and parameter files with which nothing can be proved: each is named, and nothing is left behind.

use std::{fs, num::NonZero, path::Path, sync::Arc};

use cuzk_engine::{Config, Engine, EngineError, Interest, JobStage, KeyError, OutcomeStatus, SubmitError};
use cuzk_filecoin::{CircuitId, ProofKind, RegisteredSealProof, SectorSize, Submission, params_file_name, synthetic};
use cuzk_prover::CpuBackend;
use cuzk_testing::TimeLimit;

const POREP_2K: CircuitId = CircuitId::new(ProofKind::PorepSealCommit, SectorSize::KiB2);

/// Makes a configuration unsound.
type Spoil = fn(&mut Config);

fn config(params_dir: &Path) -> Config {
    let backend = CpuBackend::new(NonZero::<usize>::MIN).expect("a thread to spare");
    let mut config = Config::new(params_dir, vec![Arc::new(backend)]);
    config.threads = 1;
    config
}

/// A request that could be proved if there were parameters.
fn sound() -> Submission {
    let output = synthetic::porep(RegisteredSealProof::StackedDrg2KiBV1_1, 1000, 1, 7).expect("a supported type");
    Submission::porep(synthetic::wrap(&output, 1, SectorSize::KiB2.bytes()).expect("plain data"))
}

fn assert_nothing_left(engine: &Engine) {
    engine.drain();
    let snapshot = engine.ledger().snapshot();
    assert!(snapshot.is_empty(), "{snapshot}");
    assert!(engine.status().keys.is_empty());
}

#[test]
fn a_setting_with_which_nothing_could_be_proved_is_named() {
    let _limit = TimeLimit::seconds(30);
    let dir = tempfile::tempdir().expect("a temporary directory");
    let spoil: [(&str, Spoil); 5] = [
        ("workers", |config| config.workers = 0),
        ("threads", |config| config.threads = 0),
        ("queue_depth", |config| config.queue_depth = 0),
        ("max_pending", |config| config.max_pending = 0),
        ("backends", |config| config.backends.clear()),
    ];
    for (name, spoil) in spoil {
        let mut config = config(dir.path());
        spoil(&mut config);
        match Engine::new(config) {
            Err(EngineError::Config { field, .. }) => assert_eq!(field, name),
            other => panic!("{name}: {other:?}"),
        }
    }
    Engine::new(config(dir.path())).expect("the defaults are sound");
}

#[test]
fn a_missing_file_is_named_before_anything_is_queued() {
    let _limit = TimeLimit::seconds(60);
    let dir = tempfile::tempdir().expect("a temporary directory");
    let engine = Engine::new(config(dir.path())).expect("a sound configuration");
    let expected = dir.path().join(params_file_name(POREP_2K));
    match engine.submit(sound(), Interest::Forever, None) {
        Err(SubmitError::Parameters(KeyError::Missing { circuit: POREP_2K, path, .. })) => assert_eq!(path, expected),
        other => panic!("{other:?}"),
    }
    // A directory of that name is no file.
    fs::create_dir(&expected).expect("a new directory");
    let refused = engine.preload(POREP_2K);
    assert!(matches!(refused, Err(KeyError::Missing { .. })), "{refused:?}");
    assert_nothing_left(&engine);
}

#[test]
fn a_foreign_file_fails_its_jobs_and_is_named() {
    let _limit = TimeLimit::seconds(60);
    let dir = tempfile::tempdir().expect("a temporary directory");
    let engine = Engine::new(config(dir.path())).expect("a sound configuration");
    let path = dir.path().join(params_file_name(POREP_2K));
    fs::write(&path, b"these are no parameters").expect("a new file");
    let handle = engine.submit(sound(), Interest::Forever, None).expect("the file is there");
    let outcome = handle.outcome_blocking(None).expect("without a limit there is an outcome");
    match &outcome.status {
        OutcomeStatus::Failed { stage: JobStage::Load, partition: Some(0), message } => {
            assert!(message.contains(&path.display().to_string()), "{message}");
        }
        other => panic!("{other:?}"),
    }
    let refused = engine.preload(POREP_2K);
    assert!(matches!(&refused, Err(KeyError::Unusable { path: named, .. }) if *named == path), "{refused:?}");
    assert_nothing_left(&engine);
}

#[test]
fn a_circuit_that_cannot_be_built_has_no_key() {
    let _limit = TimeLimit::seconds(30);
    let dir = tempfile::tempdir().expect("a temporary directory");
    let engine = Engine::new(config(dir.path())).expect("a sound configuration");
    let circuit = CircuitId::new(ProofKind::WindowPostPartition, SectorSize::KiB2);
    let refused = engine.preload(circuit);
    assert!(matches!(refused, Err(KeyError::Unsupported { circuit: named }) if named == circuit), "{refused:?}");
    let evicted = engine.evict(circuit).expect("evicting cannot fail");
    assert!(!evicted.was_loaded);
    assert_nothing_left(&engine);
}
