//! Groth16 parameter files: layout, reading, writing and checking.
//!
//! A file is the verifying key, then the five sections `h`, `l`, `a`, `b_g1`, `b_g2`, each a 32-bit big-endian count
//! and that many uncompressed points. So every position follows from the counts by arithmetic ([`ParamsLayout`]); no index of
//! the points is kept, and nothing is ever mapped into memory: a file that shrinks under the reader is an error and
//! not a signal.

mod check;
mod error;
mod point;
mod read;
mod subgroup;
mod write;

use std::fmt;

use blstrs::{G1Affine, G2Affine};
use cuzk_circuit::Counts;

pub use check::{CheckReport, check};
pub use error::ParamsError;
pub use point::{Point, PointFault};
pub use read::{Header, Reader};
pub use write::{Existing, NewFile, OPERATORS_DIRECTORY};

use crate::VerifyingKey;

/// A part of a parameter file, in file order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// The verifying key; its count is that of `ic`.
    VerifyingKey,
    /// `tau^i · (tau^m − 1) / delta` in G1, for `i < m − 1`.
    H,
    /// `(beta·u + alpha·v + w) / delta` in G1, for every auxiliary variable.
    L,
    /// `u` in G1, for every input and every A-dense auxiliary variable.
    A,
    /// `v` in G1, for the B-dense inputs, then the B-dense auxiliary variables.
    BG1,
    /// The same `v` in G2.
    BG2,
}

/// The sections whose points are in G1, all with counts of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum G1Section {
    /// See [`Section::H`].
    H,
    /// See [`Section::L`].
    L,
    /// See [`Section::A`].
    A,
    /// See [`Section::BG1`].
    BG1,
}

impl From<G1Section> for Section {
    fn from(section: G1Section) -> Self {
        match section {
            G1Section::H => Self::H,
            G1Section::L => Self::L,
            G1Section::A => Self::A,
            G1Section::BG1 => Self::BG1,
        }
    }
}

impl Section {
    /// The sections behind the verifying key, in file order.
    pub const QUERIES: [Self; 5] = [Self::H, Self::L, Self::A, Self::BG1, Self::BG2];

    /// Bytes of one point of the section.
    pub const fn point_bytes(self) -> u64 {
        match self {
            Self::BG2 => G2Affine::BYTES as u64,
            Self::VerifyingKey | Self::H | Self::L | Self::A | Self::BG1 => G1Affine::BYTES as u64,
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::VerifyingKey => "verifying key",
            Self::H => "h",
            Self::L => "l",
            Self::A => "a",
            Self::BG1 => "b_g1",
            Self::BG2 => "b_g2",
        })
    }
}

/// The counts of a parameter file, from which every position in it follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamsLayout {
    /// Inputs of the circuit, the constant ONE included.
    pub ic: u64,
    /// Points of `h`: one less than the domain.
    pub h: u64,
    /// Points of `l`: the auxiliary variables.
    pub l: u64,
    /// Points of `a`.
    pub a: u64,
    /// Points of `b_g1`, and as many of `b_g2`.
    pub b: u64,
}

impl ParamsLayout {
    /// Bytes of a section's count.
    const COUNT_BYTES: u64 = 4;

    /// The layout that the parameters of a circuit have.
    pub fn of_circuit(counts: &Counts) -> Self {
        Self {
            ic: counts.inputs as u64,
            h: (1 << counts.domain_log2()) - 1,
            l: counts.aux as u64,
            a: counts.a_bases as u64,
            b: counts.b_bases as u64,
        }
    }

    /// Points in a section.
    pub const fn count(&self, section: Section) -> u64 {
        match section {
            Section::VerifyingKey => self.ic,
            Section::H => self.h,
            Section::L => self.l,
            Section::A => self.a,
            Section::BG1 | Section::BG2 => self.b,
        }
    }

    /// Byte position of a section's first point: behind its count (for the verifying key: of `ic[0]`).
    pub fn offset(&self, section: Section) -> u64 {
        let mut offset = VerifyingKey::FIXED_BYTES as u64;
        let mut before = Section::VerifyingKey;
        for query in Section::QUERIES {
            if before == section {
                break;
            }
            offset += self.bytes(before) + Self::COUNT_BYTES;
            before = query;
        }
        offset
    }

    /// Bytes of a section's points, without its count.
    pub const fn bytes(&self, section: Section) -> u64 {
        self.count(section) * section.point_bytes()
    }

    /// Bytes of the whole file.
    pub fn file_bytes(&self) -> u64 {
        self.offset(Section::BG2) + self.bytes(Section::BG2)
    }

    /// Points behind the verifying key, G1 and G2 together.
    pub fn points(&self) -> u64 {
        Section::QUERIES.iter().map(|section| self.count(*section)).sum()
    }
}

/// How far a long operation has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Points done.
    pub done: u64,
    /// Points in all.
    pub total: u64,
}

#[cfg(test)]
mod tests {
    use cuzk_testing::TimeLimit;

    use super::*;

    #[test]
    fn the_layout_of_a_published_file() {
        let _limit = TimeLimit::seconds(10);
        // 2 KiB PoRep.
        let layout = ParamsLayout { ic: 40, h: (1 << 22) - 1, l: 2_685_673, a: 2_674_948, b: 685_522 };
        assert_eq!(layout.offset(Section::VerifyingKey), 868);
        assert_eq!(layout.offset(Section::H), 868 + 96 * 40 + 4);
        assert_eq!(layout.offset(Section::L), layout.offset(Section::H) + 96 * layout.h + 4);
        assert_eq!(layout.offset(Section::BG2), layout.offset(Section::BG1) + 96 * layout.b + 4);
        assert_eq!(layout.file_bytes(), layout.offset(Section::BG2) + 192 * layout.b);
        assert_eq!(layout.points(), layout.h + layout.l + layout.a + 2 * layout.b);
    }
}
