//! Digests that were computed before, so that a file is only hashed again when it has changed.
//!
//! They are kept as JSON beside the parameters, where whoever mounts the directory finds them too, or else in a
//! directory of the user's. What cannot be read there counts as nothing remembered: it costs a minute, never an error.

mod store;

use std::{
    fs::{File, Metadata},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::FileDigest;
use store::Entry;

/// The name of the file of remembered digests in a parameter directory.
pub const REMEMBERED_FILE_NAME: &str = "cuzk-digests.json";

/// How to tell without reading a file whether it has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Its length.
    pub bytes: u64,
    /// Its last change, in whole seconds since 1970.
    pub modified_s: i64,
    /// What that leaves, in nanoseconds.
    pub modified_ns: i64,
    /// Its inode, which a replaced file shares with the old one hardly ever.
    pub inode: u64,
}

impl Stamp {
    /// The stamp of the file with this metadata.
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            bytes: metadata.len(),
            modified_s: metadata.mtime(),
            modified_ns: metadata.mtime_nsec(),
            inode: metadata.ino(),
        }
    }
}

/// A file's digest and where it came from.
#[derive(Debug)]
pub struct Digested {
    /// The digest.
    pub digest: FileDigest,
    /// Whether it was remembered, and the file not read.
    pub remembered: bool,
    /// Why it could not be kept for the next time, if it could not.
    pub not_kept: Option<io::Error>,
}

/// The digests remembered for the files of one parameter directory. Nothing is held in memory: every question sees what
/// other processes have found meanwhile.
#[derive(Clone, Debug)]
pub struct Remembered {
    /// Files of remembered digests: read in this order, and kept in the first that can be written.
    stores: Vec<PathBuf>,
}

impl Remembered {
    /// Digests beside the parameters in `dir`; when that cannot be written, in a file for `dir` in `fallback`.
    pub fn beside(dir: &Path, fallback: Option<&Path>) -> Self {
        let stores = [Some(dir.join(REMEMBERED_FILE_NAME)), fallback.map(|place| place.join(fallback_name(dir)))];
        Self { stores: stores.into_iter().flatten().collect() }
    }

    /// The digest of the file of this name, if it was computed while the file had this stamp.
    pub fn recall(&self, file_name: &str, stamp: &Stamp) -> Option<FileDigest> {
        let entries = self.stores.iter().filter_map(|store| store::read(store).remove(file_name));
        let mut digests = entries.filter(|entry| entry.stamp == *stamp).map(|entry| entry.digest);
        let first = digests.next()?;
        // Where two places disagree, one of them saw bits that a disk has lost since: hash again.
        digests.all(|digest| digest == first).then_some(first)
    }

    /// Keeps a digest for the next time.
    ///
    /// # Errors
    /// When it can be kept nowhere: the system's answer for the last place tried.
    pub fn keep(&self, file_name: &str, stamp: Stamp, digest: FileDigest) -> io::Result<()> {
        let mut refused = io::Error::other("there is no place for it");
        for store in &self.stores {
            match store::add(store, file_name, Entry { stamp, digest }) {
                Ok(()) => return Ok(()),
                Err(error) => refused = io::Error::new(error.kind(), format!("{}: {error}", store.display())),
            }
        }
        Err(refused)
    }

    /// The digest of a file: the remembered one if the file has not changed since and `again` is not set, or else
    /// computed and kept. `progress` is told the bytes hashed so far and in all.
    ///
    /// # Errors
    /// [`io::Error`] of opening or reading; of kind [`Other`](io::ErrorKind::Other) when it is no regular file, or
    /// changed while it was read.
    pub fn digest(&self, path: &Path, again: bool, progress: &mut dyn FnMut(u64, u64)) -> io::Result<Digested> {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // Opening anything else might wait for a writer, or never end.
        if !path.metadata()?.is_file() {
            return Err(io::Error::other("it is no regular file"));
        }
        let mut file = File::open(path)?;
        let stamp = Stamp::of(&file.metadata()?);
        if let Some(digest) = self.recall(&name, &stamp).filter(|_| !again) {
            return Ok(Digested { digest, remembered: true, not_kept: None });
        }
        progress(0, stamp.bytes);
        let digest = FileDigest::of(&mut file, &mut |done| progress(done, stamp.bytes))?;
        if Stamp::of(&file.metadata()?) != stamp {
            return Err(io::Error::other("it changed while it was read; try again when nobody writes to it"));
        }
        Ok(Digested { digest, remembered: false, not_kept: self.keep(&name, stamp, digest).err() })
    }
}

/// The name, in a directory for all, of what is remembered for one parameter directory.
fn fallback_name(dir: &Path) -> String {
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let hash = blake2b_simd::blake2b(dir.as_os_str().as_encoded_bytes()).to_hex();
    format!("digests-{}.json", &hash[..16])
}

/// Where to remember digests of parameter directories that cannot be written: `cuzk` in `xdg_cache_home` (ignored unless
/// absolute, as the XDG specification has it), or else in `.cache` of `home`.
pub fn cache_dir(xdg_cache_home: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
    let xdg = xdg_cache_home.filter(|dir| dir.is_absolute());
    let home = home.filter(|dir| dir.is_absolute()).map(|dir| dir.join(".cache"));
    xdg.or(home).map(|dir| dir.join("cuzk"))
}

/// [`cache_dir`] with the variables `XDG_CACHE_HOME` and `HOME` of this process: for the start of a program only.
pub fn cache_dir_from_env() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    cache_dir(variable("XDG_CACHE_HOME"), variable("HOME"))
}

#[cfg(test)]
mod tests;
