//! The ledger seen from outside: counts add up at every moment, and events carry them.

use std::{
    io::Write,
    sync::{Arc, Mutex},
};

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

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("the log is written by one thread").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn every_transition_is_one_event_with_every_class() {
    let _limit = TimeLimit::seconds(10);
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, || {
        let ledger = Ledger::new(&CLASSES);
        let scope = Scope::partition("porep-1000-1".into(), 3);
        let mut entry = ledger.enter(&WITNESS, &SOLVING, Place::Host, 64, &scope);
        entry.move_to(&WAITING);
        entry.move_to(&WAITING);
        drop(entry);
    });
    let text = String::from_utf8(log.0.lock().expect("nobody writes any more").clone()).expect("events are text");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(lines[0].contains("in_flight=witness=1/64 key=0/0"), "{text}");
    assert!(lines[1].contains("from=\"solving\" stage=\"waiting\""), "{text}");
    assert!(lines[1].contains("job=\"porep-1000-1\" partition=3"), "{text}");
    assert!(lines[2].contains("in_flight=witness=0/0 key=0/0"), "{text}");
}
