//! The verifying key that the judge is given.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use super::JudgeJob;
use crate::error::Error;
use crate::{params_file_name, vk_file_name};

/// Bytes of a verifying key before the list of its inputs' points: alpha, beta (G1, G2), gamma, delta (G1, G2), and the
/// number of points, big-endian.
const HEAD_BYTES: usize = 3 * G1_BYTES + 3 * G2_BYTES + 4;
const G1_BYTES: usize = 96;
const G2_BYTES: usize = 192;
/// More inputs than any circuit of the chain has (a WindowPoSt has 26,000): a file that claims more is not read
/// further.
const MAX_INPUTS: u32 = 1 << 20;

/// Puts the verifying key for a job into `directory`, under its usual name: a copy of the `.vk` file of `params_dir`,
/// or else the head of its `.params` file, which is the same bytes.
pub(super) fn place(params_dir: &Path, job: &JudgeJob, directory: &Path) -> Result<(), Error> {
    let Some(id) = job.circuit_id() else {
        // The judge will say so; there is no key to find.
        return Ok(());
    };
    let name = vk_file_name(id);
    let (vk, params) = (params_dir.join(&name), params_dir.join(params_file_name(id)));
    let key = fs::read(&vk).or_else(|_| head_of(&params));
    key.and_then(|key| fs::write(directory.join(name), key)).map_err(|source| Error::VerifyingKey {
        vk,
        params,
        source,
    })
}

/// The verifying key at the head of a parameter file.
fn head_of(params: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(params)?;
    let mut key = vec![0; HEAD_BYTES];
    file.read_exact(&mut key)?;
    let mut inputs = [0; 4];
    inputs.copy_from_slice(&key[HEAD_BYTES - 4..]);
    let inputs = u32::from_be_bytes(inputs);
    if inputs > MAX_INPUTS {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("it claims {inputs} inputs")));
    }
    let start = key.len();
    key.resize(start + inputs as usize * G1_BYTES, 0);
    file.read_exact(&mut key[start..])?;
    Ok(key)
}
