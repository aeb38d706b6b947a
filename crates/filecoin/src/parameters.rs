//! Which files hold the parameters of a circuit, and where operators keep them.
//!
//! Names come from the proof crates' own [`CacheableParameters`], so that files fetched for any other prover are found;
//! so do the digests that the files should have ([`FileDigest`]). Hashing 44 GiB takes a minute, so what was found is
//! remembered ([`Remembered`]).

mod digest;
mod file;
mod remembered;

pub use digest::{FileDigest, NotADigest};
pub use file::{FileRole, ParameterFile};
pub use remembered::{Digested, REMEMBERED_FILE_NAME, Remembered, Stamp, cache_dir, cache_dir_from_env};

use std::path::PathBuf;

use storage_proofs_core::parameter_cache::{CacheableParameters, parameter_id, verifying_key_id};
use storage_proofs_update::{EmptySectorUpdateCircuit, EmptySectorUpdateCompound, PublicParams};

use crate::registered::{interactive_seal_proof, window_post_proof, winning_post_proof};
use crate::shape::{TreeShape, with_shape};
use crate::{CircuitId, ProofKind, SectorSize};

/// The environment variable that names the parameter directory, as all Filecoin software reads it.
pub const PARAMETER_DIR_VARIABLE: &str = "FIL_PROOFS_PARAMETER_CACHE";

/// The parameter directory where that variable is not set.
pub const DEFAULT_PARAMETER_DIR: &str = "/var/tmp/filecoin-proof-parameters";

/// The name of the parameter file of a circuit, such as `v28-stacked-proof-of-replication-….params`.
pub fn params_file_name(id: CircuitId) -> String {
    parameter_id(&cache_identifier(id))
}

/// The name of the verifying key's file of a circuit: as [`params_file_name`], with the extension `vk`.
pub fn vk_file_name(id: CircuitId) -> String {
    verifying_key_id(&cache_identifier(id))
}

/// The parameter directory: what the caller was told, or else the value of [`PARAMETER_DIR_VARIABLE`] (empty counts as
/// unset), or else [`DEFAULT_PARAMETER_DIR`].
pub fn parameter_dir(told: Option<PathBuf>, variable: Option<PathBuf>) -> PathBuf {
    told.or(variable.filter(|dir| !dir.as_os_str().is_empty())).unwrap_or_else(|| PathBuf::from(DEFAULT_PARAMETER_DIR))
}

/// [`parameter_dir`] with the variable read from this process's environment: for the start of a program only.
pub fn parameter_dir_from_env(told: Option<PathBuf>) -> PathBuf {
    parameter_dir(told, std::env::var_os(PARAMETER_DIR_VARIABLE).map(PathBuf::from))
}

fn cache_identifier(id: CircuitId) -> String {
    let identifier = match id.kind {
        ProofKind::PorepSealCommit => interactive_seal_proof(id.size).circuit_identifier(),
        ProofKind::SnapDealsUpdate => Ok(with_shape!(id.size, Tree => update_identifier::<Tree>(id.size))),
        ProofKind::WindowPostPartition => window_post_proof(id.size).circuit_identifier(),
        ProofKind::WinningPost => winning_post_proof(id.size).circuit_identifier(),
    };
    // The crates only fail here for sizes that they know no parameters of, and a `SectorSize` is one of the five
    // that they publish; a test goes through all twenty ids.
    identifier.expect("the proof crates name the parameters of every published size")
}

/// The API crate's own `RegisteredUpdateProof::circuit_identifier` names PoRep's parameters instead.
fn update_identifier<Tree: TreeShape>(size: SectorSize) -> String {
    type Compound<Tree> = EmptySectorUpdateCompound<Tree>;
    let params = PublicParams::from_sector_size(size.bytes());
    <Compound<Tree> as CacheableParameters<EmptySectorUpdateCircuit<Tree>, PublicParams>>::cache_identifier(&params)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registered::seal_proof_from_wire;
    use std::collections::HashSet;
    use storage_proofs_core::parameter_cache::get_parameter_data_from_id;

    #[test]
    fn every_name_is_published_for_its_size() {
        let _limit = cuzk_testing::TimeLimit::seconds(60);
        let mut names = HashSet::new();
        for id in CircuitId::all() {
            for name in [params_file_name(id), vk_file_name(id)] {
                let published = get_parameter_data_from_id(&name);
                let published = published.unwrap_or_else(|| panic!("{id}: {name} is not in parameters.json"));
                assert_eq!(published.sector_size, id.size.bytes(), "{id}");
                assert!(names.insert(name), "{id} shares a name");
            }
        }
        let porep = params_file_name(CircuitId::new(ProofKind::PorepSealCommit, SectorSize::GiB32));
        assert!(porep.starts_with("v28-stacked-proof-of-replication-") && porep.ends_with(".params"), "{porep}");
    }

    #[test]
    fn all_versions_of_a_seal_proof_share_parameters() {
        let _limit = cuzk_testing::TimeLimit::seconds(60);
        for number in 0..20 {
            let size = SectorSize::ALL[number % 5];
            let proof = seal_proof_from_wire(number as u64).expect("twenty numbers");
            let name = params_file_name(CircuitId::new(ProofKind::PorepSealCommit, size));
            let identifier = proof.circuit_identifier().expect("a published size");
            assert_eq!(parameter_id(&identifier), name, "{proof:?}");
        }
    }

    #[test]
    fn what_the_caller_was_told_comes_first() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let path = |text: &str| Some(PathBuf::from(text));
        assert_eq!(parameter_dir(path("/a"), path("/b")), PathBuf::from("/a"));
        assert_eq!(parameter_dir(None, path("/b")), PathBuf::from("/b"));
        assert_eq!(parameter_dir(None, path("")), PathBuf::from(DEFAULT_PARAMETER_DIR));
        assert_eq!(parameter_dir(None, None), PathBuf::from(DEFAULT_PARAMETER_DIR));
    }
}
