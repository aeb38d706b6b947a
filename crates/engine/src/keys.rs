//! Loading a circuit and its proving key.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use cuzk_circuit::{Circuit, CircuitError, Rules};
use cuzk_filecoin::{
    CircuitFiles, CircuitId, CircuitOrigin, LoadedCircuit, compile,
    parameters::{FileDigest, FileRole, ParameterFile, Remembered},
};
use cuzk_memory::Ledger;
use cuzk_prover::{
    ProvingKey,
    generate::is_development,
    params::{ParamsError, ParamsLayout, Reader, Section},
};
use rayon::ThreadPool;

use crate::{
    Config, KeyOrigin, Readiness, WitnessSource,
    parameters::remembered_digest,
    residency::{Residency, Resident},
};

/// The proving keys of an engine, each with its compiled circuit.
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
    /// The parameter file is not the published one: so it was found when its digest was last computed.
    #[error(
        "the parameter file of {circuit}, {}, is not the published one: its digest is {found}, the published one is \
         {published}; fetch it again, then `cuzk params check --circuit {circuit} --digest-only`",
        path.display()
    )]
    WrongDigest {
        /// The circuit.
        circuit: CircuitId,
        /// The file.
        path: PathBuf,
        /// The digest of its contents.
        found: FileDigest,
        /// The digest that the proof crates publish for it.
        published: FileDigest,
    },
    /// The parameter file came from the development generator.
    #[error(
        "the parameter file of {circuit}, {}, is a development key, whose proofs mean nothing to the chain; fetch the \
         published one, or, for tests alone, allow development keys (`cuzk serve --allow-development-keys`)",
        path.display()
    )]
    Development {
        /// The circuit.
        circuit: CircuitId,
        /// The file.
        path: PathBuf,
    },
    /// The circuit cannot be compiled.
    #[error("the circuit {circuit} cannot be compiled: {source}")]
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
    remembered: Remembered,
    circuits: CircuitFiles,
    allow_development_keys: bool,
    witness: WitnessSource,
    ledger: Ledger,
    pool: Arc<ThreadPool>,
}

impl KeyFiles {
    pub(crate) fn new(config: &Config, ledger: &Ledger, pool: Arc<ThreadPool>) -> Self {
        Self {
            params_dir: config.params_dir.clone(),
            remembered: Remembered::beside(&config.params_dir, config.cache_dir.as_deref()),
            circuits: CircuitFiles::beside(&config.params_dir, config.cache_dir.as_deref()),
            allow_development_keys: config.allow_development_keys,
            witness: config.witness,
            ledger: ledger.clone(),
            pool,
        }
    }

    /// A residency that loads from these files.
    pub(crate) fn residency(&self) -> Keys {
        let files = self.clone();
        Residency::new(move |circuit| files.load(circuit))
    }

    /// What could be proved at this moment, for every circuit there is. Takes a moment for each file; hashes nothing.
    pub(crate) fn readiness(&self) -> Vec<Readiness> {
        let readiness = |circuit| Readiness { circuit, key: self.origin(circuit) };
        self.pool.install(|| CircuitId::all().map(readiness).collect())
    }

    fn origin(&self, circuit: CircuitId) -> Result<KeyOrigin, KeyError> {
        let reader = self.open(circuit)?;
        if is_development(&reader.header().vk) {
            return Ok(KeyOrigin::Development);
        }
        let file = ParameterFile::of(circuit, FileRole::Params, &self.params_dir);
        // A wrong one was refused.
        let checked = remembered_digest(&file, &self.remembered).is_some();
        Ok(if checked { KeyOrigin::Published } else { KeyOrigin::NotChecked })
    }

    /// A circuit's parameter file, if it is there.
    fn check_presence(&self, circuit: CircuitId) -> Result<ParameterFile, KeyError> {
        let file = ParameterFile::of(circuit, FileRole::Params, &self.params_dir);
        let path = &file.path;
        let missing = |source: io::Error| KeyError::Missing { circuit, path: path.clone(), source: Arc::new(source) };
        let metadata = path.metadata().map_err(missing)?;
        if !metadata.is_file() {
            return Err(missing(io::Error::new(io::ErrorKind::NotFound, "what is there is not a file")));
        }
        Ok(file)
    }

    /// Opens a circuit's parameter file and refuses it if its head says enough for that (lengths that do not fit the file,
    /// a bad verifying key, a development key) or its digest is remembered to be a wrong one.
    fn open(&self, circuit: CircuitId) -> Result<Reader, KeyError> {
        let file = self.check_presence(circuit)?;
        let opened = Reader::open(&file.path);
        // No digest is published for a development key.
        if opened.as_ref().is_ok_and(|reader| is_development(&reader.header().vk)) {
            if !self.allow_development_keys {
                return Err(KeyError::Development { circuit, path: file.path });
            }
        } else {
            self.refuse_wrong_digest(&file)?;
        }
        opened.map_err(|source| unusable(circuit, &file.path, source))
    }

    fn refuse_wrong_digest(&self, file: &ParameterFile) -> Result<(), KeyError> {
        let published = file.published();
        match remembered_digest(file, &self.remembered) {
            Some(found) if found != published => {
                Err(KeyError::WrongDigest { circuit: file.circuit, path: file.path.clone(), found, published })
            }
            _ => Ok(()),
        }
    }

    /// Whether a circuit's key could be loaded, as far as that can be told in a moment. A file of another circuit is told
    /// by its number of inputs; one with as many is found out when it is held against the compiled circuit.
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

    /// Gets the compiled circuit and reads its key.
    fn load(&self, circuit: CircuitId) -> Result<ProvingKey, KeyError> {
        let reader = self.open(circuit)?;
        let unusable = |source| unusable(circuit, reader.path(), source);
        self.pool.install(|| {
            let compiled = self
                .circuit(circuit, &reader)
                .map_err(|source| KeyError::Circuit { circuit, source: Arc::new(source) })?;
            ProvingKey::load(&reader, Arc::new(compiled), &self.ledger).map_err(unusable)
        })
    }

    /// The compiled circuit: from its file, unless witnesses come from the gadgets, which need to know bits from scalars alone.
    fn circuit(&self, id: CircuitId, key: &Reader) -> Result<Circuit, CircuitError> {
        if self.witness == WitnessSource::Gadgets {
            return compile(id, &self.ledger, Rules::BitsOnly);
        }
        let started = Instant::now();
        let LoadedCircuit { circuit, origin } = self
            .circuits
            .load(id, &self.ledger, |counts| key.expect_layout(&ParamsLayout::of_circuit(counts)).is_ok())?;
        let seconds = started.elapsed().as_secs_f64();
        match origin {
            CircuitOrigin::File(path) => tracing::info!(circuit = %id, path = %path.display(), seconds, "circuit read"),
            CircuitOrigin::Compiled { refused, kept } => {
                if let Some(error) = refused {
                    tracing::warn!(circuit = %id, %error, "the circuit's file is of no use");
                }
                match kept {
                    Ok(path) => tracing::info!(circuit = %id, path = %path.display(), seconds, "circuit compiled"),
                    Err(error) => tracing::warn!(circuit = %id, %error, seconds, "circuit compiled, but not kept"),
                }
            }
        }
        Ok(circuit)
    }
}

fn unusable(circuit: CircuitId, path: &Path, source: ParamsError) -> KeyError {
    KeyError::Unusable { circuit, path: path.to_owned(), source: Arc::new(source) }
}
