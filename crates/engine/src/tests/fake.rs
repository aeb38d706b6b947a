//! Work that announces each step and, where the test wants it, waits there for a word.

use std::{
    collections::HashMap,
    sync::{Arc, Condvar, Mutex},
};

use cuzk_filecoin::{CircuitId, ProofKind, RequestError, SectorSize, Submission};
use cuzk_memory::{Class, Entry, Ledger, Place, Stage};

use crate::{
    Engine, JobHandle, JobStage, KeyError, Outcome, OutcomeStatus, Permit, Readiness, Retention, SubmitError,
    classes::{ADVICE, PROOF, REQUEST, WAITING},
    outcome::Timings,
    residency::Residency,
    state::Limits,
    work::{Partition, Prepare, Proved, Solved, Started, Stop, Work},
};

pub(super) static WITNESS: Class = Class::new("witness");
static SOLVING: Stage = Stage::new("solving");

/// Where a step stands: the step, the request's content and the partition.
pub(super) type At = (Step, &'static str, u32);

/// The steps that announce themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Step {
    Parse,
    Solve,
    Start,
    Finish,
    Verify,
    Assemble,
}

/// What a step is told to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Wait for another order.
    Hold,
    /// Return an error.
    Fail,
    /// Panic.
    Panic,
}

/// The test's view of all steps.
#[derive(Default)]
pub(super) struct Scenery {
    state: Mutex<Scene>,
    changed: Condvar,
}

#[derive(Default)]
struct Scene {
    orders: HashMap<At, Order>,
    entered: Vec<At>,
}

impl Scenery {
    /// Gives an order for a step; it holds for every time that step is reached.
    pub(super) fn order(&self, place: At, order: Order) {
        self.state.lock().expect("no panic under the lock").orders.insert(place, order);
        self.changed.notify_all();
    }

    /// Takes all orders back.
    pub(super) fn release_all(&self) {
        self.state.lock().expect("no panic under the lock").orders.clear();
        self.changed.notify_all();
    }

    /// Blocks until a step has been reached.
    pub(super) fn await_step(&self, place: At) {
        let scene = self.state.lock().expect("no panic under the lock");
        drop(self.changed.wait_while(scene, |scene| !scene.entered.contains(&place)).expect("no panic under the lock"));
    }

    /// Blocks until a step has been reached by this many partitions of one request.
    pub(super) fn await_count(&self, step: Step, content: &'static str, count: usize) {
        let scene = self.state.lock().expect("no panic under the lock");
        let reached =
            |scene: &Scene| scene.entered.iter().filter(|place| (place.0, place.1) == (step, content)).count();
        drop(self.changed.wait_while(scene, |scene| reached(scene) < count).expect("no panic under the lock"));
    }

    /// All steps reached so far, in order.
    pub(super) fn entered(&self) -> Vec<At> {
        self.state.lock().expect("no panic under the lock").entered.clone()
    }

    /// The partitions of which a step was reached, in order.
    pub(super) fn entered_at(&self, step: Step) -> Vec<(&'static str, u32)> {
        self.entered().into_iter().filter(|place| place.0 == step).map(|(_, content, index)| (content, index)).collect()
    }

    fn reach(&self, place: At) -> Result<(), Stop> {
        let order = {
            let mut scene = self.state.lock().expect("no panic under the lock");
            scene.entered.push(place);
            self.changed.notify_all();
            let held = |scene: &mut Scene| scene.orders.get(&place) == Some(&Order::Hold);
            let scene = self.changed.wait_while(scene, held).expect("no panic under the lock");
            scene.orders.get(&place).copied()
        };
        match order {
            None | Some(Order::Hold) => Ok(()),
            Some(Order::Fail) => Err(Stop::failed(stage_of(place.0), format!("told to fail at {place:?}"))),
            Some(Order::Panic) => panic!("told to panic at {place:?}"),
        }
    }
}

fn stage_of(step: Step) -> JobStage {
    match step {
        Step::Parse | Step::Solve => JobStage::Solve,
        Step::Start => JobStage::Prove,
        Step::Finish => JobStage::Finish,
        Step::Verify => JobStage::Verify,
        Step::Assemble => JobStage::Assemble,
    }
}

/// An engine with fake work.
pub(super) struct Rig {
    /// Before the engine, which waits for its threads when it is dropped.
    _curtain: Curtain,
    pub(super) engine: Engine,
    pub(super) stage: Arc<Scenery>,
}

/// Takes all orders back when a test ends, well or badly.
struct Curtain(Arc<Scenery>);

impl Drop for Curtain {
    fn drop(&mut self) {
        self.0.release_all();
    }
}

/// One worker, one place in the queue, one backend.
pub(super) fn limits() -> Limits {
    Limits {
        workers: 1,
        queue_depth: 1,
        permit: Permit::UntilQueued,
        max_pending: 16,
        retention: Retention::default(),
        backends: 1,
    }
}

impl Rig {
    pub(super) fn new(limits: Limits) -> Self {
        let ledger = Ledger::new(&[&REQUEST, &ADVICE, &WITNESS, &PROOF]);
        let stage = Arc::new(Scenery::default());
        let no_keys = Arc::new(Residency::new(|circuit| {
            Err(KeyError::Panicked { circuit, message: "fake work needs no key".into() })
        }));
        let prepare = Arc::new(FakePrepare { stage: stage.clone(), ledger: ledger.clone() });
        let names = (0..limits.backends).map(|backend| format!("fake-{backend}")).collect();
        let engine = Engine::start(limits, names, ledger, no_keys, prepare).expect("threads start");
        Self { _curtain: Curtain(stage.clone()), engine, stage }
    }

    /// Blocks until nothing goes on any more; the engine stays open.
    pub(super) fn settle(&self) {
        assert!(self.engine.wait_idle(None));
    }

    /// Asserts that nothing of a job is counted any more, without waiting for anything.
    pub(super) fn assert_no_work(&self) {
        let snapshot = self.engine.ledger().snapshot();
        for class in ["request", "advice", "witness"] {
            assert_eq!(snapshot.class(class).map(|class| (class.count, class.bytes)), Some((0, 0)), "{snapshot}");
        }
        assert_eq!(self.counts(), (0, 0));
    }

    /// Asserts that the ledger counts no request and no witness, and `proofs` kept proofs.
    pub(super) fn assert_settled(&self, proofs: u64) {
        self.settle();
        let snapshot = self.engine.ledger().snapshot();
        let count = |class| snapshot.class(class).map(|class| (class.count, class.bytes > 0));
        assert_eq!(count("proof"), Some((proofs, proofs > 0)), "{snapshot}");
        self.assert_no_work();
    }

    /// Jobs pending and in progress, over all kinds.
    pub(super) fn counts(&self) -> (u32, u32) {
        let queues = self.engine.status().queues;
        (queues.iter().map(|queue| queue.pending).sum(), queues.iter().map(|queue| queue.in_progress).sum())
    }
}

/// A submission with this content and number of partitions.
pub(super) fn submission(content: &'static str, partitions: u64) -> Submission {
    Submission {
        request_id: "request".into(),
        sector_number: partitions,
        ..Submission::porep(content.as_bytes().to_vec())
    }
}

/// The proof that fake work makes of it.
pub(super) fn proof(content: &str, partitions: u32) -> Vec<u8> {
    (0..partitions).flat_map(|index| format!("{content}{index};").into_bytes()).collect()
}

/// A completed job's proof.
pub(super) fn proof_of(outcome: &Outcome) -> &[u8] {
    match &outcome.status {
        OutcomeStatus::Completed { proof } => proof,
        other => panic!("the job is not completed: {other:?}"),
    }
}

/// Blocks for a handle's outcome.
pub(super) fn outcome(handle: &JobHandle) -> Arc<Outcome> {
    handle.outcome_blocking(None).expect("without a limit there is an outcome")
}

struct FakePrepare {
    stage: Arc<Scenery>,
    ledger: Ledger,
}

impl Prepare for FakePrepare {
    fn prepare(&self, submission: Submission) -> Result<Box<dyn Work>, SubmitError> {
        // Leaking a few bytes a test makes places comparable and copyable.
        let content: &'static str = String::from_utf8_lossy(&submission.vanilla_proof).into_owned().leak();
        let refused =
            |_| RequestError::Missing { field: "vanilla_proof".into(), expected: "what the test wants".into() };
        self.stage.reach((Step::Parse, content, 0)).map_err(refused)?;
        Ok(Box::new(FakeWork {
            stage: self.stage.clone(),
            ledger: self.ledger.clone(),
            content,
            partitions: submission.sector_number as u32,
            urgency: submission.priority() as u8,
        }))
    }

    fn readiness(&self) -> Vec<Readiness> {
        Vec::new()
    }
}

struct FakeWork {
    stage: Arc<Scenery>,
    ledger: Ledger,
    content: &'static str,
    partitions: u32,
    urgency: u8,
}

impl Work for FakeWork {
    fn kind(&self) -> ProofKind {
        ProofKind::PorepSealCommit
    }

    fn circuit(&self) -> CircuitId {
        CircuitId::new(self.kind(), SectorSize::KiB2)
    }

    fn urgency(&self) -> u8 {
        self.urgency
    }

    fn partitions(&self) -> u32 {
        self.partitions
    }

    fn advice_bytes(&self) -> u64 {
        self.content.len() as u64
    }

    fn solve(&self, partition: &Partition, _: &mut Timings) -> Result<Box<dyn Solved>, Stop> {
        let witness = self.ledger.enter(&WITNESS, &SOLVING, Place::Host, 1000, &partition.scope);
        self.stage.reach((Step::Solve, self.content, partition.index))?;
        partition.check_wanted()?;
        Ok(Box::new(FakeStep { stage: self.stage.clone(), content: self.content, index: partition.index, witness }))
    }

    fn assemble(&self, proofs: Vec<Vec<u8>>) -> Result<Vec<u8>, Stop> {
        self.stage.reach((Step::Assemble, self.content, 0))?;
        Ok(proofs.concat())
    }
}

struct FakeStep {
    stage: Arc<Scenery>,
    content: &'static str,
    index: u32,
    witness: Entry,
}

impl Solved for FakeStep {
    fn wait(&mut self) {
        self.witness.move_to(&WAITING);
    }

    fn start(self: Box<Self>, _: usize) -> Result<Box<dyn Started>, Stop> {
        self.stage.reach((Step::Start, self.content, self.index))?;
        Ok(self)
    }
}

impl Started for FakeStep {
    fn finish(self: Box<Self>) -> Result<Box<dyn Proved>, Stop> {
        self.stage.reach((Step::Finish, self.content, self.index))?;
        Ok(self)
    }
}

impl Proved for FakeStep {
    fn verify(self: Box<Self>) -> Result<Vec<u8>, Stop> {
        self.stage.reach((Step::Verify, self.content, self.index))?;
        Ok(format!("{}{};", self.content, self.index).into_bytes())
    }
}
