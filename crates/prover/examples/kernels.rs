//! Prints what the CPU kernels cost, in CPU seconds of user time.
//!
//! ```text
//! cargo run --release -p cuzk-prover --example kernels -- [--threads N] [g1 LOG2..] [g2 LOG2..] [subset LOG2..] ..
//! ```
//!
//! Without a kernel named it runs them all at the sizes of the published tables. User time is that of the whole process
//! (`/proc/self/stat`, which counts in hundredths of a second), so run it on a machine that does nothing else and
//! compare with `--threads 1`. The wall time stands beside it.

use std::{hint::black_box, time::Instant};

use blst::blst_fp;
use blstrs::{G1Affine, G2Affine, Scalar};
use cuzk_prover::{
    arith::{Coordinate, CurveAffine, Exponent},
    fft::Domain,
    fixed_base::FixedBase,
    msm::{msm_exponents, subset_sum},
    quotient::quotient,
};
use ff::Field;
use group::{Curve, Group};
use rand::{RngCore, SeedableRng, rngs::StdRng};
use rayon::prelude::*;

/// What runs when the command line names nothing.
const DEFAULT: &str = "g1 18 20 22 g2 16 18 subset 20 fft 18 20 22 quotient 20 fixed 18";

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let mut threads = 1;
    if words.first().is_some_and(|word| word == "--threads") {
        threads = words.get(1).and_then(|count| count.parse().ok()).expect("--threads takes a number");
        words.drain(..2);
    }
    if words.is_empty() {
        words = DEFAULT.split(' ').map(String::from).collect();
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("the threads can be started");
    println!("{threads} threads; CPU seconds (user), wall seconds, CPU nanoseconds an item");
    calibrate();
    let mut kernel = String::new();
    for word in words {
        match word.parse::<u32>() {
            Ok(log2) => pool.install(|| run(&kernel, log2)),
            Err(_) => kernel = word,
        }
    }
}

/// The speed that everything else depends on: with it, figures from different machines can be compared.
fn calibrate() {
    let n = 1 << 24;
    let mut lanes = [blst_fp::ONE.double(); 8];
    report("Fp multiplication", n, n, || {
        for i in 0..n {
            lanes[i % 8] = lanes[i % 8].times(&lanes[(i + 4) % 8]);
        }
        lanes
    });
}

fn run(kernel: &str, log2: u32) {
    let n = 1 << log2;
    match kernel {
        "g1" => sum::<G1Affine>("G1 MSM", n),
        "g2" => sum::<G2Affine>("G2 MSM", n),
        "subset" => {
            subset::<G1Affine>("G1 subset sum", n);
            subset::<G2Affine>("G2 subset sum", n / 4);
        }
        "fft" => fft(log2),
        "quotient" => quotient_of(log2),
        "fixed" => {
            fixed::<G1Affine>("G1 fixed base", n);
            fixed::<G2Affine>("G2 fixed base", n / 4);
        }
        other => eprintln!("no kernel is called '{other}'"),
    }
}

fn sum<C: CurveAffine>(name: &str, n: usize) {
    let (bases, exponents) = (points::<C>(n), Exponent::from_vec(scalars(n)));
    report(name, n, n, || msm_exponents(&bases, &exponents));
}

fn subset<C: CurveAffine>(name: &str, n: usize) {
    let bases = points::<C>(n);
    let mut random = StdRng::seed_from_u64(3);
    let mask: Vec<u64> = (0..n.div_ceil(64)).map(|_| random.next_u64()).collect();
    let selected = mask.iter().map(|word| word.count_ones() as usize).sum();
    report(name, n, selected, || subset_sum(&bases, &mask));
}

fn fft(log2: u32) {
    let domain = report("domain", 1 << log2, 1 << log2, || Domain::new(log2));
    let mut values = scalars(1 << log2);
    report("FFT", 1 << log2, 1 << log2, || domain.fft(&mut values));
    report("inverse FFT", 1 << log2, 1 << log2, || domain.ifft(&mut values));
}

fn quotient_of(log2: u32) {
    let (domain, a) = (Domain::new(log2), scalars(1 << log2));
    let b = a.clone();
    let products = a.iter().zip(&b).map(|(a, b)| a * b).collect();
    report("quotient", 1 << log2, 1 << log2, || quotient(&domain, a, b, || products));
}

fn fixed<C: CurveAffine>(name: &str, n: usize) {
    let scalars = scalars(n);
    let table = report("  its table", n, n, || FixedBase::new(C::generator(), FixedBase::<C>::width_for(n)));
    report(name, n, n, || table.mul_many(&scalars));
}

fn scalars(n: usize) -> Vec<Scalar> {
    let mut random = StdRng::seed_from_u64(1);
    (0..n).map(|_| Scalar::random(&mut random)).collect()
}

/// `n` different points: all sums of two from two short lists.
fn points<C: CurveAffine>(n: usize) -> Vec<C> {
    let mut random = StdRng::seed_from_u64(2);
    let short: Vec<C::Curve> = (0..1024).map(|_| C::Curve::random(&mut random)).collect();
    let long: Vec<C::Curve> = (0..n.div_ceil(1024)).map(|_| C::Curve::random(&mut random)).collect();
    let mut out = vec![C::identity(); n];
    out.par_chunks_mut(1024).zip(long).for_each(|(out, offset)| {
        let sums: Vec<C::Curve> = short[..out.len()].iter().map(|point| *point + offset).collect();
        C::Curve::batch_normalize(&sums, out);
    });
    out
}

/// Runs `work` and prints its time; `items` is what the time is divided by.
fn report<T>(name: &str, n: usize, items: usize, work: impl FnOnce() -> T) -> T {
    let (cpu, wall) = (user_seconds(), Instant::now());
    let out = black_box(work());
    let (cpu, wall) = (user_seconds() - cpu, wall.elapsed().as_secs_f64());
    println!("{name:<22} {n:>9}  {cpu:7.2} s  {wall:7.2} s  {:9.1} ns", cpu * 1e9 / items as f64);
    out
}

/// User time of this process so far: the 14th field of its stat file, the 12th after the command's closing bracket.
fn user_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = stat.rsplit(')').next().and_then(|fields| fields.split_whitespace().nth(11)?.parse::<f64>().ok());
    ticks.unwrap_or(f64::NAN) / 100.0
}
