//! The events of the ledger. Alone in its process: whether an event is listened to is decided once for all threads, and a
//! thread without a subscriber would decide it for the others.

use std::{
    io::Write,
    sync::{Arc, Mutex},
};

use cuzk_memory::{Class, Ledger, Place, Scope, Stage};
use cuzk_testing::TimeLimit;

static WITNESS: Class = Class::new("witness");
static KEY: Class = Class::new("key");
static CLASSES: [&Class; 2] = [&WITNESS, &KEY];
static SOLVING: Stage = Stage::new("solving");
static WAITING: Stage = Stage::new("waiting");

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
    tracing::subscriber::set_global_default(subscriber).expect("this process has no other subscriber");
    let ledger = Ledger::new(&CLASSES);
    let scope = Scope::partition("porep-1000-1".into(), 3);
    let mut entry = ledger.enter(&WITNESS, &SOLVING, Place::Host, 64, &scope);
    entry.move_to(&WAITING);
    entry.move_to(&WAITING);
    drop(entry);
    let text = String::from_utf8(log.0.lock().expect("nobody writes any more").clone()).expect("events are text");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(lines[0].contains("in_flight=witness=1/64 key=0/0"), "{text}");
    assert!(lines[1].contains("from=\"solving\" stage=\"waiting\""), "{text}");
    assert!(lines[1].contains("job=\"porep-1000-1\" partition=3"), "{text}");
    assert!(lines[2].contains("in_flight=witness=0/0 key=0/0"), "{text}");
}
