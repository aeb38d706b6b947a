//! Which nodes a PoRep must open: the challenges of a partition, and their parents in the graph.

use std::result::Result as StdResult;

use filecoin_hashers::poseidon::PoseidonHasher;
use filecoin_proofs::parameters::setup_params;
use filecoin_proofs_api::RegisteredSealProof;
use storage_proofs_core::drgraph::Graph;
use storage_proofs_core::error::Result;
use storage_proofs_porep::stacked::{Challenges, StackedBucketGraph};

use super::inputs::PublicInputs;
use crate::guard::guarded;

/// A challenged node and the nodes that its labels are made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    /// The challenge.
    pub(crate) node: u64,
    /// Its parents: those in its own layer, then the expander's.
    pub(crate) parents: Vec<u32>,
}

/// The graph and the challenges of a seal proof.
pub(crate) struct Expected {
    graph: StackedBucketGraph<PoseidonHasher>,
    challenges: Challenges,
}

impl Expected {
    /// Sets up the graph; it is computed where it is asked, so this takes no time and no memory at any size.
    pub(crate) fn new(proof: RegisteredSealProof) -> StdResult<Self, String> {
        guarded(|| -> Result<Self> {
            let setup = setup_params(&proof.as_v1_config())?;
            let graph = StackedBucketGraph::new_stacked(
                setup.nodes,
                setup.degree,
                setup.expansion_degree,
                setup.porep_id,
                setup.api_version,
            )?;
            Ok(Self { graph, challenges: setup.challenges })
        })
    }

    /// The openings of one partition, in order; `inputs` with the commitments, which some challenges follow from.
    pub(crate) fn partition(&self, inputs: &PublicInputs, partition: usize) -> StdResult<Vec<Opening>, String> {
        guarded(|| -> Result<Vec<Opening>> {
            let nodes = inputs.challenges(&self.challenges, self.graph.size(), Some(partition));
            nodes
                .into_iter()
                .map(|node| {
                    let mut parents = vec![0; self.graph.degree()];
                    self.graph.parents(node, &mut parents)?;
                    Ok(Opening { node: node as u64, parents })
                })
                .collect()
        })
    }
}
