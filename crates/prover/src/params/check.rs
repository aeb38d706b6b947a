//! The full check of a parameter file: what a [`Reader`] always checks, and the subgroup of every point.

use std::path::Path;

use blstrs::{G1Affine, G2Affine};
use rand::{SeedableRng, rngs::StdRng};
use rayon::prelude::*;

use super::{ParamsError, ParamsLayout, Point, PointFault, Progress, Reader, Section, subgroup};
use crate::generate::is_development;

/// Points that one thread holds and checks at a time: 25 MB in G1, 50 MB in G2.
const BATCH_POINTS: usize = 1 << 18;

/// What a checked parameter file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckReport {
    /// Points of every section.
    pub layout: ParamsLayout,
    /// Identity of the verifying key: SHA-256 of its encoding.
    pub vk_digest: [u8; 32],
    /// Whether the toxic waste is the published one of the development generator: such a key proves nothing to anyone.
    pub development: bool,
}

/// Checks every point of a file to be finite, on the curve and in the subgroup of prime order.
///
/// Runs on the rayon pool of the caller and calls `progress` from the calling thread, first with 0 points done. The
/// subgroup is checked in random batches; a bad point is overlooked with a probability of at most `2^-50`.
///
/// # Errors
/// [`ParamsError`]: what [`Reader::open`] finds, or the first bad point found, by section and index.
pub fn check(path: &Path, progress: &mut dyn FnMut(Progress)) -> Result<CheckReport, ParamsError> {
    let reader = Reader::open(path)?;
    let layout = reader.header().layout;
    let total = layout.points();
    let mut done = 0;
    progress(Progress { done, total });
    for section in Section::QUERIES {
        let mut advance = |points| {
            done += points;
            progress(Progress { done, total });
        };
        match section {
            Section::BG2 => check_section::<G2Affine>(&reader, section, &mut advance)?,
            _ => check_section::<G1Affine>(&reader, section, &mut advance)?,
        }
    }
    let vk = &reader.header().vk;
    Ok(CheckReport { layout, vk_digest: vk.digest(), development: is_development(vk) })
}

fn check_section<P: Point>(reader: &Reader, section: Section, advance: &mut dyn FnMut(u64)) -> Result<(), ParamsError> {
    let count = reader.header().layout.count(section);
    let step = (BATCH_POINTS * rayon::current_num_threads()) as u64;
    for first in (0..count).step_by(step as usize) {
        let end = count.min(first + step);
        let batches: Vec<u64> = (first..end).step_by(BATCH_POINTS).collect();
        batches.into_par_iter().try_for_each(|first| {
            let points = (end - first).min(BATCH_POINTS as u64) as usize;
            check_batch::<P>(reader, section, first, points)
        })?;
        advance(end - first);
    }
    Ok(())
}

fn check_batch<P: Point>(reader: &Reader, section: Section, first: u64, count: usize) -> Result<(), ParamsError> {
    let mut points = vec![P::identity(); count];
    reader.range(section, first, &mut points)?;
    match subgroup::find_stray(&points, &mut StdRng::from_entropy()) {
        None => Ok(()),
        Some(index) => Err(ParamsError::Point {
            path: reader.path().to_owned(),
            section,
            index: first + index as u64,
            fault: PointFault::NotInSubgroup,
        }),
    }
}
