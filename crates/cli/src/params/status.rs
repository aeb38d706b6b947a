//! `cuzk params status`.

use std::path::Path;

use cuzk_engine::{FileReport, inspect};
use cuzk_filecoin::{
    CircuitId,
    parameters::{FileRole, ParameterFile, Remembered, cache_dir_from_env, parameter_dir_from_env},
};
use serde_json::json;

use super::{to_json, trouble};
use crate::{args::ParamsStatusArgs, table};

/// Lists all published files with what is known of each.
pub(crate) fn run(args: &ParamsStatusArgs, json: bool) {
    let dir = parameter_dir_from_env(args.params.params_dir.clone());
    let remembered = Remembered::beside(&dir, cache_dir_from_env().as_deref());
    let reports: Vec<FileReport> = ParameterFile::all(&dir).map(|file| inspect(file, &remembered)).collect();
    if json {
        println!("{}", json!({ "dir": dir, "files": reports.iter().map(to_json).collect::<Vec<_>>() }));
    } else {
        print(&dir, &reports);
    }
}

/// A line a circuit. The names, some 160 characters each, stand below: in the table nobody could read either.
fn print(dir: &Path, reports: &[FileReport]) {
    let absent = if dir.is_dir() { "" } else { ", which is no directory" };
    println!("parameter files in {}{absent}", dir.display());
    let rows: Vec<Vec<String>> = CircuitId::all()
        .map(|circuit| {
            let of_circuit = reports.iter().filter(|report| report.file.circuit == circuit).flat_map(cells);
            [circuit.to_string(), circuit.kind.to_string(), circuit.size.to_string()]
                .into_iter()
                .chain(of_circuit)
                .collect()
        })
        .collect();
    table::print(&["circuit", "kind", "sector", "params", "bytes", "vk", "bytes"], &rows);
    println!();
    print_meanings(reports);
    for report in reports {
        if let Some(trouble) = trouble(report) {
            println!("  {} {}: {trouble}", report.file.circuit, report.file.role.extension());
        }
    }
    println!("\nfile names (the verifying key has the same one, ending in .vk)");
    for report in reports.iter().filter(|report| report.file.role == FileRole::Params) {
        println!("  {:12}  {}", report.file.circuit, report.file.name());
    }
}

fn cells(report: &FileReport) -> [String; 2] {
    [report.state.as_str().to_owned(), report.bytes.map_or_else(|| "-".to_owned(), table::bytes)]
}

/// Says what the words in the table mean, as far as they occur.
fn print_meanings(reports: &[FileReport]) {
    const MEANINGS: [&str; 5] = [
        "published: production parameters, their digest is the published one",
        "not checked: the digest was not computed yet, `cuzk params check` does that",
        "development: worthless on any chain, `cuzk serve` refuses it unless allowed",
        "wrong: neither the published file nor a development one",
        "unusable: unreadable, damaged, or not a parameter file",
    ];
    for meaning in MEANINGS {
        let occurs = |report: &FileReport| meaning.starts_with(&format!("{}:", report.state.as_str()));
        if reports.iter().any(occurs) {
            println!("  {meaning}");
        }
    }
}
