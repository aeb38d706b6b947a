//! Our CPU prover and generator beside bellperson's, on the same work in one run.
//!
//! Each side runs in a process of its own, so that its peak memory is its own; they run one after the other. CPU
//! seconds are user plus system time of the process over the measured part alone: for the proof, from the parsed request to
//! the proof's bytes with the key loaded before (ours with the witness solved by the compiled circuit); for the generator, from the recorded
//! circuit to the file.
//!
//! `compare_bellperson PARAMS_DIR [CIRCUIT …]` prints a table and, last, `ratio N`: bellperson's CPU seconds over ours for
//! a 2 KiB PoRep proof, or the last circuit named. It fails if the two proofs (same r and s) or the two parameter files
//! differ.

use std::{error::Error, fs::File, io::BufReader, num::NonZeroUsize, path::Path, process::Command, sync::Arc};

use bellperson::{Circuit, ConstraintSystem, SynthesisError, groth16};
use blstrs::{Bls12, G1Projective, G2Projective, Scalar};
use cuzk_circuit::{R1cs, Rules};
use cuzk_engine::ensure_development_params;
use cuzk_filecoin::{CircuitId, Request, compile, synthetic};
use cuzk_memory::{Ledger, Scope};
use cuzk_prover::{
    Backend, CpuBackend, ProvingKey,
    generate::{self, ToxicWaste},
    params::{Existing, Reader},
};
use cuzk_testing::RandomCircuit;
use group::Group;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The circuit whose ratio is the last line.
const CIRCUIT: &str = "porep-2k";
/// Gates of the random circuit that both generators are given.
const GENERATOR_STEPS: usize = 60_000;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["proof", "ours", circuit, params, out] => measured(out, || our_proof(circuit.parse()?, Path::new(params))),
        ["proof", "bellperson", circuit, params, out] => {
            measured(out, || bellperson_proof(circuit.parse()?, Path::new(params)))
        }
        ["generator", "ours", out] => measured(out, || our_generator(Path::new(out))),
        ["generator", "bellperson", out] => measured(out, bellperson_generator),
        [dir] => compare(Path::new(dir), &[CIRCUIT]),
        [dir, ref circuits @ ..] => compare(Path::new(dir), circuits),
        [] => Err("usage: compare_bellperson PARAMS_DIR [CIRCUIT …]".into()),
    }
}

fn compare(dir: &Path, circuits: &[&str]) -> Result<()> {
    let work = tempfile::tempdir()?;
    println!("{:<28} {:>12} {:>12} {:>14}", "", "CPU s", "wall s", "peak MiB");
    let generator = beside(work.path(), "generator", &[])?;
    println!("generator: ratio {generator:.2}");
    let mut ratio = None;
    for &circuit in circuits {
        if let Some(before) = ratio {
            println!("ratio {before:.2}");
        }
        let params = ensure_development_params(circuit.parse()?, dir, &mut |_| {})?.params;
        let params = params.to_str().ok_or("the parameter directory's name is not UTF-8")?;
        ratio = Some(beside(work.path(), "proof", &[circuit, params])?);
    }
    println!("ratio {:.2}", ratio.ok_or("no circuit was named")?);
    Ok(())
}

/// Runs both sides of one kind of work and returns bellperson's CPU seconds over ours.
fn beside(work: &Path, kind: &str, arguments: &[&str]) -> Result<f64> {
    let mut seconds = Vec::new();
    let mut results = Vec::new();
    for side in ["bellperson", "ours"] {
        let out = work.join(format!("{kind}-{side}"));
        let output = Command::new(std::env::current_exe()?).args([kind, side]).args(arguments).arg(&out).output()?;
        if !output.status.success() {
            return Err(format!("{kind} {side}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        let text = String::from_utf8(output.stdout)?;
        let figures: Vec<f64> = text.split_whitespace().map(str::parse).collect::<std::result::Result<_, _>>()?;
        let [cpu, wall, peak] = figures[..] else { return Err(format!("{kind} {side} said {text:?}").into()) };
        let what = if kind == "proof" { arguments[0] } else { kind };
        println!("{:<28} {cpu:>12.2} {wall:>12.2} {peak:>14.0}", format!("{what}, {side}"));
        seconds.push(cpu);
        results.push(std::fs::read(&out)?);
    }
    if results[0] != results[1] {
        return Err(format!("{kind}: the two results differ").into());
    }
    Ok(seconds[0] / seconds[1])
}

/// A measured part: CPU seconds, wall seconds and bytes to compare (`None` if they are in the output file already).
struct Measured {
    cpu: f64,
    wall: f64,
    result: Option<Vec<u8>>,
}

fn measured(out: &str, work: impl FnOnce() -> Result<Measured>) -> Result<()> {
    let measured = work()?;
    if let Some(result) = measured.result {
        std::fs::write(out, result)?;
    }
    println!("{} {} {}", measured.cpu, measured.wall, peak_mib()?);
    Ok(())
}

fn measure<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, f64, f64)> {
    let (cpu, wall) = (cpu_seconds()?, std::time::Instant::now());
    let result = work()?;
    Ok((result, cpu_seconds()? - cpu, wall.elapsed().as_secs_f64()))
}

fn request(id: CircuitId) -> Result<Request> {
    Ok(Request::parse(&synthetic::submission(id, 1000, 1, 0)?)?)
}

/// The blinding factors of both sides. Equal ones make equal proofs.
fn blinding() -> (Scalar, Scalar) {
    (Scalar::from(0x5eed_0001), Scalar::from(0x5eed_0002))
}

fn our_proof(id: CircuitId, params: &Path) -> Result<Measured> {
    let request = request(id)?;
    let ledger = Ledger::new(&[]);
    let circuit = Arc::new(compile(id, &ledger, Rules::All)?);
    let key = Arc::new(ProvingKey::load(&Reader::open(params)?, circuit.clone(), &ledger)?);
    let backend = CpuBackend::new(std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))?;
    let (r, s) = blinding();
    let (proof, cpu, wall) = measure(|| {
        let advice = request.advice(0, &circuit)?;
        let solved = circuit.solve(advice, &ledger, &Scope::default())?;
        Ok(backend.start(&key, solved, r, s)?.finish()?)
    })?;
    Ok(Measured { cpu, wall, result: Some(proof.to_bytes().to_vec()) })
}

/// A partition of a request as bellperson wants it.
struct Partition<'a>(&'a Request);

impl Circuit<Scalar> for Partition<'_> {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> std::result::Result<(), SynthesisError> {
        self.0.synthesize(0, cs)
    }
}

fn bellperson_proof(id: CircuitId, params: &Path) -> Result<Measured> {
    let request = request(id)?;
    let params = groth16::Parameters::<Bls12>::read(BufReader::new(File::open(params)?), false)?;
    let (r, s) = blinding();
    let (proof, cpu, wall) = measure(|| Ok(groth16::create_proof(Partition(&request), &params, r, s)?))?;
    let mut bytes = Vec::new();
    proof.write(&mut bytes)?;
    Ok(Measured { cpu, wall, result: Some(bytes) })
}

fn our_generator(out: &Path) -> Result<Measured> {
    let circuit = RandomCircuit::new(1, GENERATOR_STEPS).blank();
    let r1cs = R1cs::record(|cs| circuit.synthesize(cs))?;
    let (_, cpu, wall) = measure(|| Ok(generate::generate(&r1cs, out, Existing::Keep, &mut |_| {})?))?;
    Ok(Measured { cpu, wall, result: None })
}

fn bellperson_generator() -> Result<Measured> {
    let circuit = RandomCircuit::new(1, GENERATOR_STEPS).blank();
    let ToxicWaste { alpha, beta, gamma, delta, tau } = ToxicWaste::development();
    let (g1, g2) = (G1Projective::generator(), G2Projective::generator());
    let (params, cpu, wall) =
        measure(|| Ok(groth16::generate_parameters::<Bls12, _>(circuit, g1, g2, alpha, beta, gamma, delta, tau)?))?;
    let mut bytes = Vec::new();
    params.write(&mut bytes)?;
    Ok(Measured { cpu, wall, result: Some(bytes) })
}

/// User and system time of this process so far, in seconds (`/proc/self/stat`, fields 14 and 15, 100 ticks a second).
fn cpu_seconds() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit_once(')').ok_or("/proc/self/stat has another form")?.1;
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
    Ok(ticks.sum::<std::result::Result<u64, _>>()? as f64 / 100.0)
}

/// The most memory that this process ever had resident, in MiB (`VmHWM`).
fn peak_mib() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kib as f64 / 1024.0)
}
