//! Groth16 parameters for development: complete, in the exact file format, and worthless as evidence.
//!
//! Owns the toxic waste, which is fixed and published here, the evaluation of a circuit's polynomials at tau, and the
//! writing of the file; the points come from windowed tables of the two generators ([`crate::fixed_base`]).
//!
//! With `u_j`, `v_j`, `w_j` the polynomials of column `j` of A, B, C over the domain of `m` roots of unity (Groth 2016,
//! section 3.2; the same file as bellperson's generator makes from the same values):
//!
//! | section | scalars |
//! |---|---|
//! | `ic` | `(beta·u_j(tau) + alpha·v_j(tau) + w_j(tau)) / gamma` for inputs |
//! | `h` | `tau^i · (tau^m − 1) / delta` for `i < m − 1` |
//! | `l` | `(beta·u_j(tau) + alpha·v_j(tau) + w_j(tau)) / delta` for auxiliary variables |
//! | `a` | `u_j(tau)` where it is not zero |
//! | `b_g1`, `b_g2` | `v_j(tau)` where it is not zero |
//!
//! Memory: 32 bytes a column, the tables, and blocks of bounded size; the file is streamed.

mod columns;
mod toxic;

use std::path::Path;

use blstrs::{G1Affine, G2Affine, Scalar};
use cuzk_circuit::R1cs;
use ff::{Field, PrimeField};
use group::prime::PrimeCurveAffine;
use rayon::prelude::*;

use self::columns::{Combination, Domain};
pub use self::toxic::{DEVELOPMENT_SEED, ToxicWaste, is_development};
use crate::{
    VerifyingKey,
    fixed_base::FixedBase,
    params::{Existing, NewFile, ParamsError, ParamsLayout, Point, Progress},
};

/// Points that one thread makes at a time.
const CHUNK_POINTS: usize = 1 << 13;

/// Chunks that are made before they are written: a bound on memory that keeps every thread busy.
const CHUNKS_PER_THREAD: usize = 4;

/// Generates development parameters for a circuit and writes them to `path`, atomically.
///
/// The same circuit always gives the same bytes. Runs on the rayon pool of the caller, some 4 µs of CPU a G1 point and
/// 11 a G2 point; `progress` is called from the calling thread, first with 0 points done.
///
/// # Errors
/// [`ParamsError`]: the path is one where nothing may be written (see [`NewFile::create`]; found before any work); an
/// auxiliary variable is unconstrained; the circuit is too large; the file cannot be written.
pub fn generate(
    r1cs: &R1cs,
    path: &Path,
    existing: Existing,
    progress: &mut dyn FnMut(Progress),
) -> Result<VerifyingKey, ParamsError> {
    let limit = 1u64 << (Scalar::S - 1);
    let constraints = r1cs.constraints() as u64 + r1cs.inputs() as u64;
    if constraints > limit {
        return Err(ParamsError::TooLarge { constraints, limit });
    }
    let file = NewFile::create(path, existing)?;
    let toxic = ToxicWaste::development();
    let domain = Domain::new(constraints.next_power_of_two().trailing_zeros(), toxic.tau);
    let layout = ParamsLayout::of_circuit(&r1cs.counts());
    let total = layout.points();
    progress(Progress { done: 0, total });
    let sections = Sections {
        file,
        g1: FixedBase::new(
            G1Affine::generator(),
            FixedBase::<G1Affine>::width_for((layout.points() - layout.b) as usize),
        ),
        g2: FixedBase::new(G2Affine::generator(), FixedBase::<G2Affine>::width_for(layout.b as usize)),
        progress: Tally { done: 0, total, report: progress },
    };
    sections.write(r1cs, &toxic, &domain)
}

/// Counts points and tells the caller.
struct Tally<'a> {
    done: u64,
    total: u64,
    report: &'a mut dyn FnMut(Progress),
}

impl Tally<'_> {
    fn advance(&mut self, points: usize) {
        self.done += points as u64;
        (self.report)(Progress { done: self.done, total: self.total });
    }
}

/// The file being written, section after section.
struct Sections<'a> {
    file: NewFile,
    g1: FixedBase<G1Affine>,
    g2: FixedBase<G2Affine>,
    progress: Tally<'a>,
}

impl Sections<'_> {
    fn write(mut self, r1cs: &R1cs, toxic: &ToxicWaste, domain: &Domain) -> Result<VerifyingKey, ParamsError> {
        let invert = |scalar: Scalar| scalar.invert().expect("the published values are not zero");
        let (gamma_inverse, delta_inverse) = (invert(toxic.gamma), invert(toxic.delta));

        let combination = Combination { a: toxic.beta, b: toxic.alpha, c: Scalar::ONE };
        let mut combined = combination.at_tau(r1cs, domain);
        let (inputs, aux) = combined.split_at_mut(r1cs.inputs());
        if let Some(index) = aux.par_iter().position_first(|value| value.is_zero().into()) {
            return Err(ParamsError::Unconstrained { index });
        }
        inputs.iter_mut().for_each(|value| *value *= gamma_inverse);
        aux.par_iter_mut().for_each(|value| *value *= delta_inverse);
        let vk = toxic.fixed_points().with(self.g1.mul_many(inputs));
        self.file.write_all(&vk.to_bytes())?;

        self.h(domain, toxic.tau, domain.vanishing * delta_inverse)?;
        self.g1(aux)?;
        drop(combined);
        self.g1(&not_zero(Combination::A.at_tau(r1cs, domain)))?;
        let b = not_zero(Combination::B.at_tau(r1cs, domain));
        self.g1(&b)?;
        self.g2(&b)?;
        self.file.commit()?;
        Ok(vk)
    }

    /// The powers of tau are made chunk by chunk, so the section needs no memory of the domain's size.
    fn h(&mut self, domain: &Domain, tau: Scalar, scale: Scalar) -> Result<(), ParamsError> {
        let powers = |first: usize, count: usize| {
            let start = scale * tau.pow_vartime([first as u64]);
            std::iter::successors(Some(start), |power| Some(power * tau)).take(count).collect::<Vec<_>>()
        };
        let count = (domain.m - 1) as usize;
        section(&mut self.file, &mut self.progress, count, |first, count| {
            encoded(&self.g1.mul_many(&powers(first, count)))
        })
    }

    fn g1(&mut self, scalars: &[Scalar]) -> Result<(), ParamsError> {
        section(&mut self.file, &mut self.progress, scalars.len(), |first, count| {
            encoded(&self.g1.mul_many(&scalars[first..first + count]))
        })
    }

    fn g2(&mut self, scalars: &[Scalar]) -> Result<(), ParamsError> {
        section(&mut self.file, &mut self.progress, scalars.len(), |first, count| {
            encoded(&self.g2.mul_many(&scalars[first..first + count]))
        })
    }
}

/// A polynomial that is zero at tau has no base: the prover skips its variable by the same rule.
fn not_zero(mut scalars: Vec<Scalar>) -> Vec<Scalar> {
    scalars.retain(|scalar| !bool::from(scalar.is_zero()));
    scalars
}

/// Writes the count of a section and its points, `chunk(first, count)` giving the encoding of some.
fn section(
    file: &mut NewFile,
    progress: &mut Tally<'_>,
    count: usize,
    chunk: impl Fn(usize, usize) -> Vec<u8> + Sync,
) -> Result<(), ParamsError> {
    let points = u32::try_from(count).expect("a domain of at most 2^31 points and as many columns");
    file.write_all(&points.to_be_bytes())?;
    let step = CHUNK_POINTS * CHUNKS_PER_THREAD * rayon::current_num_threads();
    for first in (0..count).step_by(step) {
        let end = count.min(first + step);
        let starts: Vec<usize> = (first..end).step_by(CHUNK_POINTS).collect();
        let chunks: Vec<Vec<u8>> =
            starts.into_par_iter().map(|start| chunk(start, CHUNK_POINTS.min(end - start))).collect();
        for bytes in &chunks {
            file.write_all(bytes)?;
        }
        progress.advance(end - first);
    }
    Ok(())
}

fn encoded<P: Point>(points: &[P]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(points.len() * P::BYTES);
    for point in points {
        point.encode(&mut bytes);
    }
    bytes
}
