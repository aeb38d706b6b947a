//! A request that passed every check: the flow from a submission to an assembled proof, whatever its kind.
//!
//! Each kind of proof is one module with one type that implements `Work`; the list of kinds is the enum `Kinds` and the
//! two functions that choose from it, all below.

use bellperson::{ConstraintSystem, SynthesisError};
use blstrs::Scalar;

use crate::error::{Error, RequestError};
use crate::porep::PorepRequest;
use crate::{CircuitId, Priority, ProofKind, SectorSize, Submission};

/// Bytes of one compressed Groth16 proof: A 48, B 96, C 48.
pub const PROOF_BYTES: usize = 192;

/// What a kind of proof is: parse and check → partitions → public inputs and circuits → one result.
pub(crate) trait Work: Sized {
    /// The kind.
    const KIND: ProofKind;

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

    /// Synthesises a partition's circuit with its witness.
    fn synthesize<CS: ConstraintSystem<Scalar>>(&self, partition: usize, cs: &mut CS) -> Result<(), SynthesisError>;

    /// Synthesises the circuit of a size without a witness.
    fn synthesize_blank<CS: ConstraintSystem<Scalar>>(size: SectorSize, cs: &mut CS) -> Result<(), SynthesisError>;

    /// Makes the result of the partitions' proofs: their bytes one after the other, unless a kind has another form.
    fn assemble(&self, proofs: &[[u8; PROOF_BYTES]]) -> Vec<u8> {
        proofs.concat()
    }
}

/// A parsed and checked request, ready to be proved. Plain data: it may be shared between threads.
pub struct Request {
    kind: Kinds,
    priority: Priority,
}

/// The kinds that this version proves.
enum Kinds {
    Porep(PorepRequest),
}

/// Evaluates an expression on whichever kind it is.
macro_rules! on_kind {
    ($kind:expr, $work:ident => $body:expr) => {
        match $kind {
            Kinds::Porep($work) => $body,
        }
    };
}

impl Request {
    /// Reads a submission and checks all of it: form, shape, counts, lengths, that every number is a field element, and
    /// that what it says twice agrees.
    ///
    /// Takes memory in proportion to the payload, never to a number in it.
    ///
    /// # Errors
    /// The first field that is wrong. A request that is well formed but has a wrong hash in it is no error here: its
    /// witness will not satisfy its circuit.
    pub fn parse(submission: &Submission) -> Result<Self, RequestError> {
        let kind = match ProofKind::from_wire(submission.proof_kind) {
            Some(ProofKind::PorepSealCommit) => Kinds::Porep(PorepRequest::parse(submission)?),
            Some(other) => {
                return Err(RequestError::Unsupported {
                    field: "proof_kind".to_owned(),
                    value: format!("{other} ({})", other.wire()),
                    supported: format!("{} ({})", ProofKind::PorepSealCommit, ProofKind::PorepSealCommit.wire()),
                });
            }
            None => {
                return Err(RequestError::Value {
                    field: "proof_kind".to_owned(),
                    value: submission.proof_kind.to_string(),
                    expected: "1 (porep-c2), 2 (snap-update), 3 (window-post) or 4 (winning-post)".to_owned(),
                });
            }
        };
        Ok(Self { kind, priority: submission.priority() })
    }

    /// The kind of proof.
    pub fn kind(&self) -> ProofKind {
        fn of<W: Work>(_: &W) -> ProofKind {
            W::KIND
        }
        on_kind!(&self.kind, work => of(work))
    }

    /// The circuit of every partition.
    pub fn circuit_id(&self) -> CircuitId {
        CircuitId::new(self.kind(), self.sector_size())
    }

    /// The sector size.
    pub fn sector_size(&self) -> SectorSize {
        on_kind!(&self.kind, work => work.size())
    }

    /// How many circuit proofs the result is made of; at least one.
    pub fn partitions(&self) -> usize {
        on_kind!(&self.kind, work => work.partitions())
    }

    /// Bytes of host memory that the parsed vanilla proof takes: what this request holds for as long as it lives.
    pub fn advice_bytes(&self) -> usize {
        on_kind!(&self.kind, work => work.advice_bytes())
    }

    /// The priority that the submission asked for, or that its kind has.
    pub fn priority(&self) -> Priority {
        self.priority
    }

    /// What a PoRep request says, if this is one.
    pub fn porep(&self) -> Option<&PorepRequest> {
        match &self.kind {
            Kinds::Porep(work) => Some(work),
        }
    }

    /// The public inputs of a partition's circuit in its order, without the leading ONE; what a proof is verified
    /// against.
    ///
    /// # Errors
    /// [`Error::Partition`] past the last partition, [`Error::Crates`] if the proof crates fail.
    pub fn public_inputs(&self, partition: usize) -> Result<Vec<Scalar>, Error> {
        on_kind!(&self.kind, work => work.public_inputs(partition))
    }

    /// Synthesises a partition's circuit with its witness, through the proof crates' gadgets.
    ///
    /// Only an error of synthesis comes back: `cs` is asked for nothing, and a witness that satisfies nothing is for it
    /// to find out. After an error `cs` may be half filled.
    ///
    /// # Errors
    /// Those of the gadgets; [`SynthesisError::IoError`] past the last partition and when the proof crates fail or
    /// panic.
    pub fn synthesize<CS: ConstraintSystem<Scalar>>(
        &self,
        partition: usize,
        cs: &mut CS,
    ) -> Result<(), SynthesisError> {
        on_kind!(&self.kind, work => work.synthesize(partition, cs))
    }

    /// Makes the result out of the partitions' proofs, in partition order.
    ///
    /// # Errors
    /// [`Error::ProofCount`] unless there is one proof a partition.
    pub fn assemble(&self, proofs: &[[u8; PROOF_BYTES]]) -> Result<Vec<u8>, Error> {
        let expected = self.partitions();
        if proofs.len() != expected {
            return Err(Error::ProofCount { found: proofs.len(), expected });
        }
        Ok(on_kind!(&self.kind, work => work.assemble(proofs)))
    }
}

/// Synthesises a circuit without a witness: what to record a circuit or generate parameters from.
///
/// # Errors
/// [`SynthesisError::IoError`] around [`Error::UnsupportedCircuit`] for kinds that this version cannot build, and when
/// the proof crates fail or panic.
pub fn synthesize_blank<CS: ConstraintSystem<Scalar>>(id: CircuitId, cs: &mut CS) -> Result<(), SynthesisError> {
    match id.kind {
        ProofKind::PorepSealCommit => PorepRequest::synthesize_blank(id.size, cs),
        ProofKind::SnapDealsUpdate | ProofKind::WindowPostPartition | ProofKind::WinningPost => {
            let error = Error::UnsupportedCircuit { circuit: id };
            Err(std::io::Error::new(std::io::ErrorKind::Unsupported, error).into())
        }
    }
}

/// Whether this version can build a circuit.
pub fn is_supported(id: CircuitId) -> bool {
    match id.kind {
        ProofKind::PorepSealCommit => true,
        ProofKind::SnapDealsUpdate | ProofKind::WindowPostPartition | ProofKind::WinningPost => false,
    }
}

/// Names, never contents.
impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request")
            .field("circuit", &self.circuit_id().to_string())
            .field("partitions", &self.partitions())
            .field("priority", &self.priority)
            .finish_non_exhaustive()
    }
}
