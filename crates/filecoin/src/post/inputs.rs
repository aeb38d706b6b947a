//! Public inputs of a PoSt: what its verifier knows.

use blstrs::Scalar;
use ff::PrimeField;
use filecoin_hashers::poseidon::PoseidonDomain;
use filecoin_proofs_api::RegisteredPoStProof;
use serde::{Deserialize, Serialize};
use storage_proofs_post::fallback::generate_leaf_challenge;

use super::geometry::Geometry;
use crate::error::RequestError;
use crate::merkle::{Node, poseidon};

/// What a PoSt's verifier is told.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Statement {
    /// The PoSt proof: kind, sector size, version of the challenges.
    pub(crate) registered_proof: RegisteredPoStProof,
    /// The chain's randomness, a canonical field element.
    pub(crate) randomness: Node,
    /// Which partition of a deadline, where its challenges depend on that; else 0.
    pub(crate) partition_index: u32,
    /// The sectors, ascending by id.
    pub(crate) sectors: Vec<PublicSector>,
}

/// What the verifier knows of a sector.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PublicSector {
    pub(crate) id: u64,
    /// A canonical field element.
    pub(crate) comm_r: Node,
}

impl Statement {
    /// The `n`-th challenged leaf of the sector at `position`; 0 for a position that there is not.
    ///
    /// In V1 the challenge's number counts through all sectors of a deadline (in WinningPoSt through the repetitions of
    /// the one sector, which comes to the same), in V1.1 through the sector's own challenges.
    pub(crate) fn challenge(&self, geometry: &Geometry, position: usize, n: usize) -> u64 {
        let Some(sector) = self.sectors.get(position) else { return 0 };
        let first = match self.numbers_whole_deadlines() {
            true => {
                (u64::from(self.partition_index) * geometry.max_sectors as u64 + position as u64)
                    * geometry.challenges as u64
            }
            false => 0,
        };
        let randomness: PoseidonDomain = poseidon(&self.randomness);
        generate_leaf_challenge(&geometry.params, randomness, sector.id, first + n as u64)
    }

    /// Whether a challenge depends on the place of its sector in the deadline.
    pub(crate) fn numbers_whole_deadlines(&self) -> bool {
        self.registered_proof.minor_version() < 2
    }

    /// The public inputs of the circuit in order, without the leading ONE: for each sector of the circuit its comm_r and
    /// its challenged leaves.
    pub(crate) fn scalars(&self, geometry: &Geometry) -> Vec<Scalar> {
        let inputs = geometry.circuit_sectors * (1 + geometry.circuit_challenges);
        let mut scalars = Vec::with_capacity(inputs);
        for circuit_sector in 0..geometry.circuit_sectors {
            let (position, challenges) = geometry.place(circuit_sector, self.sectors.len());
            scalars.extend(self.sectors.get(position).map(|sector| Scalar::from(poseidon(&sector.comm_r))));
            scalars.extend(challenges.map(|n| Scalar::from(self.challenge(geometry, position, n))));
        }
        scalars
    }
}

/// Reads field 22. The chain's randomness is a hash; with the top two bits cleared it is a field element, and clearing them
/// again changes nothing.
pub(crate) fn randomness(bytes: &[u8]) -> Result<Node, RequestError> {
    let mut randomness = Node::try_from(bytes).map_err(|_| RequestError::Value {
        field: "randomness".to_owned(),
        value: format!("a value of {} bytes", bytes.len()),
        expected: "32 bytes".to_owned(),
    })?;
    randomness[31] &= 0x3f;
    debug_assert!(Scalar::from_repr_vartime(randomness).is_some(), "254 bits are less than the order");
    Ok(randomness)
}
