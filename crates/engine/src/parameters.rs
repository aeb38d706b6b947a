//! What is known of the parameter files of a directory.

use std::{fs, io, sync::Arc};

use cuzk_filecoin::parameters::{FileDigest, FileRole, ParameterFile, Remembered, Stamp};
use cuzk_prover::{
    VerifyingKey,
    generate::is_development,
    params::{ParamsError, Reader},
};

/// What is known of a parameter file without hashing it.
#[derive(Debug, Clone)]
pub enum FileState {
    /// There is none.
    Missing,
    /// It is the published one: its digest was computed since it last changed.
    Published,
    /// It came from the development generator, as its verifying key says. No digest is published for such a file.
    Development,
    /// Its digest was not computed since it last changed. What stands at its head can be right.
    NotChecked,
    /// It is not the published one, and no development file either.
    Wrong {
        /// The digest of its contents.
        found: FileDigest,
        /// The digest that the proof crates publish.
        published: FileDigest,
    },
    /// It cannot be read, or what stands at its head cannot be right.
    Unusable {
        /// What is wrong with it.
        reason: Arc<ParamsError>,
    },
}

impl FileState {
    /// One or two words for it.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Published => "published",
            Self::Development => "development",
            Self::NotChecked => "not checked",
            Self::Wrong { .. } => "wrong",
            Self::Unusable { .. } => "unusable",
        }
    }

    /// The state of a file that has this digest and is not a development file.
    pub fn of_digest(file: &ParameterFile, found: FileDigest) -> Self {
        let published = file.published();
        if found == published { Self::Published } else { Self::Wrong { found, published } }
    }
}

/// A parameter file as it is now.
#[derive(Debug, Clone)]
pub struct FileReport {
    /// The file.
    pub file: ParameterFile,
    /// Its length; `None` when there is none.
    pub bytes: Option<u64>,
    /// What is known of it.
    pub state: FileState,
}

/// Looks at a file: whether it is there, what is remembered of its digest, and, unless that is the published one, what
/// stands at its head. Takes a moment, on the current rayon pool; hashes nothing.
pub fn inspect(file: ParameterFile, remembered: &Remembered) -> FileReport {
    let refused = |source| unusable(ParamsError::Io { path: file.path.clone(), action: "look at", source });
    let (bytes, state) = match fs::metadata(&file.path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => (None, FileState::Missing),
        Err(error) => (None, refused(error)),
        // Opening anything else might wait for a writer, or never end.
        Ok(found) if !found.is_file() => (Some(found.len()), refused(io::Error::other("it is no regular file"))),
        Ok(found) => (Some(found.len()), state(&file, remembered.recall(&file.name(), &Stamp::of(&found)))),
    };
    FileReport { file, bytes, state }
}

/// The state of a regular file for which this digest is remembered.
fn state(file: &ParameterFile, remembered: Option<FileDigest>) -> FileState {
    if remembered == Some(file.published()) {
        return FileState::Published;
    }
    match (is_development_file(file), remembered) {
        (Ok(true), _) => FileState::Development,
        (_, Some(digest)) => FileState::of_digest(file, digest),
        (Ok(false), None) => FileState::NotChecked,
        (Err(reason), None) => unusable(reason),
    }
}

/// The digest that is remembered for a file as it is now.
pub(crate) fn remembered_digest(file: &ParameterFile, remembered: &Remembered) -> Option<FileDigest> {
    remembered.recall(&file.name(), &Stamp::of(&fs::metadata(&file.path).ok()?))
}

/// Whether the verifying key of a file, at its head or all of it, is a development one.
fn is_development_file(file: &ParameterFile) -> Result<bool, ParamsError> {
    match file.role {
        FileRole::Params => Ok(is_development(&Reader::open(&file.path)?.header().vk)),
        FileRole::VerifyingKey => Ok(is_development(&VerifyingKey::read(&file.path)?)),
    }
}

fn unusable(reason: ParamsError) -> FileState {
    FileState::Unusable { reason: Arc::new(reason) }
}
