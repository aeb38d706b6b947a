//! One partition's way: advice → solved and checked witness → backend → checked proof.

use std::{sync::Arc, time::Instant};

use blstrs::Scalar;
use cuzk_circuit::{Circuit, CircuitError, Filler, Solved as Solution, Unsatisfied, Witness, find_unsatisfied};
use cuzk_filecoin::{
    CircuitId, PROOF_BYTES, ProofKind, Request, RequestError, Submission, constraint_path, synthesize_blank,
};
use cuzk_memory::Ledger;
use cuzk_prover::{Backend, Pending, Proof, ProvingKey};
use rayon::ThreadPool;

use crate::{
    Config, JobStage, Randomness, Readiness, SubmitError, WitnessSource,
    classes::WAITING,
    keys::{KeyFiles, Keys},
    outcome::Timings,
    residency::Pin,
    work::{Partition, Prepare, Proved, Solved, Started, Stop, Work},
};

/// What turns submissions into real work: everything that partitions share.
pub(crate) struct Filecoin {
    ledger: Ledger,
    files: KeyFiles,
    keys: Arc<Keys>,
    pool: Arc<ThreadPool>,
    backends: Vec<Arc<dyn Backend>>,
    randomness: Arc<dyn Randomness>,
    witness: WitnessSource,
}

impl Filecoin {
    pub(crate) fn new(
        config: &Config,
        ledger: Ledger,
        files: KeyFiles,
        keys: Arc<Keys>,
        pool: Arc<ThreadPool>,
    ) -> Self {
        Self {
            ledger,
            files,
            keys,
            pool,
            backends: config.backends.clone(),
            randomness: config.randomness.clone(),
            witness: config.witness,
        }
    }
}

/// Prepares real work; the `Arc` is what the work keeps of it.
pub(crate) struct FilecoinPrepare(pub(crate) Arc<Filecoin>);

impl Prepare for FilecoinPrepare {
    fn prepare(&self, submission: Submission) -> Result<Box<dyn Work>, SubmitError> {
        let request = Request::parse(&submission)?;
        let circuit = request.circuit_id();
        if !self.0.keys.knows(circuit) {
            let inputs = request.public_inputs(0).map_err(|error| RequestError::Crates {
                field: request.payload_field().to_owned(),
                message: error.to_string(),
            })?;
            self.0.files.check(circuit, inputs.len())?;
        }
        Ok(Box::new(FilecoinWork { shared: self.0.clone(), request }))
    }

    fn readiness(&self) -> Vec<Readiness> {
        self.0.files.readiness()
    }
}

/// A parsed request.
struct FilecoinWork {
    shared: Arc<Filecoin>,
    request: Request,
}

impl Work for FilecoinWork {
    fn kind(&self) -> ProofKind {
        self.request.kind()
    }

    fn circuit(&self) -> CircuitId {
        self.request.circuit_id()
    }

    fn urgency(&self) -> u8 {
        self.request.priority() as u8
    }

    fn partitions(&self) -> u32 {
        // A request has as many partitions as its vanilla proof is long, which fits in memory.
        u32::try_from(self.request.partitions()).unwrap_or(u32::MAX)
    }

    fn advice_bytes(&self) -> u64 {
        self.request.advice_bytes() as u64
    }

    fn solve(&self, partition: &Partition, timings: &mut Timings) -> Result<Box<dyn Solved>, Stop> {
        let shared = &self.shared;
        let begun = Instant::now();
        let pinned = shared.keys.pin(self.circuit());
        timings.srs_load += begun.elapsed();
        let key = pinned.map_err(|error| Stop::failed(JobStage::Load, error))?;
        partition.check_wanted()?;
        let circuit = key.key().circuit();
        let solution = match shared.witness {
            WitnessSource::Compiled => self.solve_compiled(circuit, partition)?,
            WitnessSource::Gadgets => self.run_gadgets(circuit, partition)?,
        };
        partition.check_wanted()?;
        let public_inputs = self.check_inputs(partition, &solution)?;
        Ok(Box::new(SolvedPartition { shared: shared.clone(), key, solution, public_inputs }))
    }

    fn assemble(&self, proofs: Vec<Vec<u8>>) -> Result<Vec<u8>, Stop> {
        let failed = |message: String| Stop::failed(JobStage::Assemble, message);
        let proofs: Result<Vec<[u8; PROOF_BYTES]>, _> = proofs.into_iter().map(TryInto::try_into).collect();
        let proofs = proofs.map_err(|proof: Vec<u8>| failed(format!("a proof of {} bytes", proof.len())))?;
        self.request.assemble(&proofs).map_err(|error| failed(error.to_string()))
    }
}

impl FilecoinWork {
    /// Solves the compiled circuit from what the vanilla proof holds.
    fn solve_compiled(&self, circuit: &Circuit, partition: &Partition) -> Result<Solution, Stop> {
        let shared = &self.shared;
        let advice = self.request.advice(partition.index as usize, circuit);
        let advice = advice.map_err(|error| Stop::failed(JobStage::Solve, error))?;
        let solve = || circuit.solve(advice, &shared.ledger, &partition.scope);
        shared.pool.install(solve).map_err(|error| match error {
            CircuitError::Constraint(Unsatisfied { row }) => self.unsatisfied(circuit, row),
            other => Stop::failed(JobStage::Solve, other),
        })
    }

    /// Runs the gadgets, and holds what they computed against every constraint.
    fn run_gadgets(&self, circuit: &Circuit, partition: &Partition) -> Result<Solution, Stop> {
        let shared = &self.shared;
        let synthesize = |cs: &mut Filler<'_>| self.request.synthesize(partition.index as usize, cs);
        let fill = || Witness::fill(circuit, &shared.ledger, &partition.scope, synthesize);
        // What runs on one thread for long stays out of the pool, whose threads others wait for.
        let filled = if self.request.is_parallel() { shared.pool.install(fill) } else { fill() };
        let witness = filled.map_err(|error| Stop::failed(JobStage::Solve, error))?;
        if shared.pool.install(|| circuit.check(&witness)).is_err() {
            let found = find_unsatisfied(&witness, |cs| synthesize_blank(self.circuit(), cs));
            let (row, path) = found.unwrap_or_else(|| (0, "(it could not be found)".to_owned()));
            return Err(self.broken(row, &path));
        }
        Ok(witness.into())
    }

    /// Holds the witness against the request's public inputs, which come back.
    fn check_inputs(&self, partition: &Partition, solution: &Solution) -> Result<Vec<Scalar>, Stop> {
        let expected = self
            .request
            .public_inputs(partition.index as usize)
            .map_err(|error| Stop::failed(JobStage::Solve, error))?;
        // The first is the constant ONE.
        let found = solution.inputs().get(1..).unwrap_or_default();
        if found != expected {
            let first = found.iter().zip(&expected).position(|(found, expected)| found != expected);
            return Err(Stop::failed(
                JobStage::Solve,
                format!(
                    "the circuit's public inputs are not the request's: {} and {} of them, the first difference at {}; \
                     the vanilla proof belongs to another statement",
                    found.len(),
                    expected.len(),
                    first.unwrap_or_else(|| found.len().min(expected.len())),
                ),
            ));
        }
        Ok(expected)
    }

    /// Names the constraint. Takes a synthesis of the blank circuit, which only a wrong request has to pay for.
    fn unsatisfied(&self, circuit: &Circuit, row: usize) -> Stop {
        let path = constraint_path(self.circuit(), circuit.counts(), row);
        self.broken(row, path.as_deref().unwrap_or("(its path could not be found)"))
    }

    fn broken(&self, row: usize, path: &str) -> Stop {
        Stop::failed(
            JobStage::Solve,
            format!(
                "constraint {row} of {} is not satisfied: {path}; a value of this partition's vanilla proof is wrong \
                 there, make the vanilla proof again",
                self.circuit()
            ),
        )
    }
}

/// A checked witness.
struct SolvedPartition {
    shared: Arc<Filecoin>,
    solution: Solution,
    public_inputs: Vec<Scalar>,
    key: Pin<ProvingKey>,
}

impl Solved for SolvedPartition {
    fn wait(&mut self) {
        self.solution.move_to(&WAITING);
    }

    fn start(self: Box<Self>, backend: usize) -> Result<Box<dyn Started>, Stop> {
        let Self { shared, solution, public_inputs, key } = *self;
        let (r, s) = shared.randomness.blinding();
        let pending = shared.backends[backend]
            .start(key.key(), solution, r, s)
            .map_err(|error| Stop::failed(JobStage::Prove, error))?;
        Ok(Box::new(StartedPartition { shared, pending, public_inputs, key }))
    }
}

/// A proof without its tail.
struct StartedPartition {
    shared: Arc<Filecoin>,
    pending: Box<dyn Pending>,
    public_inputs: Vec<Scalar>,
    key: Pin<ProvingKey>,
}

impl Started for StartedPartition {
    fn finish(self: Box<Self>) -> Result<Box<dyn Proved>, Stop> {
        let Self { shared, pending, public_inputs, key } = *self;
        let proof = pending.finish().map_err(|error| Stop::failed(JobStage::Finish, error))?;
        Ok(Box::new(ProvedPartition { shared, proof, public_inputs, key }))
    }
}

/// A proof that nobody has checked.
struct ProvedPartition {
    shared: Arc<Filecoin>,
    proof: Proof,
    public_inputs: Vec<Scalar>,
    key: Pin<ProvingKey>,
}

impl Proved for ProvedPartition {
    fn verify(self: Box<Self>) -> Result<Vec<u8>, Stop> {
        let Self { shared, proof, public_inputs, key } = *self;
        let vk = key.key().vk();
        let verified = shared.pool.install(|| vk.verify(&proof, &public_inputs));
        verified.map_err(|error| Stop::failed(JobStage::Verify, error))?;
        Ok(proof.to_bytes().to_vec())
    }
}
