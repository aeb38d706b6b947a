//! Public inputs of a SnapDeals update: what its verifier knows.

use blstrs::Scalar;
use filecoin_hashers::sha256::Sha256Domain;
use filecoin_proofs::types::SectorUpdateConfig;
use filecoin_proofs_api::RegisteredUpdateProof;
use serde::{Deserialize, Serialize};
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::error::Result;
use storage_proofs_update::{EmptySectorUpdateCompound, PublicInputs, PublicParams};

use crate::merkle::{Node, poseidon};
use crate::shape::TreeShape;
use crate::{SectorSize, registered};

/// What an update's verifier is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Statement {
    /// The update proof, and with it the sector size.
    pub(super) registered_proof: RegisteredUpdateProof,
    /// Commitment to the replica before the update; a canonical field element.
    pub(super) comm_r_old: Node,
    /// Commitment to the replica after it; a canonical field element.
    pub(super) comm_r_new: Node,
    /// Commitment to the data after it; a canonical field element.
    pub(super) comm_d_new: Node,
}

impl Statement {
    /// The sector size.
    pub(super) fn size(&self) -> SectorSize {
        registered::update_proof_size(self.registered_proof)
    }

    /// The sector size as the crates' parameters.
    pub(super) fn params(&self) -> PublicParams {
        PublicParams::from_sector_size(self.size().bytes())
    }

    /// The crates' form of it for one partition.
    pub(super) fn public_inputs(&self, partition: usize) -> PublicInputs {
        PublicInputs {
            k: partition,
            comm_r_old: poseidon(&self.comm_r_old),
            comm_d_new: Sha256Domain(self.comm_d_new),
            comm_r_new: poseidon(&self.comm_r_new),
            h: SectorUpdateConfig::from_porep_config(&self.registered_proof.as_v1_config()).h,
        }
    }

    /// The public inputs of one partition's circuit in order, without the leading ONE.
    pub(super) fn scalars<Tree: TreeShape>(&self, partition: usize) -> Result<Vec<Scalar>> {
        EmptySectorUpdateCompound::<Tree>::generate_public_inputs(
            &self.public_inputs(partition),
            &self.params(),
            Some(partition),
        )
    }
}
