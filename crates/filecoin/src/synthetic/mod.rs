//! Valid requests for sectors that nobody sealed.
//!
//! A vanilla proof opens a few thousand nodes of a sector. [`porep`] makes just those, in trees that are sparse or
//! periodic everywhere else: the output of the first commit phase for a sector of any published size, in about a
//! second, with no sector and no parent cache on disk. What comes out satisfies the circuit and the chain's verifier
//! exactly as a sealed sector's output does; it only stores nothing worth having.
//!
//! This works for interactive PoRep, whose challenges follow from the replica id and the chain's seed. In Synthetic
//! PoRep (the protocol variant, unrelated to this module's name) and in non-interactive PoRep they also depend on the
//! replica's commitment, which here is known only once the challenges are.
//!
//! The challenges of a SnapDeals update depend on the new replica's commitment too, but its data go into the replica by
//! one multiplication instead of eleven layers of labels. So [`snap`] makes a whole sector, and a periodic one.

mod data_tree;
mod error;
mod labels;
mod periodic_tree;
mod porep;
mod post;
mod snap;
mod sparse_tree;
#[cfg(test)]
mod tests;
mod tree_shape;
mod wrapped;

pub use error::GenerateError;
pub use post::{window_post, winning_post};
pub use snap::SnapVanilla;
pub use wrapped::wrap;

use crate::{
    CircuitId, ProofKind, SectorSize, Submission,
    prover_id::prover_id,
    registered::{interactive_seal_proof, update_proof, update_proof_wire, window_post_proof},
    shape::with_shape,
};
use filecoin_hashers::{Domain, HashFunction, Hasher};
use filecoin_proofs::constants::{
    DRG_DEGREE, EXP_DEGREE, SectorShape2KiB, SectorShape8MiB, SectorShape32GiB, SectorShape64GiB, SectorShape512MiB,
};
use filecoin_proofs_api::{
    RegisteredSealProof,
    seal::{SealCommitPhase1Output, VanillaSealProof},
};

/// Parents of a challenged node: those in its own layer and the expander's.
const CHALLENGE_PARENTS: usize = DRG_DEGREE + EXP_DEGREE;

/// The output of the first commit phase for a synthetic sector, checked by the proof crates' own vanilla verifier.
///
/// `miner_id` and `sector_number` go into the replica id, so that the finished proof verifies for this miner and
/// sector. The same arguments always give the same output; another `seed` gives other data, labels, ticket and
/// interactive randomness.
///
/// # Errors
/// [`GenerateError::NotInteractive`] for a proof type other than interactive PoRep, [`GenerateError::Crates`] when the
/// proof crates fail, [`GenerateError::Rejected`] when their verifier does not accept the result.
pub fn porep(
    registered_proof: RegisteredSealProof,
    miner_id: u64,
    sector_number: u64,
    seed: u64,
) -> Result<SealCommitPhase1Output, GenerateError> {
    use RegisteredSealProof as Proof;
    let sector = porep::Sector { registered_proof, prover_id: prover_id(miner_id), sector_number, seed };
    match registered_proof {
        Proof::StackedDrg2KiBV1 | Proof::StackedDrg2KiBV1_1 => {
            sector.commit_phase1::<SectorShape2KiB>(VanillaSealProof::StackedDrg2KiBV1)
        }
        Proof::StackedDrg8MiBV1 | Proof::StackedDrg8MiBV1_1 => {
            sector.commit_phase1::<SectorShape8MiB>(VanillaSealProof::StackedDrg8MiBV1)
        }
        Proof::StackedDrg512MiBV1 | Proof::StackedDrg512MiBV1_1 => {
            sector.commit_phase1::<SectorShape512MiB>(VanillaSealProof::StackedDrg512MiBV1)
        }
        Proof::StackedDrg32GiBV1 | Proof::StackedDrg32GiBV1_1 => {
            sector.commit_phase1::<SectorShape32GiB>(VanillaSealProof::StackedDrg32GiBV1)
        }
        Proof::StackedDrg64GiBV1 | Proof::StackedDrg64GiBV1_1 => {
            sector.commit_phase1::<SectorShape64GiB>(VanillaSealProof::StackedDrg64GiBV1)
        }
        _ => Err(GenerateError::NotInteractive { registered_proof }),
    }
}

/// The vanilla proofs of a synthetic sector's update, checked by the proof crates' own vanilla verifier.
///
/// Equal arguments give equal output; another `seed` gives other data and another replica. Nothing in an update names
/// miner or sector.
///
/// # Errors
/// [`GenerateError::Crates`] when the proof crates fail, [`GenerateError::Rejected`] when their verifier does not accept
/// the result.
pub fn snap(size: SectorSize, seed: u64) -> Result<SnapVanilla, GenerateError> {
    with_shape!(size, Tree => snap::update::<Tree>(size, seed))
}

/// [`snap`] as a request of a miner for a sector, the way that storage providers send it.
///
/// # Errors
/// Those of [`snap`].
pub fn snap_submission(
    size: SectorSize,
    miner_id: u64,
    sector_number: u64,
    seed: u64,
) -> Result<Submission, GenerateError> {
    let vanilla = snap(size, seed)?;
    Ok(Submission {
        request_id: format!("snap-{miner_id}-{sector_number}"),
        proof_kind: ProofKind::SnapDealsUpdate.wire(),
        sector_size: size.bytes(),
        registered_proof: update_proof_wire(update_proof(size)),
        miner_id,
        sector_number,
        comm_r_old: vanilla.comm_r_old.to_vec(),
        comm_r_new: vanilla.comm_r_new.to_vec(),
        comm_d_new: vanilla.comm_d_new.to_vec(),
        vanilla_proofs: vanilla.partition_proofs,
        ..Submission::default()
    })
}

/// A request for a whole circuit: PoRep is interactive, and a WindowPoSt has as many sectors as its partition holds, from
/// `sector_number` on.
///
/// # Errors
/// Those of [`porep`], [`snap`], [`window_post`] and [`winning_post`].
pub fn submission(
    circuit: CircuitId,
    miner_id: u64,
    sector_number: u64,
    seed: u64,
) -> Result<Submission, GenerateError> {
    let CircuitId { kind, size } = circuit;
    match kind {
        ProofKind::PorepSealCommit => {
            let output = porep(interactive_seal_proof(size), miner_id, sector_number, seed)?;
            let payload = wrap(&output, sector_number, size.bytes())?;
            Ok(Submission { miner_id, sector_number, ..Submission::porep(payload) })
        }
        ProofKind::SnapDealsUpdate => snap_submission(size, miner_id, sector_number, seed),
        ProofKind::WindowPostPartition => {
            let proof = window_post_proof(size);
            let sectors: Vec<u64> = (sector_number..).take(proof.sector_count()).collect();
            window_post(proof, miner_id, 0, &sectors, seed)
        }
        ProofKind::WinningPost => winning_post(size, miner_id, sector_number, seed),
    }
}

/// The node over `children`, which stand `height` rows above the leaves.
fn tree_hash<H: Hasher>(children: &[H::Domain], height: usize) -> H::Domain {
    // A bound of its own brings the hash's methods into scope.
    fn hash<D: Domain, F: HashFunction<D>>(children: &[D], height: usize) -> D {
        F::default().multi_node(children, height)
    }
    hash::<H::Domain, H::Function>(children, height)
}
