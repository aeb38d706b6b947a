//! The kinds of proof that a daemon of this protocol is asked for, and their priorities.

use std::fmt;

/// A kind of proof; the numbers are those of the wire (field 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProofKind {
    /// The second phase of PoRep's commit (C2): one proof a partition that a sector was sealed.
    PorepSealCommit,
    /// SnapDeals: data was encoded into a sector that is sealed already.
    SnapDealsUpdate,
    /// One partition of a WindowPoSt deadline.
    WindowPostPartition,
    /// WinningPoSt: the proof that goes with a won block.
    WinningPost,
}

impl ProofKind {
    /// All kinds, in wire order.
    pub const ALL: [Self; 4] =
        [Self::PorepSealCommit, Self::SnapDealsUpdate, Self::WindowPostPartition, Self::WinningPost];

    /// The number on the wire.
    pub const fn wire(self) -> i32 {
        match self {
            Self::PorepSealCommit => 1,
            Self::SnapDealsUpdate => 2,
            Self::WindowPostPartition => 3,
            Self::WinningPost => 4,
        }
    }

    /// The kind with that number on the wire; 0 (unspecified) and unknown numbers have none.
    pub fn from_wire(number: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.wire() == number)
    }

    /// The name that queues, logs and metrics use: `porep-c2`, `snap-update`, `window-post`, `winning-post`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PorepSealCommit => "porep-c2",
            Self::SnapDealsUpdate => "snap-update",
            Self::WindowPostPartition => "window-post",
            Self::WinningPost => "winning-post",
        }
    }

    /// The priority of a request that names none: winning before window before the rest, since they must be on the
    /// chain within an epoch, within a deadline, within days.
    pub const fn default_priority(self) -> Priority {
        match self {
            Self::WinningPost => Priority::Critical,
            Self::WindowPostPartition => Priority::High,
            Self::PorepSealCommit | Self::SnapDealsUpdate => Priority::Normal,
        }
    }
}

impl fmt::Display for ProofKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How urgent a job is; greater is more urgent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// May wait for everything else.
    Low,
    /// PoRep and SnapDeals by default.
    Normal,
    /// WindowPoSt by default.
    High,
    /// WinningPoSt by default.
    Critical,
}

impl Priority {
    /// All priorities, from the least to the most urgent.
    pub const ALL: [Self; 4] = [Self::Low, Self::Normal, Self::High, Self::Critical];

    /// The number on the wire (field 5).
    pub const fn wire(self) -> i32 {
        match self {
            Self::Low => 1,
            Self::Normal => 2,
            Self::High => 3,
            Self::Critical => 4,
        }
    }

    /// The priority that a number on the wire means for a kind: 0 is the kind's own, an unknown number is `Normal`.
    pub fn from_wire(number: i32, kind: ProofKind) -> Self {
        match number {
            0 => kind.default_priority(),
            _ => Self::ALL.into_iter().find(|priority| priority.wire() == number).unwrap_or(Self::Normal),
        }
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
            Self::Critical => "critical",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wire_numbers_read_back() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for (kind, number) in ProofKind::ALL.into_iter().zip(1..) {
            assert_eq!(kind.wire(), number);
            assert_eq!(ProofKind::from_wire(number), Some(kind));
        }
        for number in [i32::MIN, -1, 0, 5, i32::MAX] {
            assert_eq!(ProofKind::from_wire(number), None);
        }
    }

    #[test]
    fn unnamed_priorities_follow_the_kind_and_unknown_ones_are_normal() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        assert_eq!(
            ProofKind::ALL.map(|kind| Priority::from_wire(0, kind)),
            [Priority::Normal, Priority::Normal, Priority::High, Priority::Critical]
        );
        for kind in ProofKind::ALL {
            assert_eq!(Priority::from_wire(1, kind), Priority::Low);
            assert_eq!(Priority::from_wire(4, kind), Priority::Critical);
            assert_eq!(Priority::from_wire(5, kind), Priority::Normal);
            assert_eq!(Priority::from_wire(-7, kind), Priority::Normal);
        }
        assert!(Priority::Low < Priority::Normal && Priority::High < Priority::Critical);
    }
}
