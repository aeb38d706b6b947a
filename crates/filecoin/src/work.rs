//! What a kind of proof is.

use bellperson::{ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use cuzk_circuit::AdviceWriter;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, RequestError};
use crate::judge::{Sealer, Verdict};
use crate::request::PROOF_BYTES;
use crate::{ProofKind, SectorSize, Submission};

/// A kind of proof: parse and check → partitions → public inputs and circuits → one result → its final verification.
///
/// Each kind is one module with one type that implements this, and one entry in [`kinds`](crate::kinds).
pub(crate) trait Work: Sized {
    /// The kind.
    const KIND: ProofKind;

    /// Whether the payload is a list in field 11 (`vanilla_proofs`) rather than one value in field 10 (`vanilla_proof`).
    const LISTED: bool;

    /// How many namespaces stand around those that repeat in the circuit.
    const DEPTH: usize = 0;

    /// What the chain's verifier is told.
    type Claim: Serialize + DeserializeOwned;

    /// Reads and checks a submission of this kind. What comes back can be proved, unless one of its hashes is wrong.
    fn parse(submission: &Submission) -> Result<Self, RequestError>;

    /// The sector size.
    fn size(&self) -> SectorSize;

    /// How many circuit proofs make the result; at least one.
    fn partitions(&self) -> usize;

    /// Host memory of what witnesses are made from: the parsed vanilla proof.
    fn advice_bytes(&self) -> usize;

    /// The public inputs of a partition's circuit, without the leading ONE.
    fn public_inputs(&self, partition: usize) -> Result<Vec<Scalar>, Error>;

    /// Writes the advice of a partition's circuit: the values that [`synthesize`](Self::synthesize) would take from the
    /// vanilla proof, in the order in which the gadgets allocate them.
    fn advise(&self, partition: usize, advice: &mut AdviceWriter<'_>) -> Result<(), Error>;

    /// Whether [`synthesize`](Self::synthesize) works on the current rayon pool.
    fn is_parallel(&self) -> bool {
        false
    }

    /// Synthesises a partition's circuit with its witness.
    fn synthesize<CS: ConstraintSystem<Scalar>>(&self, partition: usize, cs: &mut CS) -> Result<(), SynthesisError>;

    /// Synthesises the circuit of a size without a witness.
    fn synthesize_blank<CS: ConstraintSystem<Scalar>>(size: SectorSize, cs: &mut CS) -> Result<(), SynthesisError>;

    /// How many equal, independent parts the circuit of a size consists of, if it consists of nothing else.
    fn instances(_size: SectorSize) -> Result<Option<usize>, SynthesisError> {
        Ok(None)
    }

    /// Synthesises the circuit of a size without a witness and with fewer parts than [`instances`](Self::instances) says.
    fn synthesize_sample<CS: ConstraintSystem<Scalar>>(
        size: SectorSize,
        _instances: usize,
        cs: &mut CS,
    ) -> Result<(), SynthesisError> {
        Self::synthesize_blank(size, cs)
    }

    /// Makes the result of the partitions' proofs: their bytes one after the other, unless a kind has another form.
    fn assemble(&self, proofs: &[[u8; PROOF_BYTES]]) -> Vec<u8> {
        proofs.concat()
    }

    /// What this request claims, for a verifier; `sealed_by` where the caller knows more than the request says.
    fn claim(&self, sealed_by: Option<Sealer>) -> Self::Claim;

    /// The chain's own verification of a result. Runs in a judging process (see [`judge`](crate::judge)); an error says
    /// that no judgement was possible, not that the proof is wrong.
    fn judge(claim: &Self::Claim, proof: &[u8]) -> Result<Verdict, String>;
}
