//! Generates the types and stubs of `cuzk.v1`. The schema is compiled by `protox`, so no system `protoc` is needed.

use std::error::Error;

const SCHEMA: &str = "cuzk/v1/proving.proto";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    let descriptors = protox::compile([SCHEMA], ["proto"])?;
    tonic_prost_build::configure()
        // Payloads are tens of megabytes: as `Bytes` they share the receive buffer instead of being copied out of it.
        .bytes(".cuzk.v1.SubmitProofRequest.vanilla_proof")
        .bytes(".cuzk.v1.SubmitProofRequest.vanilla_proofs")
        .compile_fds(descriptors)?;
    Ok(())
}
