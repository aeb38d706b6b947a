//! How large the parts of a PoSt are, asked of the proof crates.

use filecoin_proofs::parameters::{window_post_setup_params, winning_post_setup_params};
use filecoin_proofs::{PoStConfig, PoStType};
use filecoin_proofs_api::RegisteredPoStProof;
use storage_proofs_post::fallback::{PublicParams, SetupParams};

use crate::SectorSize;
use crate::merkle::{PathShape, tree_path_shape};

/// Counts and lengths of a PoSt.
#[derive(Clone, Debug)]
pub(crate) struct Geometry {
    /// Sectors of the circuit.
    pub(crate) circuit_sectors: usize,
    /// Inclusion paths of each of them.
    pub(crate) circuit_challenges: usize,
    /// Sectors that a request may have.
    pub(crate) max_sectors: usize,
    /// Inclusion paths of each of these.
    pub(crate) challenges: usize,
    /// A path in TreeR.
    pub(crate) path: PathShape,
    /// The crates' form of it.
    pub(crate) params: PublicParams,
}

impl Geometry {
    /// The geometry of a PoSt proof of that size, or what the crates have against it.
    pub(crate) fn new(proof: RegisteredPoStProof, size: SectorSize) -> Result<Self, String> {
        let config = proof.as_v1_config();
        let SetupParams { sector_size, challenge_count, sector_count, api_version } = setup(&config)?;
        let params = PublicParams { sector_size, challenge_count, sector_count, api_version };
        Ok(Self {
            circuit_sectors: sector_count,
            circuit_challenges: challenge_count,
            max_sectors: config.sector_count,
            challenges: config.challenge_count,
            path: tree_path_shape(size),
            params,
        })
    }

    /// What stands at one place of the circuit: which of the request's sectors, and which of its paths. A request that does
    /// not fill the circuit repeats its last sector.
    pub(crate) fn place(&self, circuit_sector: usize, sectors: usize) -> (usize, std::ops::Range<usize>) {
        if self.max_sectors == 1 {
            // The one sector of a WinningPoSt stands once for each of its paths.
            let first = circuit_sector * self.circuit_challenges;
            return (0, first..first + self.circuit_challenges);
        }
        (circuit_sector.min(sectors.saturating_sub(1)), 0..self.circuit_challenges)
    }
}

fn setup(config: &PoStConfig) -> Result<SetupParams, String> {
    match config.typ {
        PoStType::Window => Ok(window_post_setup_params(config)),
        PoStType::Winning => winning_post_setup_params(config).map_err(|error| format!("{error:#}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registered::{window_post_proof, winning_post_proof};

    #[test]
    fn counts_are_the_published_ones() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for size in SectorSize::ALL {
            let window = Geometry::new(window_post_proof(size), size).expect("a published size");
            let sectors = match size {
                SectorSize::GiB32 => 2349,
                SectorSize::GiB64 => 2300,
                _ => 2,
            };
            assert_eq!((window.circuit_sectors, window.circuit_challenges), (sectors, 10), "{size}");
            assert_eq!((window.max_sectors, window.challenges), (sectors, 10), "{size}");
            let winning = Geometry::new(winning_post_proof(size), size).expect("a published size");
            assert_eq!((winning.circuit_sectors, winning.circuit_challenges), (66, 1), "{size}");
            assert_eq!((winning.max_sectors, winning.challenges), (1, 66), "{size}");
        }
    }

    #[test]
    fn the_last_sector_fills_up_a_window_and_each_path_of_a_winning_sector_has_its_place() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let size = SectorSize::GiB32;
        let window = Geometry::new(window_post_proof(size), size).expect("a published size");
        let places: Vec<usize> = (0..5).map(|place| window.place(place, 3).0).collect();
        assert_eq!(places, [0, 1, 2, 2, 2]);
        assert_eq!(window.place(2348, 3), (2, 0..10));
        let winning = Geometry::new(winning_post_proof(size), size).expect("a published size");
        assert_eq!(winning.place(65, 1), (0, 65..66));
    }
}
