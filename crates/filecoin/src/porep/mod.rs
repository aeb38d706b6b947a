//! PoRep C2: the proof that a sector was sealed.
//!
//! Owns what a PoRep payload looks like, what makes one valid, and the circuit and public inputs of its partitions, at
//! all five sector sizes. Interactive, Synthetic and non-interactive PoRep have the same circuits; what differs is which
//! nodes they challenge and how many (see [`SealFeature`](crate::registered::SealFeature)).

mod advice;
mod agreement;
mod check;
mod circuit;
mod expected;
mod geometry;
mod inputs;
mod judge;
mod output;
mod payload;

use bellperson::{ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use cuzk_circuit::AdviceWriter;
use filecoin_proofs_api::RegisteredSealProof;

use crate::error::{Error, RequestError};
use crate::field_path::FieldPath;
use crate::guard::guarded;
use crate::judge::{Sealer, Verdict};
use crate::merkle::{HeapBytes, Node, canonical, count, refuse_zero};
use crate::registered::SealFeature;
use crate::shape::with_shape;
use crate::work::Work;
use crate::{CircuitId, ProofKind, SectorSize, Submission, registered};

use agreement::Agreement;
use check::{Checker, Roots};
use expected::Expected;
use geometry::Geometry;
use inputs::Statement;
use judge::PorepClaim;
use output::ChallengeProof;
use payload::Payload;

/// A PoRep C2 request that passed every check.
pub struct PorepRequest {
    size: SectorSize,
    statement: Statement,
    ticket: Node,
    partitions: Vec<Vec<ChallengeProof>>,
    miner_id: Option<u64>,
    sector_number: Option<u64>,
}

impl PorepRequest {
    /// The seal proof, as the payload states it.
    pub fn registered_proof(&self) -> RegisteredSealProof {
        self.statement.registered_proof
    }

    /// The commitment to the replica and its label columns: a field element, little-endian.
    pub fn comm_r(&self) -> &[u8; 32] {
        &self.statement.comm_r
    }

    /// The commitment to the sector's data: a field element, little-endian.
    pub fn comm_d(&self) -> &[u8; 32] {
        &self.statement.comm_d
    }

    /// The replica id: a field element, little-endian.
    pub fn replica_id(&self) -> &[u8; 32] {
        &self.statement.replica_id
    }

    /// The chain's randomness that the challenges follow from; without meaning in non-interactive PoRep.
    pub fn seed(&self) -> &[u8; 32] {
        &self.statement.seed
    }

    /// The chain's randomness that went into the replica id.
    pub fn ticket(&self) -> &[u8; 32] {
        &self.ticket
    }

    /// The miner, where the request names one (0 is taken for none).
    pub fn miner_id(&self) -> Option<u64> {
        self.miner_id
    }

    /// The sector's number, where request or wrapper name one (0 is taken for none).
    pub fn sector_number(&self) -> Option<u64> {
        self.sector_number
    }

    /// The replica id that this sector has if it was sealed by that miner under that number. A request that names both is
    /// held against it when it is parsed.
    pub fn replica_id_of(&self, miner_id: u64, sector_number: u64) -> [u8; 32] {
        self.statement.replica_id_of(miner_id, sector_number, &self.ticket)
    }

    fn proofs(&self, partition: usize) -> Result<&[ChallengeProof], Error> {
        let partitions = self.partitions.len();
        self.partitions.get(partition).map(Vec::as_slice).ok_or(Error::Partition { partition, partitions })
    }
}

impl Work for PorepRequest {
    const KIND: ProofKind = ProofKind::PorepSealCommit;
    const LISTED: bool = false;
    type Claim = PorepClaim;

    fn parse(submission: &Submission) -> Result<Self, RequestError> {
        let payload = Payload::read(&submission.vanilla_proof)?;
        let agreed = Agreement::of(submission, &payload)?;
        let root = payload.root();
        let output = payload.output;
        let statement = Statement {
            registered_proof: output.registered_proof,
            comm_r: output.comm_r,
            comm_d: output.comm_d,
            replica_id: output.replica_id,
            seed: output.seed,
        };
        canonical(&statement.replica_id, &root.field("replica_id"))?;
        for (name, commitment) in [("comm_r", &statement.comm_r), ("comm_d", &statement.comm_d)] {
            canonical(commitment, &root.field(name))?;
            refuse_zero(commitment, &root.field(name))?;
        }
        agreed.with_replica_id(&statement, &output.ticket, &root)?;
        let partitions = output.vanilla_proofs.into_partitions();
        check_partitions(&statement, agreed.size, &partitions, &root)?;
        Ok(Self {
            size: agreed.size,
            statement,
            ticket: output.ticket,
            partitions,
            miner_id: agreed.miner_id,
            sector_number: agreed.sector_number,
        })
    }

    fn size(&self) -> SectorSize {
        self.size
    }

    fn partitions(&self) -> usize {
        self.partitions.len()
    }

    fn advice_bytes(&self) -> usize {
        self.partitions.heap_bytes()
    }

    fn public_inputs(&self, partition: usize) -> Result<Vec<Scalar>, Error> {
        self.proofs(partition)?;
        let inputs = guarded(|| with_shape!(self.size, Tree => self.statement.scalars::<Tree>(partition)));
        inputs.map_err(|message| Error::Crates {
            circuit: CircuitId::new(Self::KIND, self.size),
            doing: "making public inputs",
            message,
        })
    }

    fn advise(&self, partition: usize, advice: &mut AdviceWriter<'_>) -> Result<(), Error> {
        advice::advise(&self.statement, self.proofs(partition)?, advice)
    }

    fn synthesize<CS: ConstraintSystem<Scalar>>(&self, partition: usize, cs: &mut CS) -> Result<(), SynthesisError> {
        let proofs = self.proofs(partition).map_err(std::io::Error::other)?;
        with_shape!(self.size, Tree => circuit::synthesize::<Tree, CS>(&self.statement, proofs, partition, cs))
    }

    fn synthesize_blank<CS: ConstraintSystem<Scalar>>(size: SectorSize, cs: &mut CS) -> Result<(), SynthesisError> {
        let proof = registered::interactive_seal_proof(size);
        with_shape!(size, Tree => circuit::synthesize_blank::<Tree, CS>(proof, cs))
    }

    fn claim(&self, sealed_by: Option<Sealer>) -> PorepClaim {
        PorepClaim { statement: self.statement, ticket: self.ticket, sealed_by }
    }

    fn judge(claim: &PorepClaim, proof: &[u8]) -> Result<Verdict, String> {
        judge::judge(claim, proof)
    }
}

/// Checks the vanilla proofs of all partitions against what the statement challenges.
fn check_partitions(
    statement: &Statement,
    size: SectorSize,
    partitions: &[Vec<ChallengeProof>],
    root: &FieldPath<'_>,
) -> Result<(), RequestError> {
    let at = root.field("vanilla_proofs");
    let refused = |message| RequestError::Crates { field: at.to_string(), message };
    let geometry = Geometry::new(statement.registered_proof, size).map_err(refused)?;
    let expected = Expected::new(statement.registered_proof).map_err(refused)?;

    count(&at, "partitions", partitions.len(), geometry.partitions)?;
    for (k, proofs) in partitions.iter().enumerate() {
        count(&at.index(k), "challenges", proofs.len(), geometry.challenges)?;
    }
    let Some(first) = partitions.first().and_then(|proofs| proofs.first()) else {
        return Ok(());
    };
    let roots = Roots {
        comm_d: statement.comm_d,
        comm_c: *first.replica_column_proofs.c_x.inclusion_proof.root(),
        comm_r_last: *first.comm_r_last_proof.root(),
    };
    let first_at = at.index(0);
    let checker = Checker {
        geometry: &geometry,
        roots: &roots,
        first: &first_at.index(0),
        comm_d: &root.field("comm_d"),
        feature: SealFeature::of(statement.registered_proof),
    };
    for (k, proofs) in partitions.iter().enumerate() {
        let openings = expected.partition(&statement.public_inputs(Some(k)), k).map_err(refused)?;
        let partition_at = at.index(k);
        for (i, (proof, opening)) in proofs.iter().zip(&openings).enumerate() {
            checker.challenge(proof, opening, &partition_at.index(i))?;
        }
    }
    Ok(())
}
