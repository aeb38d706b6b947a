//! A request that passed every check: the flow from a submission to an assembled proof, whatever its kind.

use bellperson::{ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use cuzk_circuit::{Advice, Circuit};

use crate::error::{Error, RequestError};
use crate::kinds::{Kinds, with_kind, with_kind_type};
use crate::porep::PorepRequest;
use crate::post::{PostRequest, WindowPost, WinningPost};
use crate::snap::SnapRequest;
use crate::work::Work;
use crate::{CircuitId, Priority, ProofKind, SectorSize, Submission};

/// Bytes of one compressed Groth16 proof: A 48, B 96, C 48.
pub const PROOF_BYTES: usize = 192;

/// A parsed and checked request, ready to be proved. Plain data: it may be shared between threads.
pub struct Request {
    kind: Kinds,
    priority: Priority,
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
        let kind = submission.kind().ok_or_else(|| RequestError::Value {
            field: "proof_kind".to_owned(),
            value: submission.proof_kind.to_string(),
            expected: "1 (porep-c2), 2 (snap-update), 3 (window-post) or 4 (winning-post)".to_owned(),
        })?;
        let kind = with_kind_type!(kind, Kind, wrap => {
            refuse_other_payload(submission, kind, Kind::LISTED)?;
            wrap(Kind::parse(submission)?)
        });
        Ok(Self { kind, priority: submission.priority() })
    }

    /// The kind of proof.
    pub fn kind(&self) -> ProofKind {
        fn of<W: Work>(_: &W) -> ProofKind {
            W::KIND
        }
        with_kind!(&self.kind, work => of(work))
    }

    /// The circuit of every partition.
    pub fn circuit_id(&self) -> CircuitId {
        CircuitId::new(self.kind(), self.sector_size())
    }

    /// The sector size.
    pub fn sector_size(&self) -> SectorSize {
        with_kind!(&self.kind, work => work.size())
    }

    /// How many circuit proofs the result is made of; at least one.
    pub fn partitions(&self) -> usize {
        with_kind!(&self.kind, work => work.partitions())
    }

    /// Bytes of host memory that the parsed vanilla proof takes: what this request holds for as long as it lives.
    pub fn advice_bytes(&self) -> usize {
        with_kind!(&self.kind, work => work.advice_bytes())
    }

    /// The field that this kind has its payload in.
    pub fn payload_field(&self) -> &'static str {
        fn of<W: Work>(_: &W) -> &'static str {
            payload_field(W::LISTED)
        }
        with_kind!(&self.kind, work => of(work))
    }

    /// The priority that the submission asked for, or that its kind has.
    pub fn priority(&self) -> Priority {
        self.priority
    }

    /// The request by its kind.
    pub(crate) fn kinds(&self) -> &Kinds {
        &self.kind
    }

    /// What a PoRep request says, if this is one.
    pub fn porep(&self) -> Option<&PorepRequest> {
        match &self.kind {
            Kinds::Porep(work) => Some(work),
            _ => None,
        }
    }

    /// What a SnapDeals request says, if this is one.
    pub fn snap(&self) -> Option<&SnapRequest> {
        match &self.kind {
            Kinds::Snap(work) => Some(work),
            _ => None,
        }
    }

    /// The public inputs of a partition's circuit in its order, without the leading ONE; what a proof is verified
    /// against.
    ///
    /// # Errors
    /// [`Error::Partition`] past the last partition, [`Error::Crates`] if the proof crates fail.
    pub fn public_inputs(&self, partition: usize) -> Result<Vec<Scalar>, Error> {
        with_kind!(&self.kind, work => work.public_inputs(partition))
    }

    /// What a partition's witness is solved from in the circuit compiled from this request's
    /// [`circuit_id`](Self::circuit_id): the values of the vanilla proof that the circuit takes, in its order. No gadget
    /// runs for it.
    ///
    /// # Errors
    /// [`Error::Partition`] past the last partition, [`Error::Unfit`] when the circuit takes other values.
    pub fn advice(&self, partition: usize, circuit: &Circuit) -> Result<Advice, Error> {
        let mut advice = Advice::writer(circuit);
        with_kind!(&self.kind, work => work.advise(partition, &mut advice))?;
        Ok(advice.finish()?)
    }

    /// The PoSt request, if this is one.
    pub fn post(&self) -> Option<&PostRequest> {
        match &self.kind {
            Kinds::WindowPost(WindowPost(post)) | Kinds::WinningPost(WinningPost(post)) => Some(post),
            _ => None,
        }
    }

    /// Whether [`synthesize`](Self::synthesize) shares its work among the threads of the current rayon pool: a PoSt's
    /// sectors, if the constraint system can be extended.
    pub fn is_parallel(&self) -> bool {
        with_kind!(&self.kind, work => work.is_parallel())
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
        with_kind!(&self.kind, work => work.synthesize(partition, cs))
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
        Ok(with_kind!(&self.kind, work => work.assemble(proofs)))
    }
}

fn payload_field(listed: bool) -> &'static str {
    if listed { "vanilla_proofs" } else { "vanilla_proof" }
}

/// Refuses a payload where this kind has none: it would be ignored, while its sender thinks that it is proved.
fn refuse_other_payload(submission: &Submission, kind: ProofKind, listed: bool) -> Result<(), RequestError> {
    let (empty, found) = match listed {
        true => (submission.vanilla_proof.is_empty(), format!("a payload of {} bytes", submission.vanilla_proof.len())),
        false => (submission.vanilla_proofs.is_empty(), format!("a list of {}", submission.vanilla_proofs.len())),
    };
    if empty {
        return Ok(());
    }
    Err(RequestError::Value {
        field: payload_field(!listed).to_owned(),
        value: found,
        expected: format!("nothing: {kind} has its payload in {}", payload_field(listed)),
    })
}

/// Synthesises a circuit without a witness: what to record a circuit or generate parameters from.
///
/// # Errors
/// Those of the gadgets; [`SynthesisError::IoError`] when the proof crates fail or panic.
pub fn synthesize_blank<CS: ConstraintSystem<Scalar>>(id: CircuitId, cs: &mut CS) -> Result<(), SynthesisError> {
    with_kind_type!(id.kind, Kind, _wrap => Kind::synthesize_blank(id.size, cs))
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
