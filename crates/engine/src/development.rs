//! Development parameters where they are missing.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use cuzk_circuit::{CircuitError, R1cs};
use cuzk_filecoin::{CircuitId, params_file_name, synthesize_blank, vk_file_name};
use cuzk_prover::{
    VerifyingKey, generate,
    params::{Existing, NewFile, ParamsError, Progress, Reader},
};

/// Development parameters could not be made.
#[derive(Debug, thiserror::Error)]
pub enum DevelopmentError {
    /// The directory cannot be used.
    #[error("cannot use {} for development parameters: {source}", path.display())]
    Directory {
        /// The directory, or the lock file in it.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The blank circuit cannot be recorded.
    #[error("cannot record circuit {circuit}: {source}")]
    Circuit {
        /// The circuit.
        circuit: CircuitId,
        /// What is wrong with it.
        source: CircuitError,
    },
    /// The files cannot be made, or are not to be touched.
    #[error(transparent)]
    Params(#[from] ParamsError),
}

/// The parameters of a circuit in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DevelopmentParams {
    /// The parameter file.
    pub params: PathBuf,
    /// The verifying key's file beside it, which the chain's own verifier reads.
    pub vk: PathBuf,
    /// Whether they were made now; `false` when they were found.
    pub generated: bool,
}

/// Makes sure that `dir` holds the parameters of `circuit`: what is there is left alone (whoever made it), what is missing
/// is generated for development, on the current rayon pool. Processes that want the same file wait for each other.
///
/// # Errors
/// When the circuit cannot be built or the files cannot be written; `dir` must not be the operators' default directory.
pub fn ensure_development_params(
    circuit: CircuitId,
    dir: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<DevelopmentParams, DevelopmentError> {
    make(circuit, dir, false, progress)
}

/// As [`ensure_development_params`], but makes development parameters anew where some are there already.
///
/// # Errors
/// As there; also when the files that are there are not development parameters.
pub fn replace_development_params(
    circuit: CircuitId,
    dir: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<DevelopmentParams, DevelopmentError> {
    make(circuit, dir, true, progress)
}

fn make(
    circuit: CircuitId,
    dir: &Path,
    replace: bool,
    progress: &mut dyn FnMut(Progress),
) -> Result<DevelopmentParams, DevelopmentError> {
    let (params, vk) = (dir.join(params_file_name(circuit)), dir.join(vk_file_name(circuit)));
    if !replace && params.exists() && vk.exists() {
        return Ok(DevelopmentParams { params, vk, generated: false });
    }
    let existing = if replace { Existing::ReplaceDevelopment } else { Existing::Keep };
    if !params.exists() || replace {
        NewFile::may_write(&params, existing)?;
    }
    fs::create_dir_all(dir).map_err(directory(dir))?;
    let _lock = lock(&params.with_extension("lock"))?;
    // Whoever held the lock before may have made them.
    let generated = replace || !params.exists();
    let key = if generated {
        generate_params(circuit, &params, existing, progress)?
    } else {
        Reader::open(&params)?.header().vk.clone()
    };
    if replace || !vk.exists() {
        key.write(&vk, existing)?;
    }
    Ok(DevelopmentParams { params, vk, generated })
}

fn generate_params(
    circuit: CircuitId,
    path: &Path,
    existing: Existing,
    progress: &mut dyn FnMut(Progress),
) -> Result<VerifyingKey, DevelopmentError> {
    let r1cs = R1cs::record(|cs| synthesize_blank(circuit, cs));
    let r1cs = r1cs.map_err(|source| DevelopmentError::Circuit { circuit, source })?;
    Ok(generate::generate(&r1cs, path, existing, progress)?)
}

/// Held until the file is dropped; the system releases it when the process ends, however it ends.
fn lock(path: &Path) -> Result<File, DevelopmentError> {
    let file = File::create(path).map_err(directory(path))?;
    file.lock().map_err(directory(path))?;
    Ok(file)
}

fn directory(path: &Path) -> impl FnOnce(io::Error) -> DevelopmentError {
    let path = path.to_owned();
    |source| DevelopmentError::Directory { path, source }
}
