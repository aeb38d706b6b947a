//! The files in which compiled circuits are kept.
//!
//! They stand beside the parameters, where whoever mounts the directory finds them too, or else in a directory of the
//! user's. A file that other versions made, or that is damaged, is as good as none: the circuit is compiled again.

use std::io;
use std::path::{Path, PathBuf};

use cuzk_circuit::{Circuit, CircuitError, Counts, FileError, Header, Identity, Rules};
use cuzk_memory::Ledger;

use crate::{CircuitId, compile};

/// The crates whose gadgets and settings make up the circuits, with the versions that this program is built with.
const CRATES: [(&str, &str); 10] = [
    ("bellpepper-core", "0.2.1"),
    ("bellperson", "0.27.0"),
    ("filecoin-hashers", "14.1.0"),
    ("filecoin-proofs", "19.1.0"),
    ("fr32", "12.1.0"),
    ("neptune", "11.0.0"),
    ("storage-proofs-core", "19.1.0"),
    ("storage-proofs-porep", "19.1.0"),
    ("storage-proofs-post", "19.1.0"),
    ("storage-proofs-update", "19.1.0"),
];

/// Of how this crate puts blank circuits together: to be raised when that changes what is synthesised.
const SYNTHESIS: (&str, &str) = ("cuzk-filecoin synthesis", "1");

/// What a file must say to be taken for a circuit.
pub fn circuit_identity(circuit: CircuitId) -> Identity {
    let versions = CRATES.into_iter().chain([SYNTHESIS]);
    let crates = versions.map(|(name, version)| (name.to_owned(), version.to_owned())).collect();
    Identity { circuit: circuit.to_string(), crates }
}

/// Where the files of compiled circuits are.
#[derive(Clone, Debug)]
pub struct CircuitFiles {
    /// Files are looked for in this order, and written to the first place that can be written.
    dirs: Vec<PathBuf>,
}

/// A circuit and where it came from.
#[derive(Debug)]
pub struct LoadedCircuit {
    /// The circuit.
    pub circuit: Circuit,
    /// Where it came from.
    pub origin: CircuitOrigin,
}

/// Where a compiled circuit came from.
#[derive(Debug)]
pub enum CircuitOrigin {
    /// Its file.
    File(PathBuf),
    /// It was compiled.
    Compiled {
        /// Why the file that is there was not used, if one is.
        refused: Option<FileError>,
        /// Where it is kept for the next time, or why it is not.
        kept: Result<PathBuf, FileError>,
    },
}

impl CircuitFiles {
    /// Files beside the parameters in `dir`; what cannot be written there goes to `fallback`.
    pub fn beside(dir: &Path, fallback: Option<&Path>) -> Self {
        Self { dirs: [Some(dir), fallback].into_iter().flatten().map(Path::to_owned).collect() }
    }

    /// The name of a circuit's file.
    pub fn name(circuit: CircuitId) -> String {
        format!("cuzk-{circuit}.circuit")
    }

    /// The circuit's file: the first that is of use, as far as its header tells; or else the first that is there; or where one
    /// would be written first.
    pub fn path(&self, circuit: CircuitId) -> PathBuf {
        let of_use = self.paths(circuit).find(|path| header(path, circuit).is_ok());
        let there = || self.paths(circuit).find(|path| path.exists());
        of_use.or_else(there).or_else(|| self.paths(circuit).next()).unwrap_or_default()
    }

    /// What the circuit's file says, if it is of use here. Reads its header alone.
    ///
    /// # Errors
    /// As [`Header::read`] and [`Header::expect`].
    pub fn header(&self, circuit: CircuitId) -> Result<Header, FileError> {
        header(&self.path(circuit), circuit)
    }

    /// Reads the circuit from its file, and says which that was: a damaged one does not hide another.
    ///
    /// # Errors
    /// As [`Circuit::read`], of the first file that is there.
    pub fn read(&self, id: CircuitId, ledger: &Ledger) -> Result<(Circuit, PathBuf), FileError> {
        let mut refused: Option<FileError> = None;
        for path in self.paths(id) {
            match Circuit::read(&path, &circuit_identity(id), ledger) {
                Ok(circuit) => return Ok((circuit, path)),
                Err(error) if refused.as_ref().is_none_or(FileError::is_missing) => refused = Some(error),
                Err(_) => {}
            }
        }
        Err(refused.unwrap_or_else(|| no_place(id, "open")))
    }

    /// Writes a circuit to its file and says where that is.
    ///
    /// # Errors
    /// What the system said of the last place tried.
    pub fn write(&self, id: CircuitId, circuit: &Circuit) -> Result<PathBuf, FileError> {
        let mut refused = no_place(id, "write");
        for path in self.paths(id) {
            match circuit.write(&path, &circuit_identity(id)) {
                Ok(_) => return Ok(path),
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }

    /// The circuit from its file, or else compiled, and kept for the next time. `fits` tells whether a circuit of these
    /// sizes is the one that is wanted, for which there may be other evidence: a file that does not is of no use.
    ///
    /// # Errors
    /// When it cannot be compiled. That the file is of no use, or cannot be written, is no error.
    pub fn load(
        &self,
        id: CircuitId,
        ledger: &Ledger,
        fits: impl FnOnce(&Counts) -> bool,
    ) -> Result<LoadedCircuit, CircuitError> {
        let refused = match self.read(id, ledger) {
            Ok((circuit, path)) if fits(circuit.counts()) => {
                return Ok(LoadedCircuit { circuit, origin: CircuitOrigin::File(path) });
            }
            Ok((_, path)) => {
                Some(FileError::Damaged { path, what: "its sizes are not those of the parameters".to_owned() })
            }
            Err(error) => Some(error).filter(|error| !error.is_missing()),
        };
        let circuit = compile(id, ledger, Rules::All)?;
        let kept = self.write(id, &circuit);
        Ok(LoadedCircuit { circuit, origin: CircuitOrigin::Compiled { refused, kept } })
    }

    fn paths(&self, circuit: CircuitId) -> impl Iterator<Item = PathBuf> + '_ {
        self.dirs.iter().map(move |dir| dir.join(Self::name(circuit)))
    }
}

fn header(path: &Path, circuit: CircuitId) -> Result<Header, FileError> {
    let header = Header::read(path)?;
    header.expect(path, &circuit_identity(circuit))?;
    Ok(header)
}

fn no_place(circuit: CircuitId, action: &'static str) -> FileError {
    FileError::Io { path: CircuitFiles::name(circuit).into(), action, source: io::ErrorKind::NotFound.into() }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::ProofKind::{PorepSealCommit, SnapDealsUpdate, WindowPostPartition, WinningPost};
    use crate::SectorSize::KiB2;

    /// The versions are written down so that a released binary knows them; here is where they are held against the build's.
    #[test]
    fn versions_are_those_that_are_built() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let lock = include_str!("../../../Cargo.lock");
        for (name, version) in CRATES {
            let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
            assert!(lock.contains(&entry), "Cargo.lock has another version of {name} than {version}");
            assert_eq!(lock.matches(&format!("name = \"{name}\"\n")).count(), 1, "{name} is built in several versions");
        }
    }

    /// What the compiler makes of the small circuits of all kinds, as they are written to files: whoever finds this test failing
    /// raises `COMPILER` in the circuit crate's `file.rs`, so that files made before are recognised, and then changes
    /// the digests here.
    #[test]
    fn equal_versions_compile_equally() {
        let _limit = cuzk_testing::TimeLimit::seconds(300);
        let dir = tempfile::tempdir().expect("a temporary directory");
        let files = CircuitFiles::beside(dir.path(), None);
        let ledger = Ledger::new(&[]);
        let digests = [PorepSealCommit, SnapDealsUpdate, WindowPostPartition, WinningPost].map(|kind| {
            let id = CircuitId::new(kind, KiB2);
            let circuit = compile(id, &ledger, Rules::All).expect("the rules cover it");
            let path = files.write(id, &circuit).expect("it is written");
            let digest = blake2b_simd::Params::new().hash_length(8).hash(&fs::read(path).expect("written above"));
            format!("{id} {}", digest.to_hex())
        });
        let known = [
            "porep-2k 32d3a45ea063823d",
            "snap-2k 60476a9c5bc06b26",
            "wpost-2k 6cefb4a24eecf75a",
            "winning-2k d12c31acaec3e61c",
        ];
        assert_eq!(digests, known);
    }

    #[test]
    fn a_file_of_no_use_is_made_again_and_one_that_cannot_be_kept_is_no_error() {
        let _limit = cuzk_testing::TimeLimit::seconds(60);
        let root = tempfile::tempdir().expect("a temporary directory");
        let (first, second) = (root.path().join("first"), root.path().join("second"));
        let files = CircuitFiles::beside(&first, Some(&second));
        let id = CircuitId::new(WinningPost, KiB2);
        let ledger = Ledger::new(&[]);
        let load = || files.load(id, &ledger, |_| true).expect("it compiles");
        // A directory that cannot be made, since a file has its name.
        fs::write(&first, "").expect("a new file");
        let LoadedCircuit { circuit, origin } = load();
        let CircuitOrigin::Compiled { refused: None, kept: Ok(path) } = origin else { panic!("{origin:?}") };
        assert_eq!((&path, &files.path(id)), (&second.join("cuzk-winning-2k.circuit"), &path));
        let LoadedCircuit { circuit: read, origin } = load();
        assert!(matches!(origin, CircuitOrigin::File(found) if found == path) && read.is_same(&circuit));
        // A changed one.
        let mut contents = fs::read(&path).expect("it was just read");
        *contents.last_mut().expect("more than nothing") ^= 1;
        fs::write(&path, &contents).expect("ours");
        let LoadedCircuit { circuit: again, origin } = load();
        let CircuitOrigin::Compiled { refused: Some(FileError::Damaged { .. }), kept: Ok(_) } = origin else {
            panic!("{origin:?}")
        };
        assert!(again.is_same(&circuit) && matches!(load().origin, CircuitOrigin::File(_)));
        // One of another circuit with that name does not hide the good one, wherever it is.
        fs::remove_file(&first).expect("ours");
        fs::create_dir(&first).expect("a new directory");
        let foreign = CircuitId::new(WindowPostPartition, KiB2);
        again.write(&files.paths(id).next().expect("two"), &circuit_identity(foreign)).expect("it is written");
        assert!(matches!(load().origin, CircuitOrigin::File(found) if found == path));
        assert_eq!(files.path(id), path);
        assert!(files.header(id).is_ok());
        // Nor is one used whose sizes are not the key's: it is made again.
        let origin = files.load(id, &ledger, |_| false).expect("it compiles").origin;
        let CircuitOrigin::Compiled { refused: Some(FileError::Damaged { .. }), kept: Ok(kept) } = origin else {
            panic!("{origin:?}")
        };
        assert_eq!(kept.parent(), Some(&*first));
        // No place at all.
        fs::remove_dir_all(&first).expect("ours");
        fs::write(&first, "").expect("a new file");
        let files = CircuitFiles::beside(&first, None);
        let origin = files.load(id, &ledger, |_| true).expect("it compiles").origin;
        assert!(matches!(origin, CircuitOrigin::Compiled { kept: Err(FileError::Io { .. }), .. }), "{origin:?}");
    }
}
