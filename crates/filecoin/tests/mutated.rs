//! Damaged requests of every kind: each is accepted or refused with the name of a field, and takes memory in proportion to
//! its own length.
//!
//! `scripts/mutate.sh` runs a million of each.

mod fixture;

use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use bellperson::{ConstraintSystem, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use cuzk_filecoin::{
    Request, SectorSize, Submission,
    registered::{interactive_seal_proof, window_post_proof},
    synthetic,
};
use cuzk_testing::{Mutator, TimeLimit};
use fixture::{MINER, SECTOR};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Memory is counted for the whole process, so one test runs at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

const SIZE: SectorSize = SectorSize::KiB2;
/// What parsing may take beside its input: a multiple of that, and a megabyte that serde reserves for each of a few nested
/// lists before it has seen their elements.
const BYTES_FOR_EACH: usize = 8;
const BYTES_MORE: usize = 6 << 20;
/// The fields of a request, which every refusal begins with.
const FIELDS: [&str; 14] = [
    "request_id",
    "proof_kind",
    "sector_size",
    "registered_proof",
    "priority",
    "vanilla_proof",
    "vanilla_proofs",
    "sector_number",
    "miner_id",
    "randomness",
    "partition_index",
    "comm_r_old",
    "comm_r_new",
    "comm_d_new",
];

/// How many requests of each kind.
fn count() -> u64 {
    std::env::var("CUZK_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(20_000)
}

/// What became of the damaged requests of one kind.
#[derive(Default)]
struct Tally {
    accepted: u64,
    refused: u64,
    most_bytes: usize,
}

fn run(kind: &str, good: &Submission, damage: impl Fn(&mut Mutator, &mut Submission)) {
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // A millisecond each, and room for a slow machine.
    let count = count();
    let _limit = TimeLimit::seconds(120 + count / 100);
    let parsed = Request::parse(good).expect("undamaged it is good");
    assert_eq!(parsed.kind().name(), kind);
    let mut tally = Tally::default();
    for seed in 0..count {
        let mut mutator = Mutator::new(seed);
        let mut damaged = good.clone();
        damage(&mut mutator, &mut damaged);
        one(seed, &damaged, &mut tally);
    }
    let mut line = format!("{kind}: {count} damaged requests, {} refused, {} accepted", tally.refused, tally.accepted);
    let _ = write!(line, ", at most {} bytes for a payload of {}", tally.most_bytes, good.payload_bytes());
    println!("{line}");
    assert!(tally.refused > count / 2, "{line}: damage that nobody notices tests nothing");
}

fn one(seed: u64, damaged: &Submission, tally: &mut Tally) {
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    let parsed = Request::parse(damaged);
    let taken = ALLOCATOR.peak_usage().saturating_sub(before);
    let allowed = BYTES_FOR_EACH * damaged.payload_bytes() + BYTES_MORE;
    assert!(taken <= allowed, "seed {seed}: {taken} bytes for a payload of {}", damaged.payload_bytes());
    tally.most_bytes = tally.most_bytes.max(taken);
    match parsed {
        Err(error) => {
            tally.refused += 1;
            let field = error.field().split(['.', '[', ' ']).next().unwrap_or_default();
            assert!(FIELDS.contains(&field), "seed {seed}: no field in {error}");
            assert!(!error.to_string().contains("panic"), "seed {seed}: {error}");
        }
        Ok(request) => {
            tally.accepted += 1;
            behind(seed, &request, tally.accepted);
        }
    }
}

/// What was accepted goes through the gadgets without a panic, whatever its hashes are.
fn behind(seed: u64, request: &Request, accepted: u64) {
    for partition in 0..request.partitions() {
        request.public_inputs(partition).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
    if accepted.is_power_of_two() {
        let synthesised = request.synthesize(0, &mut Ignoring);
        synthesised.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

/// Runs the gadgets' closures and keeps nothing.
struct Ignoring;

impl ConstraintSystem<Scalar> for Ignoring {
    type Root = Self;

    fn new() -> Self {
        Self
    }

    /// As what the engine fills is: PoSts then make their sectors in parallel.
    fn is_extensible() -> bool {
        true
    }

    fn extend(&mut self, _: &Self) {}

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        value().map(|_| Variable::new_unchecked(bellperson::Index::Aux(0)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        value().map(|_| Variable::new_unchecked(bellperson::Index::Input(0)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, _: LA, _: LB, _: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
    }

    fn push_namespace<NR: Into<String>, N: FnOnce() -> NR>(&mut self, _: N) {}

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}

/// Damages the small fields, where the number of a kind or a length may be wrong.
fn damage_fields(mutator: &mut Mutator, submission: &mut Submission) {
    match mutator.below(9) {
        0 => submission.sector_size = mutator.number(),
        1 => submission.registered_proof = mutator.number() % 24,
        2 => submission.registered_proof = mutator.number(),
        3 => submission.sector_number = mutator.number(),
        4 => submission.partition_index = mutator.number() as u32,
        5 => submission.proof_kind = mutator.number() as i32 % 6,
        6 => mutator.damage(&mut submission.randomness),
        7 => {
            let commitments = [&mut submission.comm_r_old, &mut submission.comm_r_new, &mut submission.comm_d_new];
            let which = mutator.below(3);
            commitments.into_iter().skip(which).take(1).for_each(|bytes| mutator.damage(bytes));
        }
        _ => {
            let kept = mutator.below(submission.vanilla_proofs.len() + 1);
            submission.vanilla_proofs.truncate(kept);
        }
    }
}

/// Damages one of the listed payloads, and at times the fields.
fn damage_listed(mutator: &mut Mutator, submission: &mut Submission) {
    if mutator.below(8) == 0 {
        return damage_fields(mutator, submission);
    }
    let which = mutator.below(submission.vanilla_proofs.len());
    mutator.damage(&mut submission.vanilla_proofs[which]);
}

#[test]
fn damaged_poreps() {
    let output = synthetic::porep(interactive_seal_proof(SIZE), MINER, SECTOR, 7).expect("a synthetic sector");
    let json = serde_json::to_vec(&output).expect("plain data");
    let bare = Submission::porep(json.clone());
    run("porep-c2", &bare, |mutator, submission| match mutator.below(8) {
        0 => damage_fields(mutator, submission),
        // The wrapper itself.
        1 => {
            submission.vanilla_proof = fixture::wrapped(&json, SECTOR, SIZE.bytes());
            mutator.damage_json(&mut submission.vanilla_proof);
        }
        // What is in it.
        2 | 3 => {
            let mut inner = json.clone();
            mutator.damage_json(&mut inner);
            submission.vanilla_proof = fixture::wrapped(&inner, SECTOR, SIZE.bytes());
        }
        _ => mutator.damage_json(&mut submission.vanilla_proof),
    });
}

/// Lists whose elements are shorter as JSON than in memory are not read to their end.
#[test]
fn lists_of_nothing_take_no_memory() {
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let _limit = TimeLimit::seconds(60);
    let lists = [("[", "[],", "[]]"), ("[[", "{},", "{}]]")].map(|(open, element, close)| {
        let list = format!("{open}{}{close}", element.repeat(1 << 20));
        format!(r#"{{"registered_proof":"StackedDrg2KiBV1_1","vanilla_proofs":{{"StackedDrg2KiBV1":{list}}}}}"#)
    });
    for json in lists {
        one(0, &Submission::porep(json.into_bytes()), &mut Tally::default());
    }
}

#[test]
fn damaged_snap_updates() {
    let good = synthetic::snap_submission(SIZE, MINER, SECTOR, 7).expect("an update");
    run("snap-update", &good, damage_listed);
}

#[test]
fn damaged_window_posts() {
    let good = synthetic::window_post(window_post_proof(SIZE), MINER, 0, &[SECTOR, 43], 7).expect("a window PoSt");
    run("window-post", &good, damage_listed);
}

#[test]
fn damaged_winning_posts() {
    let good = synthetic::winning_post(SIZE, MINER, SECTOR, 7).expect("a winning PoSt");
    run("winning-post", &good, damage_listed);
}
