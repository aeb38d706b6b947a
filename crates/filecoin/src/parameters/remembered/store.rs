//! The file in which digests are remembered.

use std::{
    collections::BTreeMap,
    fs::{self, File, Permissions},
    io::{self, Read, Write},
    os::unix::fs::PermissionsExt,
    path::Path,
};

use serde::{Deserialize, Serialize};

use super::Stamp;
use crate::parameters::FileDigest;

/// What the file says of itself; anything else is not ours.
const FORMAT: &str = "cuzk parameter digests, version 1";
/// More than forty files ever need; a longer one is not ours.
const LIMIT_BYTES: u64 = 1 << 20;

/// What is remembered of one file.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) stamp: Stamp,
    pub(super) digest: FileDigest,
}

/// By file name.
pub(super) type Entries = BTreeMap<String, Entry>;

#[derive(Serialize, Deserialize)]
struct Contents {
    format: String,
    files: Entries,
}

/// What is remembered in a file: nothing when it is missing, unreadable, damaged or not ours.
pub(super) fn read(path: &Path) -> Entries {
    try_read(path).filter(|contents| contents.format == FORMAT).map(|contents| contents.files).unwrap_or_default()
}

fn try_read(path: &Path) -> Option<Contents> {
    // Opening a pipe would wait for a writer.
    fs::metadata(path).ok().filter(|found| found.is_file() && found.len() <= LIMIT_BYTES)?;
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(LIMIT_BYTES).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Adds to what is remembered in a file, or replaces it. Of two processes that do so at once one may be forgotten, which
/// costs hashing once more; nobody ever sees half a file.
pub(super) fn add(path: &Path, file_name: &str, entry: Entry) -> io::Result<()> {
    let mut files = read(path);
    files.insert(file_name.to_owned(), entry);
    let contents = Contents { format: FORMAT.into(), files };
    let dir = path.parent().ok_or(io::ErrorKind::InvalidFilename)?;
    fs::create_dir_all(dir)?;
    let mut temporary = tempfile::Builder::new()
        .prefix(".cuzk-digests.")
        // As an ordinary new file: the daemon, often another user, has to read it.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(dir)?;
    temporary.write_all(&serde_json::to_vec_pretty(&contents)?)?;
    temporary.as_file().sync_all()?;
    temporary.persist(path)?;
    Ok(())
}
