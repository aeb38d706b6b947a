//! Reading a parameter file with positioned reads.

use std::{
    fs::File,
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use blstrs::{G1Affine, G2Affine};
use rayon::prelude::*;

use super::{G1Section, ParamsError, ParamsLayout, Point, Section};
use crate::VerifyingKey;

/// Points that one thread reads and converts at a time: at most 1.5 MiB of file.
const CHUNK_POINTS: usize = 8192;

/// What stands at the head of a parameter file, and where the rest is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The verifying key, every point of it checked.
    pub vk: VerifyingKey,
    /// Counts and positions.
    pub layout: ParamsLayout,
}

/// An open parameter file whose lengths have all been checked against its size.
///
/// Sections are read on demand, in chunks of bounded size, on the rayon pool of the caller. Every point is checked to
/// be finite and on the curve; membership in the subgroup is [`check`](super::check())'s work.
#[derive(Debug)]
pub struct Reader {
    path: PathBuf,
    file: File,
    header: Header,
}

impl Reader {
    /// Opens a file, checks every count in it against the file's size and reads the verifying key.
    ///
    /// Nothing is allocated before the counts that size it have been checked.
    ///
    /// # Errors
    /// [`ParamsError`]: unreadable, truncated, with trailing bytes, with counts that no circuit has, or with a bad
    /// point in the verifying key.
    pub fn open(path: &Path) -> Result<Self, ParamsError> {
        let io_error = |source| ParamsError::io(path, "open", source);
        let file = File::open(path).map_err(io_error)?;
        let metadata = file.metadata().map_err(io_error)?;
        if !metadata.is_file() {
            return Err(io_error(io::Error::other("it is no regular file")));
        }
        let layout = read_layout(path, &file, metadata.len())?;
        check_counts(path, &layout)?;
        let vk = read_vk(path, &file, &layout)?;
        Ok(Self { path: path.to_owned(), file, header: Header { vk, layout } })
    }

    /// The file's path, as it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The verifying key and the counts.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Checks that the file has the counts of a circuit: the cheap test that it is the right file.
    ///
    /// # Errors
    /// [`ParamsError::Count`] for the first section that differs.
    pub fn expect_layout(&self, expected: &ParamsLayout) -> Result<(), ParamsError> {
        for section in [Section::VerifyingKey].into_iter().chain(Section::QUERIES) {
            let (expected, found) = (expected.count(section), self.header.layout.count(section));
            if expected != found {
                return Err(count_error(&self.path, section, expected.to_string(), found));
            }
        }
        Ok(())
    }

    /// All points of a G1 section.
    ///
    /// # Errors
    /// [`ParamsError`]: a bad point, by its index; a file that shrank; no memory.
    pub fn g1(&self, section: G1Section) -> Result<Vec<G1Affine>, ParamsError> {
        self.all(section.into())
    }

    /// All points of `b_g2`.
    ///
    /// # Errors
    /// As [`Self::g1`].
    pub fn g2(&self) -> Result<Vec<G2Affine>, ParamsError> {
        self.all(Section::BG2)
    }

    /// Fills `points` with the points of a G1 section from index `first` on.
    ///
    /// # Errors
    /// As [`Self::g1`].
    ///
    /// # Panics
    /// When the section has fewer than `first + points.len()` points.
    pub fn g1_into(&self, section: G1Section, first: u64, points: &mut [G1Affine]) -> Result<(), ParamsError> {
        self.range(section.into(), first, points)
    }

    /// Fills `points` with the points of `b_g2` from index `first` on.
    ///
    /// # Errors
    /// As [`Self::g1`].
    ///
    /// # Panics
    /// When the section has fewer than `first + points.len()` points.
    pub fn g2_into(&self, first: u64, points: &mut [G2Affine]) -> Result<(), ParamsError> {
        self.range(Section::BG2, first, points)
    }

    fn all<P: Point>(&self, section: Section) -> Result<Vec<P>, ParamsError> {
        let bytes = self.header.layout.bytes(section);
        let count = self.header.layout.count(section) as usize;
        let mut points = Vec::new();
        points.try_reserve_exact(count).map_err(|_| ParamsError::Memory { path: self.path.clone(), section, bytes })?;
        // The pages are first touched in parallel, and the vector comes out without unsafe code.
        rayon::iter::repeat_n(P::identity(), count).collect_into_vec(&mut points);
        self.range(section, 0, &mut points)?;
        Ok(points)
    }

    /// Reads and converts a range of a section, chunk by chunk in parallel. The point type is the section's.
    pub(crate) fn range<P: Point>(&self, section: Section, first: u64, points: &mut [P]) -> Result<(), ParamsError> {
        let layout = &self.header.layout;
        debug_assert_eq!(P::BYTES as u64, section.point_bytes());
        assert!(first + points.len() as u64 <= layout.count(section), "section {section} has fewer points");
        let start = layout.offset(section) + first * P::BYTES as u64;
        points.par_chunks_mut(CHUNK_POINTS).enumerate().try_for_each_init(Vec::new, |bytes, (chunk, points)| {
            let index = (chunk * CHUNK_POINTS) as u64;
            bytes.resize(points.len() * P::BYTES, 0);
            self.file
                .read_exact_at(bytes, start + index * P::BYTES as u64)
                .map_err(|source| self.read_error(section, source))?;
            for (offset, (point, bytes)) in points.iter_mut().zip(bytes.chunks_exact(P::BYTES)).enumerate() {
                *point = P::decode(bytes).map_err(|fault| ParamsError::Point {
                    path: self.path.clone(),
                    section,
                    index: first + index + offset as u64,
                    fault,
                })?;
            }
            Ok(())
        })
    }

    /// A read that ends early means that the file shrank after it was opened.
    fn read_error(&self, section: Section, source: io::Error) -> ParamsError {
        if source.kind() != io::ErrorKind::UnexpectedEof {
            return ParamsError::io(&self.path, "read", source);
        }
        let layout = &self.header.layout;
        ParamsError::Truncated {
            path: self.path.clone(),
            section,
            points: layout.count(section),
            expected: layout.offset(section) + layout.bytes(section),
            found: self.file.metadata().map_or(0, |metadata| metadata.len()),
        }
    }
}

/// Reads the six counts, each only after everything before it is known to be in the file.
fn read_layout(path: &Path, file: &File, found: u64) -> Result<ParamsLayout, ParamsError> {
    let mut end = (VerifyingKey::FIXED_BYTES as u64) - ParamsLayout::COUNT_BYTES;
    let mut count = |section: Section| {
        let truncated =
            |points, expected| ParamsError::Truncated { path: path.to_owned(), section, points, expected, found };
        let start = end + ParamsLayout::COUNT_BYTES;
        if start > found {
            return Err(truncated(0, start));
        }
        let mut bytes = [0; ParamsLayout::COUNT_BYTES as usize];
        file.read_exact_at(&mut bytes, end).map_err(|source| ParamsError::io(path, "read", source))?;
        let points = u64::from(u32::from_be_bytes(bytes));
        end = start + points * section.point_bytes();
        if end > found { Err(truncated(points, end)) } else { Ok(points) }
    };
    let ic = count(Section::VerifyingKey)?;
    let h = count(Section::H)?;
    let l = count(Section::L)?;
    let a = count(Section::A)?;
    let b = count(Section::BG1)?;
    let b_g2 = count(Section::BG2)?;
    if end < found {
        return Err(ParamsError::Trailing { path: path.to_owned(), expected: end, found });
    }
    if b_g2 != b {
        return Err(count_error(path, Section::BG2, format!("{b} as in b_g1"), b_g2));
    }
    Ok(ParamsLayout { ic, h, l, a, b })
}

/// Relations between the counts that hold for every circuit.
fn check_counts(path: &Path, layout: &ParamsLayout) -> Result<(), ParamsError> {
    let ParamsLayout { ic, h, l, a, b } = *layout;
    if ic == 0 {
        return Err(count_error(path, Section::VerifyingKey, "at least the constant ONE".into(), ic));
    }
    if !(h + 1).is_power_of_two() {
        return Err(count_error(path, Section::H, "one less than a power of two".into(), h));
    }
    if a < ic || a > ic + l {
        return Err(count_error(path, Section::A, format!("{ic} inputs and at most {l} others"), a));
    }
    if b > ic + l {
        return Err(count_error(path, Section::BG1, format!("at most {}", ic + l), b));
    }
    Ok(())
}

fn read_vk(path: &Path, file: &File, layout: &ParamsLayout) -> Result<VerifyingKey, ParamsError> {
    let bytes = VerifyingKey::FIXED_BYTES + layout.bytes(Section::VerifyingKey) as usize;
    let mut bytes = vec![0; bytes];
    file.read_exact_at(&mut bytes, 0).map_err(|source| ParamsError::io(path, "read", source))?;
    VerifyingKey::from_bytes(&bytes).map_err(|source| ParamsError::VerifyingKey { path: path.to_owned(), source })
}

fn count_error(path: &Path, section: Section, expected: String, found: u64) -> ParamsError {
    ParamsError::Count { path: path.to_owned(), section, expected, found }
}
