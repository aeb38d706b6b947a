//! How a replica encodes data: `new = old + data · rho`, where rho = H(phi, high) and phi = H(comm_d_new, comm_r_old).
//! `high` is the `h` highest bits of the node's number, so that rho is one for each of 2ʰ stretches of the sector.

use blstrs::Scalar;
use filecoin_hashers::poseidon::PoseidonDomain;
use filecoin_hashers::sha256::Sha256Domain;
use storage_proofs_update::{Challenges, PublicInputs, phi, rho};

use super::inputs::Statement;
use crate::guard::guarded;
use crate::merkle::{Node, poseidon};

/// What a statement makes of challenges and data.
pub(super) struct Encoding {
    inputs: PublicInputs,
    phi: PoseidonDomain,
    /// Leaves of the sector.
    nodes: usize,
    /// How many lower bits of a node's number leave its `h` high ones.
    low_bits: u32,
}

impl Encoding {
    /// The encoding of a statement.
    pub(super) fn new(statement: &Statement, nodes: usize) -> Result<Self, String> {
        guarded(|| {
            let inputs = statement.public_inputs(0);
            let phi = phi(&inputs.comm_d_new, &inputs.comm_r_old);
            let low_bits = nodes.ilog2().saturating_sub(inputs.h as u32);
            Ok::<_, String>(Self { inputs, phi, nodes, low_bits })
        })
    }

    /// The nodes that a partition opens, in order.
    pub(super) fn challenges(&self, partition: usize) -> Result<Vec<u32>, String> {
        guarded(|| Ok::<_, String>(Challenges::new(self.nodes, self.inputs.comm_r_new, partition).collect()))
    }

    /// The new replica's leaf at a node, of the old one's and the data; both must be canonical.
    pub(super) fn encode(&self, node: u32, old: &Node, data: &Node) -> Result<Node, String> {
        guarded(|| {
            let (old, data) = (Scalar::from(poseidon(old)), Scalar::from(Sha256Domain(*data)));
            Ok::<_, String>((old + data * rho(&self.phi, node >> self.low_bits)).to_bytes_le())
        })
    }
}
