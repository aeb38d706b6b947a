//! The five sector sizes that the chain has published parameters for.

use std::fmt;
use std::str::FromStr;

use storage_proofs_core::util::NODE_SIZE;

/// A published sector size.
///
/// Everything that depends on the size (partitions, layers, tree shapes) is asked of the proof crates; this type
/// only makes an unpublished size unrepresentable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SectorSize {
    /// 2 KiB, for development.
    KiB2,
    /// 8 MiB, for development.
    MiB8,
    /// 512 MiB, for test networks.
    MiB512,
    /// 32 GiB, the usual size on the main network.
    GiB32,
    /// 64 GiB, the other size on the main network.
    GiB64,
}

impl SectorSize {
    /// All sizes, ascending.
    pub const ALL: [Self; 5] = [Self::KiB2, Self::MiB8, Self::MiB512, Self::GiB32, Self::GiB64];

    /// The size in bytes, as it stands in field 3 of a request.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::KiB2 => 1 << 11,
            Self::MiB8 => 1 << 23,
            Self::MiB512 => 1 << 29,
            Self::GiB32 => 1 << 35,
            Self::GiB64 => 1 << 36,
        }
    }

    /// The number of 32-byte nodes of a sector, which is the number of leaves of its trees.
    pub const fn nodes(self) -> usize {
        self.bytes() as usize / NODE_SIZE
    }

    /// The size with exactly that many bytes, if it is a published one.
    pub fn from_bytes(bytes: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|size| size.bytes() == bytes)
    }

    /// The short form in circuit ids: `2k`, `8m`, `512m`, `32g`, `64g`.
    pub const fn short_name(self) -> &'static str {
        match self {
            Self::KiB2 => "2k",
            Self::MiB8 => "8m",
            Self::MiB512 => "512m",
            Self::GiB32 => "32g",
            Self::GiB64 => "64g",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::KiB2 => "2KiB",
            Self::MiB8 => "8MiB",
            Self::MiB512 => "512MiB",
            Self::GiB32 => "32GiB",
            Self::GiB64 => "64GiB",
        }
    }
}

impl fmt::Display for SectorSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that names no published sector size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a published sector size: give 2KiB, 8MiB, 512MiB, 32GiB or 64GiB (or 2k, 8m, 512m, 32g, 64g, or the \
     number of bytes)"
)]
pub struct UnknownSectorSize(pub String);

impl FromStr for SectorSize {
    type Err = UnknownSectorSize;

    /// Reads `2KiB`, `2k` (case does not matter) or a number of bytes.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL
            .into_iter()
            .find(|size| size.name().eq_ignore_ascii_case(text) || size.short_name().eq_ignore_ascii_case(text));
        named.or_else(|| text.parse().ok().and_then(Self::from_bytes)).ok_or_else(|| UnknownSectorSize(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_reads_back() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for size in SectorSize::ALL {
            for spelling in [
                size.to_string(),
                size.to_string().to_uppercase(),
                size.short_name().to_owned(),
                size.bytes().to_string(),
            ] {
                assert_eq!(spelling.parse(), Ok(size), "{spelling}");
            }
            assert_eq!(size.nodes() as u64 * 32, size.bytes());
        }
    }

    #[test]
    fn sizes_are_the_published_ones() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let ours = SectorSize::ALL.map(SectorSize::bytes);
        assert_eq!(ours, filecoin_proofs::constants::PUBLISHED_SECTOR_SIZES);
    }

    #[test]
    fn other_sizes_are_refused_with_the_list() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for text in ["", "4KiB", "4096", "2", "k", "-1", "34359738369"] {
            let error = text.parse::<SectorSize>().unwrap_err();
            assert!(error.to_string().contains("512MiB"), "{error}");
        }
    }
}
