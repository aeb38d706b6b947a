//! Public inputs of a PoRep: what its verifier knows.

use blstrs::Scalar;
use filecoin_hashers::poseidon::PoseidonDomain;
use filecoin_hashers::sha256::Sha256Domain;
use filecoin_proofs::parameters::public_params;
use filecoin_proofs_api::RegisteredSealProof;
use serde::{Deserialize, Serialize};
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::error::Result;
use storage_proofs_porep::stacked::{self, StackedCompound, Tau};

use crate::merkle::{Node, poseidon};
use crate::prover_id;
use crate::shape::{DataHasher, TreeShape};

/// The proof crates' public inputs of a PoRep, the same type at every sector size.
pub(crate) type PublicInputs = stacked::PublicInputs<PoseidonDomain, Sha256Domain>;

/// What a PoRep's verifier is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Statement {
    /// The seal proof: sector size, version of the graph.
    pub(crate) registered_proof: RegisteredSealProof,
    /// Commitment to the replica and its label columns; a canonical field element.
    pub(crate) comm_r: Node,
    /// Commitment to the data; a canonical field element.
    pub(crate) comm_d: Node,
    /// Who sealed what; a canonical field element.
    pub(crate) replica_id: Node,
    /// The chain's randomness, which the challenges follow from. Non-interactive PoRep ignores it, but the crates want
    /// one to be there.
    pub(crate) seed: Node,
}

impl Statement {
    /// The replica id of the sector that a miner sealed under a number, with this ticket.
    pub(crate) fn replica_id_of(&self, miner_id: u64, sector_number: u64, ticket: &Node) -> Node {
        prover_id::replica_id(
            &prover_id::prover_id(miner_id),
            sector_number,
            ticket,
            &self.comm_d,
            &prover_id::porep_id(self.registered_proof),
        )
    }

    /// The crates' form of it, for one partition or (for their verifier) for none in particular.
    pub(crate) fn public_inputs(&self, partition: Option<usize>) -> PublicInputs {
        stacked::PublicInputs {
            replica_id: poseidon(&self.replica_id),
            seed: Some(self.seed),
            tau: Some(Tau { comm_r: poseidon(&self.comm_r), comm_d: Sha256Domain(self.comm_d) }),
            k: partition,
        }
    }

    /// The public inputs of one partition's circuit in order, without the leading ONE.
    pub(crate) fn scalars<Tree: TreeShape>(&self, partition: usize) -> Result<Vec<Scalar>> {
        let params = public_params::<Tree>(&self.registered_proof.as_v1_config())?;
        StackedCompound::<Tree, DataHasher>::generate_public_inputs(
            &self.public_inputs(Some(partition)),
            &params,
            Some(partition),
        )
    }
}
