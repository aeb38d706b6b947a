//! Compiled circuits as files: what is read back is what was written, and nothing else is read at all.

use std::{collections::BTreeMap, fs, path::Path};

use bellperson::Circuit as _;
use cuzk_circuit::{Circuit, FileError, Header, Identity, Options, Witness};
use cuzk_memory::{Ledger, Scope};
use cuzk_testing::{RandomCircuit, TimeLimit};
use proptest::prelude::*;

fn identity(circuit: &str, version: &str) -> Identity {
    let crates =
        [("gadgets", version), ("hashes", "1.0.0")].map(|(name, version)| (name.to_owned(), version.to_owned()));
    Identity { circuit: circuit.to_owned(), crates: BTreeMap::from(crates) }
}

fn compile(values: &RandomCircuit, ledger: &Ledger) -> Circuit {
    Circuit::compile(ledger, Options::default(), |cs| values.blank().synthesize(cs))
        .expect("a blank random circuit compiles")
}

/// What a file with these contents is refused for.
fn refusal(path: &Path, contents: &[u8]) -> FileError {
    fs::write(path, contents).expect("a temporary file");
    Circuit::read(path, &identity("random", "1.0.0"), &Ledger::new(&[])).expect_err("must be refused")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_read_is_what_was_written(seed: u64, steps in 1..200usize) {
        let _limit = TimeLimit::seconds(60);
        let ledger = Ledger::new(&[]);
        let dir = tempfile::tempdir()?;
        let path = dir.path().join("a directory").join("circuit");
        let values = RandomCircuit::new(seed, steps);
        let written = compile(&values, &ledger);
        let bytes = written.write(&path, &identity("random", "1.0.0"))?;
        prop_assert_eq!(fs::metadata(&path)?.len(), bytes);
        let header = Header::read(&path)?;
        prop_assert_eq!((header.counts, header.digest), (*written.counts(), written.digest()));
        let read = Circuit::read(&path, &identity("random", "1.0.0"), &ledger)?;
        prop_assert!(read.is_same(&written));
        prop_assert_eq!(read.counts(), written.counts());
        prop_assert_eq!(read.densities(), written.densities());
        let filled = Witness::fill(&read, &ledger, &Scope::default(), |cs| values.clone().synthesize(cs))?;
        let solved = Witness::solve(&read, &filled.advice(&written), &ledger, &Scope::default())?;
        prop_assert_eq!(solved.expand(), filled.expand());
        prop_assert_eq!(read.evaluate_products(&solved), written.evaluate_products(&solved));
        // Nothing else is left beside it.
        prop_assert_eq!(fs::read_dir(path.parent().expect("a directory"))?.count(), 1);
        // Writing what was read gives the same file.
        let contents = fs::read(&path)?;
        read.write(&path, &identity("random", "1.0.0"))?;
        prop_assert_eq!(fs::read(&path)?, contents);
    }

    #[test]
    fn a_changed_file_is_refused(
        seed: u64,
        steps in 1..60usize,
        at: prop::sample::Index,
        flipped in 1..=255u8,
    ) {
        let _limit = TimeLimit::seconds(60);
        let dir = tempfile::tempdir()?;
        let path = dir.path().join("circuit");
        compile(&RandomCircuit::new(seed, steps), &Ledger::new(&[])).write(&path, &identity("random", "1.0.0"))?;
        let contents = fs::read(&path)?;
        let at = at.index(contents.len());
        let mut changed = contents.clone();
        changed[at] ^= flipped;
        // Flips of the header's text may make another identity of it.
        let error = refusal(&path, &changed);
        prop_assert!(!matches!(error, FileError::Io { .. }), "byte {at}: {error}");
        let error = refusal(&path, &contents[..at]);
        prop_assert!(matches!(error, FileError::Foreign { .. } | FileError::Damaged { .. }), "cut at {at}: {error}");
        let error = refusal(&path, &[&contents[..], &[flipped]].concat());
        prop_assert!(matches!(error, FileError::Damaged { .. }), "{error}");
    }

    #[test]
    fn a_file_of_anything_is_refused(contents in prop::collection::vec(any::<u8>(), 0..200)) {
        let _limit = TimeLimit::seconds(60);
        let dir = tempfile::tempdir()?;
        let path = dir.path().join("circuit");
        let error = refusal(&path, &contents);
        prop_assert!(matches!(error, FileError::Foreign { .. }), "{error}");
        let error = refusal(&path, &[b"cuzkcirc\x01\0\0\0", &contents[..]].concat());
        prop_assert!(matches!(error, FileError::Damaged { .. }), "{error}");
    }
}

#[test]
fn a_file_made_by_others_says_what_differs() {
    let _limit = TimeLimit::seconds(30);
    let ledger = Ledger::new(&[]);
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("circuit");
    compile(&RandomCircuit::new(5, 50), &ledger).write(&path, &identity("random", "1.0.0")).expect("written");
    let refused = |wanted: &Identity| Circuit::read(&path, wanted, &ledger).expect_err("must be refused").to_string();
    let error = refused(&identity("another", "1.0.0"));
    assert!(error.ends_with("its circuit is random, needed is another"), "{error}");
    let error = refused(&identity("random", "1.0.1"));
    assert!(error.ends_with("its version of gadgets is 1.0.0, needed is 1.0.1"), "{error}");
    let mut more = identity("random", "1.0.0");
    more.crates.insert("curves".to_owned(), "3".to_owned());
    let error = refused(&more);
    assert!(error.ends_with("its version of curves is none, needed is 3"), "{error}");
    // Another format.
    let mut contents = fs::read(&path).expect("written above");
    contents[8] = 9;
    let error = refusal(&path, &contents).to_string();
    assert!(error.ends_with("its format's version is 9, needed is 1"), "{error}");
    // No file at all, and none that can be.
    let missing = Circuit::read(&dir.path().join("other"), &more, &ledger).expect_err("not there");
    assert!(missing.is_missing() && missing.to_string().contains("other"), "{missing}");
    assert!(matches!(Circuit::read(dir.path(), &more, &ledger), Err(FileError::Foreign { .. })));
    assert!(ledger.snapshot().is_empty());
}
