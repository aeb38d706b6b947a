//! Loading a circuit and its proving key.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use cuzk_circuit::{Circuit, CircuitError};
use cuzk_filecoin::{CircuitId, params_file_name, synthesize_blank};
use cuzk_memory::Ledger;
use cuzk_prover::{
    ProvingKey,
    generate::is_development,
    params::{ParamsError, Reader, Section},
};
use rayon::ThreadPool;

use crate::{
    Config,
    residency::{Residency, Resident},
};

/// The proving keys of an engine, each with its recorded circuit.
pub(crate) type Keys = Residency<ProvingKey>;

impl Resident for ProvingKey {
    fn bytes(&self) -> u64 {
        // The key is the only one to hold its circuit for longer than a partition.
        ProvingKey::bytes(self) + self.circuit().bytes()
    }
}

/// A proving key cannot be used. Clones share the cause.
#[derive(Debug, Clone, thiserror::Error)]
pub enum KeyError {
    /// There is no parameter file.
    #[error(
        "the parameter file of {circuit}, {}, cannot be found: {source}; fetch it, or for development generate it with \
         `cuzk params generate`",
        path.display()
    )]
    Missing {
        /// The circuit.
        circuit: CircuitId,
        /// Where it should be.
        path: PathBuf,
        /// What the system said.
        source: Arc<io::Error>,
    },
    /// The parameter file is damaged, or another circuit's.
    #[error("the parameter file of {circuit}, {}, cannot be used: {source}", path.display())]
    Unusable {
        /// The circuit.
        circuit: CircuitId,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Arc<ParamsError>,
    },
    /// The parameter file came from the development generator.
    #[error(
        "the parameter file of {circuit}, {}, is a development key, whose proofs mean nothing to the chain; fetch the \
         real one, or allow development keys",
        path.display()
    )]
    Development {
        /// The circuit.
        circuit: CircuitId,
        /// The file.
        path: PathBuf,
    },
    /// The circuit cannot be recorded.
    #[error("the circuit {circuit} cannot be recorded: {source}")]
    Circuit {
        /// The circuit.
        circuit: CircuitId,
        /// What happened.
        source: Arc<CircuitError>,
    },
    /// The code that loads a key panicked.
    #[error("loading the key of {circuit} panicked: {message}; this is a bug, please report it")]
    Panicked {
        /// The circuit.
        circuit: CircuitId,
        /// The panic's message.
        message: String,
    },
}

/// Where the keys of an engine come from.
#[derive(Debug, Clone)]
pub(crate) struct KeyFiles {
    params_dir: PathBuf,
    allow_development_keys: bool,
    ledger: Ledger,
    pool: Arc<ThreadPool>,
}

impl KeyFiles {
    pub(crate) fn new(config: &Config, ledger: &Ledger, pool: Arc<ThreadPool>) -> Self {
        Self {
            params_dir: config.params_dir.clone(),
            allow_development_keys: config.allow_development_keys,
            ledger: ledger.clone(),
            pool,
        }
    }

    /// A residency that loads from these files.
    pub(crate) fn residency(&self) -> Keys {
        let files = self.clone();
        Residency::new(move |circuit| files.load(circuit))
    }

    /// Where a circuit's parameter file is, if it is there.
    fn check_presence(&self, circuit: CircuitId) -> Result<PathBuf, KeyError> {
        let path = self.params_dir.join(params_file_name(circuit));
        let missing = |source: io::Error| KeyError::Missing { circuit, path: path.clone(), source: Arc::new(source) };
        let metadata = path.metadata().map_err(missing)?;
        if !metadata.is_file() {
            return Err(missing(io::Error::new(io::ErrorKind::NotFound, "what is there is not a file")));
        }
        Ok(path)
    }

    /// Opens a circuit's parameter file and refuses it if its head says enough for that: lengths that do not fit the file,
    /// a bad verifying key, a development key.
    fn open(&self, circuit: CircuitId) -> Result<Reader, KeyError> {
        let path = self.check_presence(circuit)?;
        let reader = Reader::open(&path).map_err(|source| unusable(circuit, &path, source))?;
        if is_development(&reader.header().vk) && !self.allow_development_keys {
            return Err(KeyError::Development { circuit, path });
        }
        Ok(reader)
    }

    /// Whether a circuit's key could be loaded, as far as that can be told in a moment. A file of another circuit is told
    /// by its number of inputs; one with as many is found out when it is held against the recorded circuit.
    pub(crate) fn check(&self, circuit: CircuitId, public_inputs: usize) -> Result<(), KeyError> {
        let reader = self.open(circuit)?;
        // The constant ONE is an input too.
        let (expected, found) = (public_inputs as u64 + 1, reader.header().layout.ic);
        if expected == found {
            return Ok(());
        }
        let (path, section) = (reader.path().to_owned(), Section::VerifyingKey);
        let source = ParamsError::Count { path, section, expected: expected.to_string(), found };
        Err(unusable(circuit, reader.path(), source))
    }

    /// Records the circuit and reads its key.
    fn load(&self, circuit: CircuitId) -> Result<ProvingKey, KeyError> {
        let reader = self.open(circuit)?;
        let unusable = |source| unusable(circuit, reader.path(), source);
        self.pool.install(|| {
            let recorded = Circuit::record(&self.ledger, |cs| synthesize_blank(circuit, cs))
                .map_err(|source| KeyError::Circuit { circuit, source: Arc::new(source) })?;
            ProvingKey::load(&reader, Arc::new(recorded), &self.ledger).map_err(unusable)
        })
    }
}

fn unusable(circuit: CircuitId, path: &Path, source: ParamsError) -> KeyError {
    KeyError::Unusable { circuit, path: path.to_owned(), source: Arc::new(source) }
}
