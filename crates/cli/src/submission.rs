//! Requests in files.

use anyhow::Context;
use cuzk_filecoin::{Request, Submission, judge::Sealer};
use cuzk_proto::v1::SubmitProofRequest;
use cuzk_server::{from_wire, to_wire};
use prost::Message;

use crate::{args::RequestArgs, files};

/// Reads a request: the bytes of a `SubmitProofRequest`, or a C1 output in JSON.
pub(crate) fn read(args: &RequestArgs) -> anyhow::Result<Submission> {
    let bytes = files::read(&args.request)?;
    let mut submission = match SubmitProofRequest::decode(bytes.as_slice()) {
        _ if bytes.first() == Some(&b'{') => Submission::porep(bytes),
        Ok(request) => from_wire(request),
        // JSON may begin with white space, which is no protobuf by the first key at the latest.
        Err(_) if bytes.trim_ascii_start().first() == Some(&b'{') => Submission::porep(bytes),
        Err(error) => {
            let file = args.request.display();
            return Err(error)
                .with_context(|| format!("{file} is neither a request message nor the JSON of a C1 output"));
        }
    };
    submission.miner_id = args.miner.unwrap_or(submission.miner_id);
    submission.sector_number = args.sector.unwrap_or(submission.sector_number);
    Ok(submission)
}

/// The bytes of a request file.
pub(crate) fn encode(submission: Submission) -> Vec<u8> {
    to_wire(submission).encode_to_vec()
}

/// Who sealed the sector of a request, where arguments or request say so. In a request 0 says nothing.
pub(crate) fn sealer(args: &RequestArgs, submission: &Submission) -> Option<Sealer> {
    let given = |number: u64| (number != 0).then_some(number);
    let miner_id = args.miner.or(given(submission.miner_id))?;
    let sector_number = args.sector.or(given(submission.sector_number))?;
    Some(Sealer { miner_id, sector_number })
}

/// Where miner and sector are given, holds a PoRep's replica id against theirs: parsing does that too, but takes a sector
/// of number 0 for none.
pub(crate) fn check_owner(request: &Request, sealer: Option<Sealer>) -> anyhow::Result<()> {
    let (Some(Sealer { miner_id, sector_number }), Some(porep)) = (sealer, request.porep()) else {
        return Ok(());
    };
    let expected = porep.replica_id_of(miner_id, sector_number);
    anyhow::ensure!(
        expected == *porep.replica_id(),
        "the C1 output is of another sector: its replica id is {}, that of miner {miner_id} and sector {sector_number} is {}",
        hex(porep.replica_id()),
        hex(&expected),
    );
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
