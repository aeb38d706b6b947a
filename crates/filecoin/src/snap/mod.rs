//! SnapDeals: the proof that new data was put into a sector that had been sealed empty.
//!
//! Owns what a SnapDeals payload looks like, what makes one valid, and the circuit and public inputs of its partitions,
//! at all five sector sizes. The replica before the update, the new data and the replica after it are opened at nodes
//! that follow from the last one's commitment; the circuit shows that the one is the other plus data times a factor
//! (see [`encoding`]).

mod advice;
mod agreement;
mod check;
mod circuit;
mod encoding;
mod geometry;
mod inputs;
mod judge;
mod payload;

use bellperson::{ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use cuzk_circuit::AdviceWriter;
use filecoin_proofs_api::RegisteredUpdateProof;

use crate::error::{Error, RequestError};
use crate::guard::guarded;
use crate::judge::{Sealer, Verdict};
use crate::merkle::HeapBytes;
use crate::shape::with_shape;
use crate::work::Work;
use crate::{CircuitId, ProofKind, SectorSize, Submission};

use geometry::Geometry;
use inputs::Statement;
use payload::PartitionProof;

/// A SnapDeals request that passed every check.
pub struct SnapRequest {
    statement: Statement,
    partitions: Vec<PartitionProof>,
}

impl SnapRequest {
    /// The update proof, as field 4 states it.
    pub fn registered_proof(&self) -> RegisteredUpdateProof {
        self.statement.registered_proof
    }

    /// The commitment to the replica before the update: a field element, little-endian.
    pub fn comm_r_old(&self) -> &[u8; 32] {
        &self.statement.comm_r_old
    }

    /// The commitment to the replica after the update: a field element, little-endian.
    pub fn comm_r_new(&self) -> &[u8; 32] {
        &self.statement.comm_r_new
    }

    /// The commitment to the data after the update: a field element, little-endian.
    pub fn comm_d_new(&self) -> &[u8; 32] {
        &self.statement.comm_d_new
    }

    fn proof(&self, partition: usize) -> Result<&PartitionProof, Error> {
        let partitions = self.partitions.len();
        self.partitions.get(partition).ok_or(Error::Partition { partition, partitions })
    }
}

impl Work for SnapRequest {
    const KIND: ProofKind = ProofKind::SnapDealsUpdate;
    const LISTED: bool = true;
    type Claim = Statement;

    fn parse(submission: &Submission) -> Result<Self, RequestError> {
        let statement = Statement {
            registered_proof: agreement::registered_proof(submission)?,
            comm_r_old: agreement::commitment(&submission.comm_r_old, "comm_r_old")?,
            comm_r_new: agreement::commitment(&submission.comm_r_new, "comm_r_new")?,
            comm_d_new: agreement::commitment(&submission.comm_d_new, "comm_d_new")?,
        };
        let partitions = check::read_partitions(&statement, &submission.vanilla_proofs)?;
        Ok(Self { statement, partitions })
    }

    fn size(&self) -> SectorSize {
        self.statement.size()
    }

    fn partitions(&self) -> usize {
        self.partitions.len()
    }

    fn advice_bytes(&self) -> usize {
        self.partitions.heap_bytes()
    }

    fn public_inputs(&self, partition: usize) -> Result<Vec<Scalar>, Error> {
        self.proof(partition)?;
        let inputs = guarded(|| with_shape!(self.size(), Tree => self.statement.scalars::<Tree>(partition)));
        inputs.map_err(|message| Error::Crates {
            circuit: CircuitId::new(Self::KIND, self.size()),
            doing: "making public inputs",
            message,
        })
    }

    fn advise(&self, partition: usize, advice: &mut AdviceWriter<'_>) -> Result<(), Error> {
        let (proof, public_inputs) = (self.proof(partition)?, self.public_inputs(partition)?);
        advice::advise(&Geometry::new(self.size()), &public_inputs, proof, advice)
    }

    fn synthesize<CS: ConstraintSystem<Scalar>>(&self, partition: usize, cs: &mut CS) -> Result<(), SynthesisError> {
        let proof = self.proof(partition).map_err(std::io::Error::other)?;
        with_shape!(self.size(), Tree => circuit::synthesize::<Tree, CS>(&self.statement, proof, partition, cs))
    }

    fn synthesize_blank<CS: ConstraintSystem<Scalar>>(size: SectorSize, cs: &mut CS) -> Result<(), SynthesisError> {
        with_shape!(size, Tree => circuit::synthesize_blank::<Tree, CS>(size, cs))
    }

    /// Nobody's number is part of an update's statement, so the sealer does not matter.
    fn claim(&self, _sealed_by: Option<Sealer>) -> Statement {
        self.statement
    }

    fn judge(claim: &Statement, proof: &[u8]) -> Result<Verdict, String> {
        judge::judge(claim, proof)
    }
}
