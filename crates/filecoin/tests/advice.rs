//! Advice that is written from the vanilla proof, against what the gadgets put into a witness; and that no value of it can be
//! another one.

mod fixture;

use std::sync::OnceLock;

use blstrs::Scalar;
use cuzk_circuit::{Advice, Circuit, CircuitError, Rules, Witness};
use cuzk_filecoin::{CircuitId, Error, ProofKind, Request, SectorSize, Submission, compile, registered, synthetic};
use cuzk_memory::{Ledger, Scope};
use cuzk_testing::TimeLimit;
use fixture::{MINER, SECTOR};

const POREP: ProofKind = ProofKind::PorepSealCommit;
const SNAP: ProofKind = ProofKind::SnapDealsUpdate;
const WINDOW: ProofKind = ProofKind::WindowPostPartition;
const WINNING: ProofKind = ProofKind::WinningPost;

/// A compiled circuit, which the tests of a process share.
fn circuit(id: CircuitId) -> &'static Circuit {
    static COMPILED: [OnceLock<Circuit>; 20] = [const { OnceLock::new() }; 20];
    let compiled = || compile(id, &Ledger::new(&[]), Rules::All).unwrap_or_else(|error| panic!("{id}: {error}"));
    let place = CircuitId::all().position(|each| each == id).expect("one of all");
    COMPILED[place].get_or_init(compiled)
}

fn circuit_of(request: &Request) -> &'static Circuit {
    circuit(request.circuit_id())
}

fn porep(size: SectorSize, seed: u64) -> Request {
    let output = synthetic::porep(registered::interactive_seal_proof(size), MINER, SECTOR, seed).expect("a sector");
    parse(&Submission::porep(serde_json::to_vec(&output).expect("plain data")))
}

fn snap(size: SectorSize, seed: u64) -> Request {
    parse(&synthetic::snap_submission(size, MINER, SECTOR, seed).expect("an update"))
}

fn window(size: SectorSize, sectors: &[u64], seed: u64) -> Request {
    let proof = registered::window_post_proof(size);
    parse(&synthetic::window_post(proof, MINER, 0, sectors, seed).expect("a window PoSt"))
}

fn winning(size: SectorSize, seed: u64) -> Request {
    parse(&synthetic::winning_post(size, MINER, SECTOR, seed).expect("a winning PoSt"))
}

fn parse(submission: &Submission) -> Request {
    Request::parse(submission).expect("a good request")
}

/// One small request of each kind.
fn small_requests() -> [Request; 4] {
    let size = SectorSize::KiB2;
    [porep(size, 5), snap(size, 5), window(size, &[3, 9], 5), winning(size, 5)]
}

fn solve(circuit: &Circuit, advice: &Advice) -> Result<Witness, CircuitError> {
    Witness::solve(circuit, advice, &Ledger::new(&[]), &Scope::default())
}

fn public_inputs(request: &Request, partition: usize) -> Vec<Scalar> {
    request.public_inputs(partition).expect("a partition")
}

/// The advice of every partition is what the gadgets' witness holds, and solving from it makes that witness.
fn agrees(request: &Request) {
    let circuit = circuit_of(request);
    for partition in 0..request.partitions() {
        let filled =
            Witness::fill(circuit, &Ledger::new(&[]), &Scope::default(), |cs| request.synthesize(partition, cs))
                .expect("gadgets run");
        let advice = request.advice(partition, circuit).expect("the circuit of this request");
        assert!(advice == filled.advice(circuit), "{request:?}: partition {partition}");

        let solved = solve(circuit, &advice).expect("a good request");
        assert!(solved.inputs() == filled.inputs(), "{request:?}: inputs of partition {partition}");
        assert!(solved.bits() == filled.bits(), "{request:?}: bits of partition {partition}");
        assert!(solved.scalars() == filled.scalars(), "{request:?}: scalars of partition {partition}");
        assert_eq!(solved.inputs()[1..], public_inputs(request, partition));
    }
}

/// Changes one after the other of the values at `step`s of the request's first partition: either a constraint fails, or the
/// proof is one of other public inputs. Returns how many values came to the one and to the other end.
fn changes_show(request: &Request, step: usize) -> (usize, usize) {
    let circuit = circuit_of(request);
    let advice = request.advice(0, circuit).expect("the circuit of this request");
    let inputs = public_inputs(request, 0);
    let (mut refused, mut other_inputs, mut unnoticed) = (0, 0, Vec::new());
    for index in (0..advice.len()).step_by(step) {
        match solve(circuit, &advice.with_changed(index)) {
            Err(CircuitError::Constraint(_)) => refused += 1,
            Err(error) => panic!("value {index}: {error}"),
            Ok(solved) if solved.inputs()[1..] != inputs => other_inputs += 1,
            Ok(_) => unnoticed.push(index),
        }
    }
    println!("{request:?}: {refused} refused, {other_inputs} with other public inputs, {unnoticed:?} unnoticed");
    assert!(unnoticed.is_empty());
    (refused, other_inputs)
}

#[test]
fn a_porep_partitions_advice_is_what_the_gadgets_allocate() {
    let _limit = TimeLimit::seconds(300);
    for seed in [1, 2, 3] {
        agrees(&porep(SectorSize::KiB2, seed));
    }
    agrees(&porep(SectorSize::MiB8, 1));
    agrees(&porep(SectorSize::MiB512, 1));
}

#[test]
fn so_is_an_updates() {
    let _limit = TimeLimit::seconds(300);
    for seed in [1, 2, 3] {
        agrees(&snap(SectorSize::KiB2, seed));
    }
}

#[test]
fn so_is_that_of_an_updates_other_partitions() {
    let _limit = TimeLimit::seconds(300);
    let request = snap(SectorSize::MiB8, 1);
    assert_eq!(request.partitions(), 4);
    agrees(&request);
}

#[test]
fn so_is_a_window_posts_full_or_filled_up() {
    let _limit = TimeLimit::seconds(120);
    for seed in [1, 2, 3] {
        agrees(&window(SectorSize::KiB2, &[7], seed));
        agrees(&window(SectorSize::KiB2, &[4, 2], seed));
    }
}

#[test]
fn so_is_a_winning_posts() {
    let _limit = TimeLimit::seconds(120);
    for seed in [1, 2, 3] {
        agrees(&winning(SectorSize::KiB2, seed));
    }
    agrees(&winning(SectorSize::GiB32, 1));
}

#[test]
fn a_circuit_is_a_few_parts_repeated_at_its_kinds_depth() {
    let _limit = TimeLimit::seconds(120);
    for (kind, parts) in [(POREP, (3, 2)), (SNAP, (11, 2)), (WINDOW, (2, 1)), (WINNING, (66, 1))] {
        assert_eq!(circuit(CircuitId::new(kind, SectorSize::KiB2)).parts(), parts, "{kind}");
    }
}

#[test]
fn another_circuits_advice_is_refused() {
    let _limit = TimeLimit::seconds(300);
    let requests = small_requests();
    let kinds = [POREP, SNAP, WINDOW, WINNING];
    let circuits = [SectorSize::KiB2, SectorSize::MiB8].map(|size| kinds.map(|kind| CircuitId::new(kind, size)));
    for request in &requests {
        for id in circuits.into_iter().flatten().filter(|id| *id != request.circuit_id()) {
            let error = request.advice(0, circuit(id)).expect_err("another circuit");
            assert!(matches!(error, Error::Unfit(CircuitError::Advice { .. })), "{request:?} in {id}: {error}");
            assert!(error.to_string().contains("does not fit the compiled circuit"), "{error}");
        }
    }
    // A request of more values than the circuit takes, as well as one of fewer.
    for request in [winning(SectorSize::GiB32, 5), snap(SectorSize::MiB8, 5)] {
        let small = circuit(CircuitId::new(request.kind(), SectorSize::KiB2));
        let error = request.advice(0, small).expect_err("a smaller circuit");
        assert!(matches!(error, Error::Unfit(CircuitError::Advice { .. })), "{error}");
    }
}

#[test]
fn partitions_that_do_not_exist_have_no_advice() {
    let _limit = TimeLimit::seconds(120);
    for request in small_requests() {
        let error = request.advice(1, circuit_of(&request)).expect_err("one partition");
        assert!(matches!(error, Error::Partition { partition: 1, partitions: 1 }), "{error}");
    }
}

#[test]
fn no_value_of_a_porep_is_free() {
    let _limit = TimeLimit::seconds(300);
    let (refused, other_inputs) = changes_show(&porep(SectorSize::KiB2, 4), 7);
    assert_eq!((refused, other_inputs), (123, 0));
}

#[test]
fn no_value_of_an_update_is_free() {
    let _limit = TimeLimit::seconds(300);
    let (_, other_inputs) = changes_show(&snap(SectorSize::KiB2, 4), 1);
    // The next k_and_h_select chooses another h, and at this size all of them are equal.
    assert_eq!(other_inputs, 1);
}

#[test]
fn no_value_of_a_window_post_is_free() {
    let _limit = TimeLimit::seconds(300);
    assert_eq!(changes_show(&window(SectorSize::KiB2, &[5], 4), 1), (426, 0));
    assert_eq!(changes_show(&window(SectorSize::KiB2, &[5, 6], 4), 1), (426, 0));
}

#[test]
fn no_value_of_a_winning_post_is_free() {
    let _limit = TimeLimit::seconds(300);
    // 24 values a sector: with this step every one of them is changed in some sector.
    assert_eq!(changes_show(&winning(SectorSize::KiB2, 4), 25), (64, 0));
}

#[test]
fn no_value_of_larger_sectors_is_free() {
    let _limit = TimeLimit::seconds(300);
    // 104 values a sector: with this step another one is changed in each.
    assert_eq!(changes_show(&winning(SectorSize::GiB32, 4), 105), (66, 0));
    let (refused, _) = changes_show(&porep(SectorSize::MiB8, 4), 31);
    assert!(refused > 0);
}
