//! Requests from files.

use cuzk_filecoin::{Request, Submission};
use cuzk_proto::v1::SubmitProofRequest;

use crate::{args::C1Args, files};

/// Reads a C1 output into a submission.
pub(crate) fn read(args: &C1Args) -> anyhow::Result<Submission> {
    let mut submission = Submission::porep(files::read(&args.c1)?);
    submission.miner_id = args.miner.unwrap_or(0);
    submission.sector_number = args.sector.unwrap_or(0);
    Ok(submission)
}

/// Where miner and sector are given, holds the C1 output's replica id against theirs: a proof of another sector is of
/// no use to anybody.
pub(crate) fn check_owner(request: &Request, args: &C1Args) -> anyhow::Result<()> {
    let (Some(miner), Some(sector), Some(porep)) = (args.miner, args.sector, request.porep()) else {
        return Ok(());
    };
    let expected = porep.replica_id_of(miner, sector);
    anyhow::ensure!(
        expected == *porep.replica_id(),
        "the C1 output is of another sector: its replica id is {}, that of miner {miner} and sector {sector} is {}",
        hex(porep.replica_id()),
        hex(&expected),
    );
    Ok(())
}

/// The submission as it goes over the wire.
pub(crate) fn to_wire(submission: Submission) -> SubmitProofRequest {
    SubmitProofRequest {
        request_id: submission.request_id,
        proof_kind: submission.proof_kind,
        sector_size: submission.sector_size,
        registered_proof: submission.registered_proof,
        priority: submission.priority,
        vanilla_proof: submission.vanilla_proof.into(),
        sector_number: submission.sector_number,
        miner_id: submission.miner_id,
        ..SubmitProofRequest::default()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
