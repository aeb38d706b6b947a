//! Keys that are numbers, loaded when the test says so.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use cuzk_filecoin::{CircuitId, ProofKind, SectorSize};

use super::{Evicted, Residency, Resident};
use crate::{KeyError, Tier};

#[derive(Debug)]
struct Number(u64);

impl Resident for Number {
    fn bytes(&self) -> u64 {
        100 + self.0
    }
}

const CIRCUIT: CircuitId = CircuitId::new(ProofKind::PorepSealCommit, SectorSize::KiB2);

/// A residency whose n-th load gives number n at once.
fn counting() -> Arc<Residency<Number>> {
    let loads = AtomicU64::new(0);
    Arc::new(Residency::new(move |_| Ok(Number(loads.fetch_add(1, Ordering::Relaxed)))))
}

/// A residency whose loads announce themselves, and end as they are told.
fn told() -> (Arc<Residency<Number>>, Receiver<()>, Sender<Option<u64>>) {
    let (begun, begins) = channel();
    let (ends, told) = channel();
    let ends_of_loads = Mutex::new(told);
    let load = move |circuit| {
        begun.send(()).expect("the test listens");
        let told: Option<u64> = ends_of_loads.lock().expect("no load panics").recv().expect("the test tells");
        told.map(Number).ok_or(KeyError::Panicked { circuit, message: "told to fail".into() })
    };
    (Arc::new(Residency::new(load)), begins, ends)
}

#[test]
fn loaded_once_until_evicted() {
    let _limit = cuzk_testing::TimeLimit::seconds(10);
    let residency = counting();
    assert!(!residency.knows(CIRCUIT));
    assert_eq!(residency.evict(CIRCUIT), Evicted { was_loaded: false, freed_bytes: 0 });
    assert!(!residency.preload(CIRCUIT).expect("it loads").already_loaded);
    assert!(residency.preload(CIRCUIT).expect("it is there").already_loaded);
    assert_eq!(residency.pin(CIRCUIT).expect("it is there").key().0, 0);
    assert_eq!(residency.evict(CIRCUIT), Evicted { was_loaded: true, freed_bytes: 100 });
    assert_eq!(residency.pin(CIRCUIT).expect("it loads again").key().0, 1);
}

#[test]
fn a_pinned_key_stays() {
    let _limit = cuzk_testing::TimeLimit::seconds(10);
    let residency = counting();
    let (first, second) = (residency.pin(CIRCUIT).expect("it loads"), residency.pin(CIRCUIT).expect("it is there"));
    let line = residency.status()[0];
    assert_eq!((line.circuit, line.tier, line.bytes, line.ref_count), (CIRCUIT, Tier::Hot, 100, 2));
    drop(first);
    assert_eq!(residency.evict(CIRCUIT), Evicted { was_loaded: true, freed_bytes: 0 });
    assert!(residency.knows(CIRCUIT));
    drop(second);
    assert_eq!(residency.evict(CIRCUIT), Evicted { was_loaded: true, freed_bytes: 100 });
    assert!(residency.status().is_empty());
}

#[test]
fn threads_share_a_load_and_its_failure() {
    let _limit = cuzk_testing::TimeLimit::seconds(30);
    for (told_number, expected) in [(Some(7), Some(7)), (None, None)] {
        let (residency, begins, ends) = told();
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let residency = residency.clone();
                thread::spawn(move || residency.pin(CIRCUIT).ok().map(|pin| pin.key().0))
            })
            .collect();
        begins.recv().expect("one loads");
        assert_eq!(residency.status()[0].tier, Tier::Cold);
        if told_number.is_some() {
            ends.send(told_number).expect("the load waits");
        } else {
            // Threads that come after a failure try for themselves.
            for _ in 0..4 {
                ends.send(None).expect("the load waits");
            }
        }
        for thread in threads {
            assert_eq!(thread.join().expect("no panic"), expected);
        }
        assert_eq!(residency.knows(CIRCUIT), expected.is_some());
        if expected.is_some() {
            assert!(begins.try_recv().is_err(), "nobody loaded it again");
        }
    }
}

#[test]
fn a_panic_in_a_load_is_its_failure() {
    let _limit = cuzk_testing::TimeLimit::seconds(10);
    let residency: Arc<Residency<Number>> = Arc::new(Residency::new(|_| panic!("no such key")));
    let error = residency.pin(CIRCUIT).expect_err("the load panics");
    assert!(error.to_string().contains("no such key"), "{error}");
    assert!(!residency.knows(CIRCUIT));
}
