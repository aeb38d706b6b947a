//! `cuzk bench`.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use cuzk_circuit::{Circuit, Compared, Rules, SOLVER_SCRATCH, SOLVING, Witness};
use cuzk_filecoin::{CircuitId, Request, compile, parameters::parameter_dir_from_env, synthetic};
use cuzk_memory::{Ledger, Scope};
use serde_json::json;

use crate::{
    args::BenchSolveArgs,
    circuits,
    progress::{Step, seconds},
    table,
};

/// Solves a partition's witness, lets the gadgets compute it too, and compares both.
pub(crate) fn solve(args: &BenchSolveArgs, json: bool) -> anyhow::Result<()> {
    let id = CircuitId::new(args.kind.into(), args.sector_size);
    let step = Step::spinner(format!("{id} request"));
    let request = Request::parse(&synthetic::submission(id, 1000, 1, args.seed)?)?;
    step.done("made and checked");

    let ledger = Ledger::new(&[&SOLVER_SCRATCH]);
    let (circuit, origin, circuit_time) = circuit(id, args, &ledger)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads.get()).build()?;
    let step = Step::spinner("advice");
    let (advice_times, advice) = repeated(args.runs.get(), || {
        let started = Instant::now();
        let advice = request.advice(0, &circuit)?;
        Ok((started.elapsed(), advice))
    })?;
    let (values, advice_bytes) = (advice.len(), advice.bytes());
    step.done(&format!("{values} values in {} (median of {})", seconds(median(&advice_times)), args.runs));
    let step = Step::spinner("solver");
    let mut copies = vec![advice; args.runs.get()];
    let (solve_times, solved) = repeated(args.runs.get(), || {
        let advice = copies.pop().context("one copy a run")?;
        let solve = || circuit.solve(advice, &ledger, &Scope::default());
        let started = Instant::now();
        let solved = pool.install(solve)?;
        Ok((started.elapsed(), solved))
    })?;
    step.done(&format!("{} on {} threads (median of {})", seconds(median(&solve_times)), args.threads, args.runs));
    ensure!(solved.inputs()[1..] == request.public_inputs(0)?[..], "the witness is one of other public inputs");
    let bytes = solved.bytes();
    let scratch = ledger.snapshot().class(SOLVER_SCRATCH.name()).map_or(0, |class| class.peak_bytes);
    let witness = pool.install(|| solved.into_witness(&circuit, &SOLVING))?;

    let step = Step::spinner("gadgets");
    let limit = Some(args.gadgets_aux.get()).filter(|_| !args.whole);
    let started = Instant::now();
    // One thread, and no gadget that would share its work among several.
    let single = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let Compared { aux, different } =
        single.install(|| witness.compare(limit, |cs| request.synthesize(0, cs))).context("the gadgets")?;
    let gadgets = started.elapsed();
    let all = circuit.counts().aux;
    let scaled = gadgets.as_secs_f64() * all as f64 / aux as f64;
    let how = if aux == all { "all values".to_owned() } else { format!("{aux} of {all} values, scaled to all") };
    step.done(&format!("{scaled:.2} s ({how}), {}", if different.is_none() { "all equal" } else { "NOT equal" }));
    ensure!(different.is_none(), "the gadgets compute another value for {different:?}");

    let solve_s = median(&solve_times).as_secs_f64();
    let ratio = scaled / solve_s;
    let ns_per_aux = solve_s * 1e9 / all as f64;
    if json {
        let times = |times: &[Duration]| times.iter().map(Duration::as_secs_f64).collect::<Vec<_>>();
        println!(
            "{}",
            json!({
                "circuit": id.to_string(),
                "kind": id.kind.name(),
                "sector_size": id.size.bytes(),
                "constraints": circuit.counts().constraints,
                "aux": all,
                "bits": circuit.layout().bits(),
                "scalars": circuit.layout().scalars(),
                "parts": circuit.parts().0,
                "different_parts": circuit.parts().1,
                "checks": circuit.checks(),
                "circuit_bytes": circuit.bytes(),
                "circuit_from": origin,
                "circuit_s": circuit_time.as_secs_f64(),
                "advice": values,
                "advice_bytes": advice_bytes,
                "advice_s": median(&advice_times).as_secs_f64(),
                "threads": args.threads,
                "solve_s": solve_s,
                "solve_all_s": times(&solve_times),
                "ns_per_aux": ns_per_aux,
                "bytes": bytes,
                "witness_bytes": Witness::bytes_for(circuit.layout()),
                "scratch_bytes": scratch,
                "gadgets_aux": aux,
                "gadgets_measured_s": gadgets.as_secs_f64(),
                "gadgets_s": scaled,
                "gadgets_scaled": aux != all,
                "gadgets_threads": 1,
                "equal": different.is_none(),
                "ratio": ratio,
            })
        );
    } else {
        println!(
            "{id}: {solve_s:.4} s, {ns_per_aux:.2} ns a variable, {} and {} of scratch; gadgets {scaled:.2} s ({how}), {ratio:.0} times as long",
            table::bytes(bytes),
            table::bytes(scratch),
        );
    }
    Ok(())
}

/// The circuit from its file, if that is of use, or compiled; nothing is written.
fn circuit(id: CircuitId, args: &BenchSolveArgs, ledger: &Ledger) -> anyhow::Result<(Circuit, &'static str, Duration)> {
    let step = Step::spinner(format!("circuit {id}"));
    let files = circuits::files(&parameter_dir_from_env(args.params.params_dir.clone()));
    let started = Instant::now();
    let (circuit, origin) = match files.read(id, ledger) {
        Ok((circuit, _)) => (circuit, "file"),
        Err(_) => (compile(id, ledger, Rules::All)?, "compiled"),
    };
    let time = started.elapsed();
    step.done(&format!("{origin}: {} in memory", table::bytes(circuit.bytes())));
    Ok((circuit, origin, time))
}

/// Does something several times; the times, and the last result. Results before it are dropped outside the time.
fn repeated<T>(
    runs: usize,
    mut work: impl FnMut() -> anyhow::Result<(Duration, T)>,
) -> anyhow::Result<(Vec<Duration>, T)> {
    let mut times = Vec::with_capacity(runs);
    loop {
        let (time, result) = work()?;
        times.push(time);
        if times.len() >= runs {
            return Ok((times, result));
        }
    }
}

fn median(times: &[Duration]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}
