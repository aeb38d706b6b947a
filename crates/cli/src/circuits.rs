//! `cuzk circuits`.

use std::{path::Path, process::ExitCode, time::Instant};

use anyhow::{Context, ensure};
use cuzk_circuit::{FileError, Header, Rules};
use cuzk_filecoin::{
    CircuitFiles, CircuitId, compile, compile_whole,
    parameters::{FileRole, ParameterFile, cache_dir_from_env, parameter_dir_from_env},
};
use cuzk_memory::Ledger;
use cuzk_prover::params::{ParamsLayout, Reader};
use serde_json::{Value, json};

use crate::{
    args::{BuildCircuitsArgs, CheckCircuitsArgs, CircuitsCommand, ParamsDir, ParamsStatusArgs},
    progress::Step,
    table,
};

/// Builds, lists or checks.
pub(crate) fn run(command: &CircuitsCommand, json: bool) -> anyhow::Result<ExitCode> {
    match command {
        CircuitsCommand::Build(args) => build(args, json)?,
        CircuitsCommand::List(args) => list(args, json),
        CircuitsCommand::Check(args) => return check(args, json),
    }
    Ok(ExitCode::SUCCESS)
}

/// The files of compiled circuits beside the parameters, as the daemon finds them.
pub(crate) fn files(dir: &Path) -> CircuitFiles {
    CircuitFiles::beside(dir, cache_dir_from_env().as_deref())
}

fn build(args: &BuildCircuitsArgs, json: bool) -> anyhow::Result<()> {
    let BuildCircuitsArgs { circuit, all, replace, params: ParamsDir { params_dir } } = args;
    let dir = parameter_dir_from_env(params_dir.clone());
    let has_parameters = |circuit: &CircuitId| ParameterFile::of(*circuit, FileRole::Params, &dir).path.is_file();
    let chosen: Vec<CircuitId> = match (all, &circuit[..]) {
        (true, _) => CircuitId::all().collect(),
        (false, []) => CircuitId::all().filter(has_parameters).collect(),
        (false, named) => named.to_vec(),
    };
    ensure!(
        !chosen.is_empty(),
        "there are no parameters in {}: name circuits with --circuit, or take --all",
        dir.display()
    );
    let files = files(&dir);
    let ledger = Ledger::new(&[]);
    let mut built = Vec::new();
    for id in chosen {
        let step = Step::spinner(format!("circuit {id}"));
        if !replace && let Ok((_, path)) = files.read(id, &ledger) {
            step.done(&format!("found: {}", path.display()));
            built.push(json!({ "circuit": id.to_string(), "file": path, "built": false }));
            continue;
        }
        let started = Instant::now();
        let circuit = compile(id, &ledger, Rules::All).with_context(|| format!("cannot compile {id}"))?;
        let seconds = started.elapsed().as_secs_f64();
        let path = files.write(id, &circuit)?;
        let bytes = path.metadata().map_or(0, |file| file.len());
        let memory = circuit.bytes();
        step.done(&format!(
            "built: {} ({} in memory) in {}",
            table::bytes(bytes),
            table::bytes(memory),
            path.display()
        ));
        built.push(json!({
            "circuit": id.to_string(),
            "file": path,
            "built": true,
            "bytes": bytes,
            "memory_bytes": memory,
            "compile_s": seconds,
        }));
    }
    if json {
        println!("{}", json!({ "circuits": built }));
    }
    Ok(())
}

/// What there is for a circuit.
fn state(header: &Result<Header, FileError>) -> &'static str {
    match header {
        Ok(_) => "current",
        Err(error) if error.is_missing() => "missing",
        Err(FileError::Stale { .. }) => "stale",
        Err(FileError::Foreign { .. } | FileError::Damaged { .. }) => "damaged",
        Err(FileError::Io { .. }) => "unreadable",
    }
}

fn list(args: &ParamsStatusArgs, json: bool) {
    let dir = parameter_dir_from_env(args.params.params_dir.clone());
    let files = files(&dir);
    let circuits = CircuitId::all().map(|id| (id, files.path(id), files.header(id)));
    if json {
        let circuits: Vec<Value> = circuits
            .map(|(id, path, header)| {
                json!({
                    "circuit": id.to_string(),
                    "file": path,
                    "state": state(&header),
                    "bytes": path.metadata().map(|file| file.len()).ok(),
                    "constraints": header.as_ref().map(|header| header.counts.constraints).ok(),
                    "reason": header.err().filter(|error| !error.is_missing()).map(|error| error.to_string()),
                })
            })
            .collect();
        println!("{}", json!({ "dir": dir, "circuits": circuits }));
        return;
    }
    println!("compiled circuits in {}", dir.display());
    let mut troubles = Vec::new();
    let rows: Vec<Vec<String>> = circuits
        .map(|(id, path, header)| {
            let bytes = path.metadata().map_or_else(|_| "-".to_owned(), |file| table::bytes(file.len()));
            let constraints =
                header.as_ref().map_or_else(|_| "-".to_owned(), |header| header.counts.constraints.to_string());
            let row = vec![id.to_string(), state(&header).to_owned(), bytes, constraints];
            troubles.extend(header.err().filter(|error| !error.is_missing()).map(|error| error.to_string()));
            row
        })
        .collect();
    table::print(&["circuit", "file", "bytes", "constraints"], &rows);
    troubles.iter().for_each(|trouble| println!("  {trouble}"));
}

fn check(args: &CheckCircuitsArgs, json: bool) -> anyhow::Result<ExitCode> {
    let CheckCircuitsArgs { circuit, full, params: ParamsDir { params_dir } } = args;
    let dir = parameter_dir_from_env(params_dir.clone());
    let files = files(&dir);
    let chosen: Vec<CircuitId> = match &circuit[..] {
        [] => CircuitId::all().filter(|&id| files.path(id).exists()).collect(),
        named => named.to_vec(),
    };
    let mut checked = Vec::new();
    let mut wrong = 0;
    for id in chosen {
        let step = Step::spinner(format!("circuit {id}"));
        let trouble = check_one(id, &files, &dir, *full).err().map(|error| crate::explain(&error));
        step.done(trouble.as_deref().unwrap_or("right"));
        wrong += usize::from(trouble.is_some());
        checked.push(
            json!({ "circuit": id.to_string(), "file": files.path(id), "ok": trouble.is_none(), "reason": trouble }),
        );
    }
    // To have checked nothing is no success.
    let ok = !checked.is_empty() && wrong == 0;
    if json {
        println!("{}", json!({ "ok": ok, "circuits": checked }));
    } else if checked.is_empty() {
        println!("there is no file of a compiled circuit in {}", dir.display());
    } else {
        println!("{} checked, {wrong} wrong", checked.len());
    }
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn check_one(id: CircuitId, files: &CircuitFiles, dir: &Path, full: bool) -> anyhow::Result<()> {
    let ledger = Ledger::new(&[]);
    let (read, path) = files.read(id, &ledger)?;
    let params = ParameterFile::of(id, FileRole::Params, dir).path;
    if params.exists() {
        Reader::open(&params)?.expect_layout(&ParamsLayout::of_circuit(read.counts()))?;
    }
    if full {
        let compiled = compile_whole(id, &ledger, Rules::All)?;
        ensure!(compiled.is_same(&read), "{}: compiling {id} gives another circuit", path.display());
    }
    Ok(())
}
