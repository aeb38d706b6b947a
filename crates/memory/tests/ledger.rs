//! The ledger seen from outside: counts add up at every moment.

use cuzk_memory::{Class, Entry, Ledger, Place, Scope, Stage};
use cuzk_testing::TimeLimit;
use proptest::prelude::*;

static WITNESS: Class = Class::new("witness");
static KEY: Class = Class::new("key");
static CLASSES: [&Class; 2] = [&WITNESS, &KEY];
static SOLVING: Stage = Stage::new("solving");
static WAITING: Stage = Stage::new("waiting");
static STAGES: [&Stage; 2] = [&SOLVING, &WAITING];
const PLACES: [Place; 3] = [Place::Host, Place::Pinned, Place::Device(1)];

#[derive(Debug, Clone)]
enum Step {
    Enter { class: usize, stage: usize, place: usize, bytes: u64 },
    Move { entry: usize, stage: usize },
    Resize { entry: usize, bytes: u64 },
    Leave { entry: usize },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..2usize, 0..2usize, 0..3usize, 0..1000u64).prop_map(|(class, stage, place, bytes)| Step::Enter {
            class,
            stage,
            place,
            bytes
        }),
        (any::<usize>(), 0..2usize).prop_map(|(entry, stage)| Step::Move { entry, stage }),
        (any::<usize>(), 0..1000u64).prop_map(|(entry, bytes)| Step::Resize { entry, bytes }),
        any::<usize>().prop_map(|entry| Step::Leave { entry }),
    ]
}

/// What the ledger must show: `(class, bytes)` of each live entry, kept by the test itself.
fn apply(ledger: &Ledger, live: &mut Vec<(usize, Entry)>, step: &Step) {
    match *step {
        Step::Enter { class, stage, place, bytes } => {
            let entry = ledger.enter(CLASSES[class], STAGES[stage], PLACES[place], bytes, &Scope::default());
            live.push((class, entry));
        }
        Step::Move { entry, stage } if !live.is_empty() => {
            let index = entry % live.len();
            live[index].1.move_to(STAGES[stage]);
        }
        Step::Resize { entry, bytes } if !live.is_empty() => {
            let index = entry % live.len();
            live[index].1.resize(bytes);
        }
        Step::Leave { entry } if !live.is_empty() => {
            let index = entry % live.len();
            drop(live.swap_remove(index));
        }
        _ => {}
    }
}

proptest! {
    #[test]
    fn counts_add_up_after_every_transition(steps in prop::collection::vec(step(), 1..60)) {
        let _limit = TimeLimit::seconds(60);
        let ledger = Ledger::new(&CLASSES);
        let mut live = Vec::new();
        let mut peak = 0;
        for step in &steps {
            apply(&ledger, &mut live, step);
            let shown = ledger.snapshot();
            let total: u64 = live.iter().map(|(_, entry)| entry.bytes()).sum();
            peak = peak.max(total);
            prop_assert_eq!(shown.total_bytes, total);
            prop_assert_eq!(shown.peak_bytes, peak);
            prop_assert_eq!(shown.peak_composition.iter().sum::<u64>(), peak);
            prop_assert_eq!(shown.rows.iter().map(|row| row.bytes).sum::<u64>(), total);
            prop_assert_eq!(shown.rows.iter().map(|row| row.count).sum::<u64>(), live.len() as u64);
            for (index, class) in CLASSES.iter().enumerate() {
                let expected = live.iter().filter(|(class, _)| *class == index).count() as u64;
                prop_assert_eq!(shown.class(class.name()).map(|line| line.count), Some(expected));
            }
        }
        live.clear();
        prop_assert!(ledger.snapshot().is_empty());
    }
}

#[test]
fn a_buffer_counts_what_its_vector_took() {
    let _limit = TimeLimit::seconds(10);
    let ledger = Ledger::new(&[]);
    let buffer = ledger.buffer(&WITNESS, &SOLVING, &Scope::default(), vec![0u64; 1000]);
    assert_eq!(ledger.snapshot().class("witness").map(|line| line.bytes), Some(8000));
    drop(buffer);
    assert!(ledger.snapshot().is_empty());
}
