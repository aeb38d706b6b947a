//! The forty published files: for each circuit its parameters and its verifying key.

use std::path::{Path, PathBuf};

use super::{FileDigest, params_file_name, vk_file_name};
use crate::CircuitId;

/// What a published file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileRole {
    /// The parameters, verifying key included: what a prover needs.
    Params,
    /// The verifying key alone: what the chain's own verifier reads.
    VerifyingKey,
}

impl FileRole {
    /// Both, the parameters first.
    pub const ALL: [Self; 2] = [Self::Params, Self::VerifyingKey];

    /// The extension of such a file: `params` or `vk`.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Params => "params",
            Self::VerifyingKey => "vk",
        }
    }

    /// The name of a circuit's file.
    pub fn file_name(self, circuit: CircuitId) -> String {
        match self {
            Self::Params => params_file_name(circuit),
            Self::VerifyingKey => vk_file_name(circuit),
        }
    }
}

/// A path that has the name of a published file; whether anything is there is another question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterFile {
    /// The circuit.
    pub circuit: CircuitId,
    /// What it holds for the circuit.
    pub role: FileRole,
    /// Where it is or would be.
    pub path: PathBuf,
}

impl ParameterFile {
    /// A circuit's file in a parameter directory.
    pub fn of(circuit: CircuitId, role: FileRole, dir: &Path) -> Self {
        Self { circuit, role, path: dir.join(role.file_name(circuit)) }
    }

    /// All forty in a parameter directory: by circuit, the parameters before the verifying key.
    pub fn all(dir: &Path) -> impl Iterator<Item = Self> {
        CircuitId::all().flat_map(move |circuit| FileRole::ALL.map(|role| Self::of(circuit, role, dir)))
    }

    /// What a path is by its file name; `None` when no file of that name is published.
    pub fn at(path: &Path) -> Option<Self> {
        let dir = path.parent()?;
        Self::all(dir).find(|file| file.path.file_name() == path.file_name())
    }

    /// The name under which it is published.
    pub fn name(&self) -> String {
        self.role.file_name(self.circuit)
    }

    /// The digest that the proof crates publish for it.
    pub fn published(&self) -> FileDigest {
        FileDigest::published(&self.name()).expect("every published file has a digest: a test goes through all forty")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forty_are_found_by_their_names_and_have_digests() {
        let _limit = cuzk_testing::TimeLimit::seconds(60);
        let mut count = 0;
        for file in ParameterFile::all(Path::new("/parameters")) {
            assert_eq!(ParameterFile::at(&file.path), Some(file.clone()));
            assert!(file.name().ends_with(file.role.extension()), "{file:?}");
            assert_eq!(file.published().to_string().len(), 32);
            count += 1;
        }
        assert_eq!(count, 40);
        assert_eq!(ParameterFile::at(Path::new("/parameters/v28-of-nothing.params")), None);
        assert_eq!(ParameterFile::at(Path::new("/")), None);
    }
}
