//! WindowPoSt and WinningPoSt: proofs that sectors are still there.
//!
//! Owns what a PoSt payload looks like, what makes one valid, and the circuit and public inputs of its one partition, at
//! all five sector sizes. Both kinds are the same circuit, the fallback PoSt: a number of sectors, each with a number of
//! inclusion paths in its TreeR. A WindowPoSt has up to 2,349 sectors of 10 paths each; a WinningPoSt has one, which
//! stands 66 times in the circuit with one path each.

mod advice;
mod agreement;
mod check;
mod circuit;
mod geometry;
mod inputs;
mod judge;
mod payload;

use bellperson::{ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use cuzk_circuit::AdviceWriter;
use filecoin_proofs_api::RegisteredPoStProof;

use crate::error::{Error, RequestError};
use crate::judge::{Sealer, Verdict};
use crate::merkle::HeapBytes;
use crate::shape::with_shape;
use crate::work::Work;
use crate::{ProofKind, SectorSize, Submission, registered};

use agreement::Agreement;
use geometry::Geometry;
use inputs::Statement;
use judge::PostClaim;
use payload::Sector;

/// A PoSt request that passed every check.
pub struct PostRequest {
    size: SectorSize,
    geometry: Geometry,
    statement: Statement,
    /// Ascending by id, as the chain's verifier has them.
    sectors: Vec<Sector>,
    miner_id: u64,
}

impl PostRequest {
    /// The PoSt proof.
    pub fn registered_proof(&self) -> RegisteredPoStProof {
        self.statement.registered_proof
    }

    /// The chain's randomness, as the circuit takes it: the two top bits are clear.
    pub fn randomness(&self) -> &[u8; 32] {
        &self.statement.randomness
    }

    /// The numbers of the sectors, ascending.
    pub fn sector_ids(&self) -> impl Iterator<Item = u64> {
        self.statement.sectors.iter().map(|sector| sector.id)
    }

    /// The miner's number.
    pub fn miner_id(&self) -> u64 {
        self.miner_id
    }

    fn parse(kind: ProofKind, submission: &Submission) -> Result<Self, RequestError> {
        let Agreement { registered_proof, size, partition_index } = Agreement::of(kind, submission)?;
        let geometry = Geometry::new(registered_proof, size)
            .map_err(|message| RequestError::Crates { field: "registered_proof".to_owned(), message })?;
        let randomness = inputs::randomness(&submission.randomness)?;
        let read = payload::read(registered_proof, &submission.vanilla_proofs, &geometry)?;
        let statement = Statement {
            registered_proof,
            randomness,
            partition_index,
            sectors: read.iter().map(|(_, sector)| sector.public()).collect(),
        };
        check::sectors(&statement, &geometry, &read)?;
        agreement::sector_number(kind, submission, &statement)?;
        let sectors = read.into_iter().map(|(_, sector)| sector).collect();
        Ok(Self { size, geometry, statement, sectors, miner_id: submission.miner_id })
    }

    fn only(partition: usize) -> Result<(), Error> {
        if partition == 0 { Ok(()) } else { Err(Error::Partition { partition, partitions: 1 }) }
    }

    fn public_inputs(&self, partition: usize) -> Result<Vec<Scalar>, Error> {
        Self::only(partition)?;
        Ok(self.statement.scalars(&self.geometry))
    }

    fn advise(&self, partition: usize, advice: &mut AdviceWriter<'_>) -> Result<(), Error> {
        Self::only(partition)?;
        advice::advise(&self.geometry, &self.sectors, advice)
    }

    fn synthesize<CS: ConstraintSystem<Scalar>>(&self, partition: usize, cs: &mut CS) -> Result<(), SynthesisError> {
        Self::only(partition).map_err(std::io::Error::other)?;
        with_shape!(self.size, Tree => circuit::synthesize::<Tree, CS>(&self.geometry, &self.sectors, cs))
    }

    fn claim(&self) -> PostClaim {
        PostClaim { statement: self.statement.clone(), miner_id: self.miner_id }
    }
}

fn geometry(proof: RegisteredPoStProof, size: SectorSize) -> Result<Geometry, SynthesisError> {
    Ok(Geometry::new(proof, size).map_err(std::io::Error::other)?)
}

fn synthesize_blank<CS: ConstraintSystem<Scalar>>(
    geometry: &Geometry,
    size: SectorSize,
    sectors: usize,
    cs: &mut CS,
) -> Result<(), SynthesisError> {
    with_shape!(size, Tree => circuit::synthesize_blank::<Tree, CS>(geometry, sectors, cs))
}

/// The two kinds differ in their numbers only.
macro_rules! post_kind {
    ($(#[$doc:meta])* $name:ident, $kind:expr, $usual:path) => {
        $(#[$doc])*
        pub(crate) struct $name(pub(crate) PostRequest);

        impl Work for $name {
            const KIND: ProofKind = $kind;
            const LISTED: bool = true;
            // The sectors stand in an outer namespace.
            const DEPTH: usize = 1;
            type Claim = PostClaim;

            fn parse(submission: &Submission) -> Result<Self, RequestError> {
                PostRequest::parse(Self::KIND, submission).map(Self)
            }

            fn size(&self) -> SectorSize {
                self.0.size
            }

            fn partitions(&self) -> usize {
                1
            }

            fn advice_bytes(&self) -> usize {
                self.0.sectors.heap_bytes()
            }

            fn public_inputs(&self, partition: usize) -> Result<Vec<Scalar>, Error> {
                self.0.public_inputs(partition)
            }

            fn advise(&self, partition: usize, advice: &mut AdviceWriter<'_>) -> Result<(), Error> {
                self.0.advise(partition, advice)
            }

            fn is_parallel(&self) -> bool {
                true
            }

            fn synthesize<CS: ConstraintSystem<Scalar>>(
                &self,
                partition: usize,
                cs: &mut CS,
            ) -> Result<(), SynthesisError> {
                self.0.synthesize(partition, cs)
            }

            fn synthesize_blank<CS: ConstraintSystem<Scalar>>(
                size: SectorSize,
                cs: &mut CS,
            ) -> Result<(), SynthesisError> {
                let geometry = geometry($usual(size), size)?;
                synthesize_blank(&geometry, size, geometry.circuit_sectors, cs)
            }

            fn instances(size: SectorSize) -> Result<Option<usize>, SynthesisError> {
                Ok(Some(geometry($usual(size), size)?.circuit_sectors))
            }

            fn synthesize_sample<CS: ConstraintSystem<Scalar>>(
                size: SectorSize,
                instances: usize,
                cs: &mut CS,
            ) -> Result<(), SynthesisError> {
                synthesize_blank(&geometry($usual(size), size)?, size, instances, cs)
            }

            fn claim(&self, _: Option<Sealer>) -> PostClaim {
                self.0.claim()
            }

            fn judge(claim: &PostClaim, proof: &[u8]) -> Result<Verdict, String> {
                judge::judge(claim, proof)
            }
        }
    };
}

post_kind! {
    /// One partition of a WindowPoSt deadline.
    WindowPost, ProofKind::WindowPostPartition, registered::window_post_proof
}
post_kind! {
    /// A WinningPoSt.
    WinningPost, ProofKind::WinningPost, registered::winning_post_proof
}
