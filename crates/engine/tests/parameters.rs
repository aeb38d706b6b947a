//! Settings and parameter files with which nothing can be proved: each is named, and nothing is left behind.

use std::{fs, num::NonZero, path::Path, sync::Arc};

use bellperson::{Circuit as _, groth16};
use blstrs::Bls12;
use cuzk_circuit::R1cs;
use cuzk_engine::{Config, Engine, EngineError, FileState, Interest, KeyError, KeyOrigin, SubmitError, inspect};
use cuzk_filecoin::{
    CircuitId, ProofKind, RegisteredSealProof, SectorSize, Submission,
    parameters::{FileRole, ParameterFile, Remembered, Stamp},
    params_file_name, synthetic,
};
use cuzk_prover::{CpuBackend, generate, params::Existing};
use cuzk_testing::{RandomCircuit, TimeLimit};
use rand::rngs::OsRng;

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
fn a_file_that_cannot_be_the_right_one_is_named_before_anything_is_queued() {
    let _limit = TimeLimit::seconds(60);
    let dir = tempfile::tempdir().expect("a temporary directory");
    let mut allowing = config(dir.path());
    allowing.allow_development_keys = true;
    let engine = Engine::new(allowing).expect("a sound configuration");
    let path = dir.path().join(params_file_name(POREP_2K));
    let submit = |engine: &Engine| engine.submit(sound(), Interest::Forever, None).expect_err("it is refused");

    let circuit = RandomCircuit::new(1, 50).blank();
    let r1cs = R1cs::record(|cs| circuit.synthesize(cs)).expect("a random circuit records");
    generate::generate(&r1cs, &path, Existing::Keep, &mut |_| {}).expect("parameters are made");
    let foreign = fs::read(&path).expect("they were just written");
    for contents in [&b"these are no parameters"[..], &foreign[..foreign.len() - 1], &foreign] {
        fs::write(&path, contents).expect("the file can be replaced");
        let refused = submit(&engine);
        let named =
            matches!(&refused, SubmitError::Parameters(KeyError::Unusable { path: named, .. }) if *named == path);
        assert!(named && refused.to_string().contains(&path.display().to_string()), "{refused}");
        assert!(engine.preload(POREP_2K).is_err());
    }
    assert_nothing_left(&engine);
    // A development key where none is allowed.
    let engine = Engine::new(config(dir.path())).expect("a sound configuration");
    let refused = submit(&engine);
    assert!(matches!(refused, SubmitError::Parameters(KeyError::Development { .. })), "{refused}");
    assert_nothing_left(&engine);
}

/// What an engine says of the 2 KiB PoRep circuit.
fn readiness_of_porep(engine: &Engine) -> Result<KeyOrigin, KeyError> {
    let all = engine.readiness();
    assert_eq!(all.len(), CircuitId::all().count());
    let porep = all.into_iter().find(|readiness| readiness.circuit == POREP_2K);
    porep.expect("there is a line for every circuit").key
}

#[test]
fn an_engine_says_what_it_can_prove_and_why_not() {
    let _limit = TimeLimit::seconds(60);
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join(params_file_name(POREP_2K));
    let engine = Engine::new(config(dir.path())).expect("a sound configuration");
    let mut allowing = config(dir.path());
    allowing.allow_development_keys = true;
    let allowing = Engine::new(allowing).expect("a sound configuration");

    let missing = readiness_of_porep(&engine);
    assert!(matches!(missing, Err(KeyError::Missing { .. })), "{missing:?}");
    fs::write(&path, b"these are no parameters").expect("room for a few bytes");
    let unusable = readiness_of_porep(&engine);
    assert!(matches!(unusable, Err(KeyError::Unusable { .. })), "{unusable:?}");

    fs::remove_file(&path).expect("the file is ours");
    let circuit = RandomCircuit::new(1, 50).blank();
    let r1cs = R1cs::record(|cs| circuit.synthesize(cs)).expect("a random circuit records");
    generate::generate(&r1cs, &path, Existing::Keep, &mut |_| {}).expect("parameters are made");
    let refused = readiness_of_porep(&engine).expect_err("development keys are not allowed");
    assert!(matches!(refused, KeyError::Development { .. }), "{refused}");
    assert!(refused.to_string().contains("--allow-development-keys"), "{refused}");
    assert_eq!(readiness_of_porep(&allowing).expect("they are allowed"), KeyOrigin::Development);

    let theirs = groth16::generate_random_parameters::<Bls12, _, _>(RandomCircuit::new(1, 50).blank(), &mut OsRng);
    let file = fs::File::create(&path).expect("the file is ours");
    theirs.expect("the circuit is sound").write(file).expect("there is room");
    assert_eq!(readiness_of_porep(&engine).expect("its head is right"), KeyOrigin::NotChecked);
    // No file of ours has a published digest; say that this one had.
    let file = ParameterFile::of(POREP_2K, FileRole::Params, dir.path());
    let stamp = Stamp::of(&fs::metadata(&path).expect("the file is there"));
    let remembered = Remembered::beside(dir.path(), None);
    remembered.keep(&file.name(), stamp, file.published()).expect("the directory is ours");
    assert_eq!(readiness_of_porep(&engine).expect("nothing is wrong with it"), KeyOrigin::Published);
    // Its real digest, which is a wrong one for its name.
    remembered.digest(&path, true, &mut |_, _| {}).expect("the file can be read");
    let refused = readiness_of_porep(&engine).expect_err("the digest is wrong");
    assert!(matches!(refused, KeyError::WrongDigest { .. }), "{refused}");
}

#[test]
fn a_digest_that_is_remembered_decides() {
    let _limit = TimeLimit::seconds(60);
    let dir = tempfile::tempdir().expect("a temporary directory");
    let file = ParameterFile::of(POREP_2K, FileRole::Params, dir.path());
    let remembered = Remembered::beside(dir.path(), None);
    let engine = Engine::new(config(dir.path())).expect("a sound configuration");
    let state = || inspect(file.clone(), &remembered).state;

    fs::write(&file.path, b"not the published file").expect("room for a few bytes");
    assert!(matches!(state(), FileState::Unusable { .. }));
    let found = remembered.digest(&file.path, false, &mut |_, _| {}).expect("the file can be read").digest;
    assert!(matches!(state(), FileState::Wrong { .. }));
    for refused in [
        readiness_of_porep(&engine).expect_err("the digest is wrong"),
        engine.preload(POREP_2K).expect_err("the digest is wrong"),
    ] {
        let KeyError::WrongDigest { path, found: named, published, .. } = &refused else { panic!("{refused}") };
        assert_eq!((path, *named, *published), (&file.path, found, file.published()));
        let message = refused.to_string();
        for part in [path.display().to_string(), found.to_string(), published.to_string()] {
            assert!(message.contains(&part), "{message}");
        }
    }

    // No file of ours has a published digest; say that this one had.
    let stamp = Stamp::of(&fs::metadata(&file.path).expect("the file is there"));
    remembered.keep(&file.name(), stamp, file.published()).expect("the directory is ours");
    assert!(matches!(state(), FileState::Published));
    // What was remembered of the file as it was says nothing of what it is.
    fs::write(&file.path, b"another length").expect("room for a few bytes");
    assert!(matches!(state(), FileState::Unusable { .. }));
}
