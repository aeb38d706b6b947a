//! How fast a 32 GiB PoRep request is parsed and checked, and the memory that it takes.
//!
//! `cargo run --release -p cuzk-filecoin --example parse_speed [RUNS]` makes one request, and parses it wrapped and bare, a
//! typed request out, on this one thread. MB are 10^6 bytes of field 10 as received. Memory is what the allocator has
//! given out: its peak while a request is parsed, and what the request keeps, both over what there was before, the
//! payload included.

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use cuzk_filecoin::{Request, SectorSize, Submission, registered, synthetic};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const SIZE: SectorSize = SectorSize::GiB32;

fn main() -> Result<(), Box<dyn Error>> {
    let runs: usize = std::env::args().nth(1).map_or(Ok(21), |runs| runs.parse())?;
    let output = synthetic::porep(registered::interactive_seal_proof(SIZE), 1000, 1, 0)?;
    let forms = [("wrapped", synthetic::wrap(&output, 1, SIZE.bytes())?), ("bare", serde_json::to_vec(&output)?)];
    drop(output);
    println!("PoRep C2 of {SIZE}, {runs} runs each");
    for (form, payload) in forms {
        report(form, &Submission::porep(payload), runs)?;
    }
    Ok(())
}

fn report(form: &str, submission: &Submission, runs: usize) -> Result<(), Box<dyn Error>> {
    let (mut times, mut peak, mut kept) = (Vec::new(), 0, 0);
    for _ in 0..runs.max(1) {
        let before = ALLOCATOR.current_usage();
        ALLOCATOR.reset_peak_usage();
        let started = Instant::now();
        let request = black_box(Request::parse(black_box(submission))?);
        times.push(started.elapsed());
        peak = peak.max(ALLOCATOR.peak_usage().saturating_sub(before));
        kept = ALLOCATOR.current_usage().saturating_sub(before);
        drop(request);
    }
    times.sort_unstable();
    let bytes = submission.vanilla_proof.len();
    let rate = |time: Duration| mb(bytes) / time.as_secs_f64();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let (best, median) = (times[0], times[times.len() / 2]);
    println!(
        "{form:8}{:5.1} MB: best {:5.1} ms = {:3.0} MB/s, median {:5.1} ms = {:3.0} MB/s; over the payload peak {:.1} MB, \
         kept {:.1} MB",
        mb(bytes),
        ms(best),
        rate(best),
        ms(median),
        rate(median),
        mb(peak),
        mb(kept),
    );
    Ok(())
}

fn mb(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}
