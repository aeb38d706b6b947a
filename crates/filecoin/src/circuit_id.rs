//! The names of circuits: what an operator preloads, evicts and sees in a status.

use std::fmt;
use std::str::FromStr;

use crate::{ProofKind, SectorSize};

/// A circuit with its parameters: a kind of proof at a sector size, written `porep-32g`.
///
/// Variants of a proof that share one parameter file (interactive and synthetic PoRep, say) share the id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CircuitId {
    /// The kind of proof.
    pub kind: ProofKind,
    /// The sector size.
    pub size: SectorSize,
}

impl CircuitId {
    /// The circuit of a kind at a size.
    pub const fn new(kind: ProofKind, size: SectorSize) -> Self {
        Self { kind, size }
    }

    /// Every circuit there is: all kinds at all sizes.
    pub fn all() -> impl Iterator<Item = Self> {
        ProofKind::ALL.into_iter().flat_map(|kind| SectorSize::ALL.map(|size| Self::new(kind, size)))
    }
}

const fn prefix(kind: ProofKind) -> &'static str {
    match kind {
        ProofKind::PorepSealCommit => "porep",
        ProofKind::SnapDealsUpdate => "snap",
        ProofKind::WindowPostPartition => "wpost",
        ProofKind::WinningPost => "winning",
    }
}

impl fmt::Display for CircuitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}-{}", prefix(self.kind), self.size.short_name()))
    }
}

/// A text that is no circuit id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a circuit id: give porep-, snap-, wpost- or winning- followed by 2k, 8m, 512m, 32g or 64g, such as \
     porep-32g"
)]
pub struct UnknownCircuit(pub String);

impl FromStr for CircuitId {
    type Err = UnknownCircuit;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::all().find(|id| id.to_string() == text).ok_or_else(|| UnknownCircuit(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_ids_read_back() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        assert_eq!(CircuitId::all().count(), 20);
        for id in CircuitId::all() {
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        let id = CircuitId::new(ProofKind::WindowPostPartition, SectorSize::MiB512);
        assert_eq!(id.to_string(), "wpost-512m");
    }

    #[test]
    fn anything_else_is_refused_with_the_forms() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for text in ["", "porep", "porep-", "porep-4k", "PoRep-2k", "porep-2k ", "post-2k"] {
            let error = text.parse::<CircuitId>().unwrap_err();
            assert!(error.to_string().contains("porep-32g"), "{error}");
        }
    }
}
