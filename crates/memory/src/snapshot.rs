//! What the ledger counts, at one moment.

use std::fmt;

use serde::Serialize;

/// All counts of a ledger at one moment: they add up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Snapshot {
    /// Number of the last transition that this snapshot includes.
    pub sequence: u64,
    /// Bytes of all buffers now.
    pub total_bytes: u64,
    /// The most bytes that all buffers together ever held.
    pub peak_bytes: u64,
    /// One line for each class that the ledger knows, in order of registration.
    pub classes: Vec<ClassCount>,
    /// What was in flight when `peak_bytes` was reached: bytes of each class, in the order of `classes`.
    pub peak_composition: Vec<u64>,
    /// The same counts split by class, stage and place; lines that count nothing are left out.
    pub rows: Vec<RowCount>,
}

/// The buffers of one class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassCount {
    /// The class.
    pub class: &'static str,
    /// Buffers in flight.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The most buffers ever in flight.
    pub peak_count: u64,
    /// The most bytes that they ever held.
    pub peak_bytes: u64,
}

/// The buffers of one class at one stage in one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RowCount {
    /// The class.
    pub class: &'static str,
    /// The stage.
    pub stage: &'static str,
    /// The place, such as `host` or `device(0)`.
    pub place: String,
    /// Buffers in flight.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Snapshot {
    /// Whether nothing is counted any more.
    pub fn is_empty(&self) -> bool {
        self.total_bytes == 0 && self.classes.iter().all(|class| class.count == 0)
    }

    /// The line of a class, if the ledger knows it.
    pub fn class(&self, name: &str) -> Option<&ClassCount> {
        self.classes.iter().find(|class| class.class == name)
    }
}

/// Every class in flight on one line: `name=count/bytes`, in order of registration.
impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, class) in self.classes.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{}={}/{}", class.class, class.count, class.bytes)?;
        }
        Ok(())
    }
}
