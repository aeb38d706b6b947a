//! Compiled circuits as files.
//!
//! A file is: eight bytes of [`MAGIC`], the format's version and the header's length as little-endian `u32`, the header as
//! JSON, the body (the serialised [`Stored`], [postcard](https://postcard.jamesmunns.com/wire-format)), and SHA-256 of all
//! that. The header says what the file holds and what made it, so that a stale file is recognised without reading it.

use std::{
    collections::BTreeMap,
    fs::{self, File, Permissions},
    io::{self, Read, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use cuzk_memory::{Ledger, Place, Scope, Stage};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{CIRCUIT, Circuit, Counts, Digest, stored::Stored};

/// A circuit that is being read from its file.
pub static LOADING: Stage = Stage::new("loading");

const MAGIC: [u8; 8] = *b"cuzkcirc";
/// Of the file's own structure.
const FORMAT: u32 = 1;
/// Of what the compiler makes of a circuit: to be raised whenever programs or their meaning change.
const COMPILER: u32 = 1;
/// Magic, format and header length.
const PREFIX_BYTES: usize = 16;
const MAX_HEADER_BYTES: u32 = 1 << 16;
/// Far more than any circuit takes.
const MAX_BODY_BYTES: u64 = 1 << 30;
const CHECKSUM_BYTES: u64 = 32;

/// Which circuit it is, and whose gadgets describe it: what a file must agree with to be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The circuit's name.
    pub circuit: String,
    /// The versions of the crates that synthesise it, by their names.
    pub crates: BTreeMap<String, String>,
}

/// What a file says that it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The circuit.
    pub identity: Identity,
    /// The compiler's version.
    pub compiler: u32,
    /// How large the circuit is.
    pub counts: Counts,
    /// [`Circuit::digest`].
    pub digest: Digest,
    /// Bytes of the body.
    pub body_bytes: u64,
}

/// Why there is no compiled circuit in a file, or why it could not be written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The operating system refused an operation on the file.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was attempted.
        action: &'static str,
        /// The system's answer.
        source: io::Error,
    },
    /// The file is something else.
    #[error("{}: not a compiled circuit", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file is sound, as far as its header tells, but another version made it or it holds another circuit.
    #[error("{}: {what} is {found}, needed is {expected}", path.display())]
    Stale {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: String,
        /// What the file has.
        found: String,
        /// What is needed.
        expected: String,
    },
    /// The file was cut off or changed after it was written.
    #[error("{}: damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

impl FileError {
    /// Whether there is no such file.
    pub fn is_missing(&self) -> bool {
        use io::ErrorKind::{NotADirectory, NotFound};
        matches!(self, Self::Io { source, .. } if matches!(source.kind(), NotFound | NotADirectory))
    }
}

impl Header {
    /// Reads the header of a file, and nothing else of it.
    ///
    /// # Errors
    /// When there is no file, when it is something else, or when it is cut off or too long.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        Ok(Reading::open(path)?.header)
    }

    /// Why this is not the header that is needed, if it is not.
    ///
    /// # Errors
    /// [`FileError::Stale`].
    pub fn expect(&self, path: &Path, identity: &Identity) -> Result<(), FileError> {
        let stale = |what: &str, found: &dyn ToString, expected: &dyn ToString| FileError::Stale {
            path: path.to_owned(),
            what: what.to_owned(),
            found: found.to_string(),
            expected: expected.to_string(),
        };
        if self.identity.circuit != identity.circuit {
            return Err(stale("its circuit", &self.identity.circuit, &identity.circuit));
        }
        if self.compiler != COMPILER {
            return Err(stale("its compiler's version", &self.compiler, &COMPILER));
        }
        let (found, expected) = (&self.identity.crates, &identity.crates);
        let none = "none".to_owned();
        for name in found.keys().chain(expected.keys()) {
            let [found, expected] = [found, expected].map(|crates| crates.get(name).unwrap_or(&none));
            if found != expected {
                return Err(stale(&format!("its version of {name}"), found, expected));
            }
        }
        Ok(())
    }
}

impl Circuit {
    /// Writes the circuit to a file and gives its length in bytes. The file appears complete or not at all, in place of one
    /// that is there.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn write(&self, path: &Path, identity: &Identity) -> Result<u64, FileError> {
        let io = |action| move |source| FileError::Io { path: path.to_owned(), action, source };
        let body = postcard::to_stdvec(&self.stored).map_err(|error| io("serialise")(io::Error::other(error)))?;
        let header = Header {
            identity: identity.clone(),
            compiler: COMPILER,
            counts: *self.counts(),
            digest: self.digest(),
            body_bytes: body.len() as u64,
        };
        let header = serde_json::to_vec(&header).map_err(|error| io("serialise")(error.into()))?;
        let mut prefix = MAGIC.to_vec();
        prefix.extend(FORMAT.to_le_bytes());
        prefix.extend((header.len() as u32).to_le_bytes());
        let checksum = Sha256::new().chain_update(&prefix).chain_update(&header).chain_update(&body).finalize();
        let parts = [&prefix[..], &header, &body, &checksum];
        write_whole(path, &parts).map_err(io("write"))?;
        Ok(parts.iter().map(|part| part.len() as u64).sum())
    }

    /// Reads a circuit from a file that was written for this identity.
    ///
    /// # Errors
    /// When there is no such file, when it was made by other versions or for another circuit, or when it is damaged.
    pub fn read(path: &Path, identity: &Identity, ledger: &Ledger) -> Result<Self, FileError> {
        let mut reading = Reading::open(path)?;
        reading.header.expect(path, identity)?;
        let damaged = |what: String| FileError::Damaged { path: path.to_owned(), what };
        let bytes = reading.header.body_bytes;
        let _buffer = ledger.enter(&CIRCUIT, &LOADING, Place::Host, bytes, &Scope::default());
        let body = reading.body()?;
        let mut stored: Stored = postcard::from_bytes(&body).map_err(|error| damaged(error.to_string()))?;
        drop(body);
        let Header { counts, digest, .. } = reading.header;
        if (stored.counts, stored.digest) != (counts, digest) {
            return Err(damaged("its header describes another circuit".to_owned()));
        }
        stored.validate().map_err(|fault| damaged(fault.to_owned()))?;
        stored.shrink_to_fit();
        Ok(Self::assemble(stored, ledger))
    }
}

/// A file whose header has been read.
struct Reading<'a> {
    path: &'a Path,
    file: File,
    /// Everything up to the body.
    head: Vec<u8>,
    header: Header,
}

impl<'a> Reading<'a> {
    fn open(path: &'a Path) -> Result<Self, FileError> {
        let io = |action| move |source| FileError::Io { path: path.to_owned(), action, source };
        let foreign = || FileError::Foreign { path: path.to_owned() };
        let damaged = |what: String| FileError::Damaged { path: path.to_owned(), what };
        // Opening a pipe would wait for a writer.
        if !fs::metadata(path).map_err(io("open"))?.is_file() {
            return Err(foreign());
        }
        let mut file = File::open(path).map_err(io("open"))?;
        // Of this very file, whatever has been renamed to its path meanwhile.
        let bytes = file.metadata().map_err(io("open"))?.len();
        let mut head = Vec::with_capacity(PREFIX_BYTES);
        (&mut file).take(PREFIX_BYTES as u64).read_to_end(&mut head).map_err(io("read"))?;
        let (magic, numbers) = head.split_at_checked(MAGIC.len()).ok_or_else(foreign)?;
        if magic != MAGIC {
            return Err(foreign());
        }
        let (format, length) =
            numbers.split_at_checked(4).ok_or_else(|| damaged("it ends in its header".to_owned()))?;
        let number = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes);
        let format = number(format).map_err(|_| foreign())?;
        let length = number(length).map_err(|_| damaged("it ends in its header".to_owned()))?;
        if format != FORMAT {
            let (found, expected) = (format.to_string(), FORMAT.to_string());
            return Err(FileError::Stale {
                path: path.to_owned(),
                what: "its format's version".to_owned(),
                found,
                expected,
            });
        }
        if length > MAX_HEADER_BYTES {
            return Err(damaged(format!("its header would have {length} bytes")));
        }
        (&mut file).take(length.into()).read_to_end(&mut head).map_err(io("read"))?;
        let json = &head[PREFIX_BYTES..];
        if json.len() < length as usize {
            return Err(damaged("it ends in its header".to_owned()));
        }
        let header: Header = serde_json::from_slice(json).map_err(|error| damaged(format!("its header: {error}")))?;
        if header.body_bytes > MAX_BODY_BYTES {
            return Err(damaged(format!("its body would have {} bytes", header.body_bytes)));
        }
        let rest = header.body_bytes.checked_add(CHECKSUM_BYTES);
        let expected = rest.and_then(|rest| rest.checked_add(head.len() as u64));
        if expected != Some(bytes) {
            let expected = expected.map_or_else(|| "more".to_owned(), |bytes| bytes.to_string());
            return Err(damaged(format!("it has {bytes} bytes, its header announces {expected}")));
        }
        Ok(Self { path, file, head, header })
    }

    /// The body, once it agrees with the checksum. Takes memory by what is in the file, whatever the header says.
    fn body(&mut self) -> Result<Vec<u8>, FileError> {
        let mut body = Vec::new();
        let limit = self.header.body_bytes + CHECKSUM_BYTES;
        let read = (&mut self.file).take(limit).read_to_end(&mut body);
        read.map_err(|source| FileError::Io { path: self.path.to_owned(), action: "read", source })?;
        let damaged = |what: &str| FileError::Damaged { path: self.path.to_owned(), what: what.to_owned() };
        let end = body.len().checked_sub(CHECKSUM_BYTES as usize).ok_or_else(|| damaged("it ends in its checksum"))?;
        let checksum = body.split_off(end);
        if Sha256::new().chain_update(&self.head).chain_update(&body).finalize()[..] != checksum[..] {
            return Err(damaged("its checksum is another"));
        }
        Ok(body)
    }
}

fn write_whole(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(dir)?;
    let mut temporary = tempfile::Builder::new()
        .prefix(".cuzk-circuit.")
        // As an ordinary new file: the daemon, often another user, has to read it.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(dir)?;
    parts.iter().try_for_each(|part| temporary.write_all(part))?;
    temporary.as_file().sync_all()?;
    temporary.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use bellperson::Circuit as _;
    use cuzk_testing::{RandomCircuit, TimeLimit};
    use proptest::prelude::*;

    use super::*;
    use crate::{Advice, CircuitError, Options, Witness};

    fn identity() -> Identity {
        Identity { circuit: "random".to_owned(), crates: BTreeMap::new() }
    }

    /// Zeros for every value that the circuit takes.
    fn zeros(circuit: &Circuit) -> Result<Advice, CircuitError> {
        let mut advice = Advice::writer(circuit);
        for _ in 0..circuit.advice() {
            advice.scalar(Default::default()).or_else(|_| advice.bit(false))?;
        }
        advice.finish()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        /// Files whose checksum is right and whose contents are not: refused, or at least harmless.
        #[test]
        fn a_file_that_was_made_wrong_harms_nobody(
            seed in 0..20u64,
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ) {
            let _limit = TimeLimit::seconds(60);
            let (ledger, scope) = (Ledger::new(&[]), Scope::default());
            let dir = tempfile::tempdir()?;
            let path = dir.path().join("circuit");
            let values = RandomCircuit::new(seed, 40);
            let circuit = Circuit::compile(&ledger, Options::default(), |cs| values.blank().synthesize(cs))?;
            circuit.write(&path, &identity())?;
            let mut contents = fs::read(&path)?;
            let body = Header::read(&path)?.body_bytes as usize;
            let end = contents.len() - CHECKSUM_BYTES as usize;
            for (at, value) in changes {
                contents[end - body + at.index(body)] = value;
            }
            let checksum = Sha256::digest(&contents[..end]);
            contents[end..].copy_from_slice(&checksum);
            fs::write(&path, &contents)?;
            if let Ok(read) = Circuit::read(&path, &identity(), &ledger) {
                let advice = zeros(&read)?;
                if let Ok(solved) = Witness::solve(&read, &advice, &ledger, &scope) {
                    read.evaluate_products(&solved);
                    let _ = read.check(&solved);
                }
            }
        }
    }
}
