//! `cuzk params check`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::ensure;
use cuzk_engine::{FileReport, FileState, inspect};
use cuzk_filecoin::parameters::{FileRole, ParameterFile, Remembered, cache_dir_from_env, parameter_dir_from_env};
use cuzk_prover::{
    VerifyingKey,
    generate::is_development,
    params::{self, ParamsError, Progress},
};
use serde_json::{Value, json};

use super::{to_json, trouble};
use crate::{args::CheckArgs, progress::Step};

/// A file to check.
struct Target {
    path: PathBuf,
    /// What its name says it is; `None` when no file of that name is published.
    file: Option<ParameterFile>,
}

/// What came of checking a file.
struct Checked {
    path: PathBuf,
    /// What is known of it now; `None` when no file of its name is published.
    report: Option<FileReport>,
    /// Whether its digest was remembered, where that was asked for.
    remembered: Option<bool>,
    /// What the check of all points found, where that was made.
    points: Option<Value>,
    /// Everything that is wrong with it.
    troubles: Vec<String>,
}

/// Checks the files that were asked for. Exit status 1 when one of them is wrong.
pub(crate) fn run(args: &CheckArgs, json: bool) -> anyhow::Result<ExitCode> {
    let dir = parameter_dir_from_env(args.params.params_dir.clone());
    let one = args.circuit.is_some() || args.file.is_some();
    ensure!(one || dir.is_dir(), "{} is no directory: name the right one with --params-dir", dir.display());
    let points = args.points || (one && !args.digest_only);
    let targets = targets(args, &dir);
    for target in &targets {
        let name = target.path.display();
        ensure!(
            points || target.file.is_some(),
            "no file of the name of {name} is published, so it has no digest to check"
        );
    }
    let checked: Vec<Checked> = targets.into_iter().map(|target| check(target, args.rehash, points)).collect();
    // To have checked nothing is no success: a script would go on without any parameters.
    let ok = !checked.is_empty() && checked.iter().all(|checked| checked.troubles.is_empty());
    if json {
        println!("{}", json!({ "ok": ok, "files": checked.iter().map(Checked::to_json).collect::<Vec<_>>() }));
    } else if checked.is_empty() {
        println!("none of the published files is in {}", dir.display());
    } else {
        println!(
            "{} checked, {} wrong",
            checked.len(),
            checked.iter().filter(|file| !file.troubles.is_empty()).count()
        );
    }
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The file that was named, or the circuit's, or all that are there. A circuit's verifying key may be missing.
fn targets(args: &CheckArgs, dir: &Path) -> Vec<Target> {
    if let Some(path) = &args.file {
        return vec![Target { path: path.clone(), file: ParameterFile::at(path) }];
    }
    let chosen = |file: &ParameterFile| match args.circuit {
        Some(circuit) => file.circuit == circuit && (file.role == FileRole::Params || is_there(&file.path)),
        None => is_there(&file.path),
    };
    let files = ParameterFile::all(dir).filter(chosen);
    files.map(|file| Target { path: file.path.clone(), file: Some(file) }).collect()
}

/// A link to nothing is there, and wrong.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn check(target: Target, rehash: bool, points: bool) -> Checked {
    let Target { path, file } = target;
    let label = match &file {
        Some(file) => format!("{} {}", file.circuit, file.role.extension()),
        None => path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
    };
    let mut checked = Checked { path, report: None, remembered: None, points: None, troubles: Vec::new() };
    if let Some(file) = file {
        checked.check_digest(&label, file, rehash);
    }
    if points {
        checked.check_points(&label);
    }
    checked
}

impl Checked {
    fn check_digest(&mut self, label: &str, file: ParameterFile, rehash: bool) {
        let dir = file.path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let remembered = Remembered::beside(dir, cache_dir_from_env().as_deref());
        let mut report = inspect(file, &remembered);
        let step = Step::counted(label);
        if matches!(report.state, FileState::Development) {
            step.done("development: worthless on any chain; no digest is published for it");
            self.report = Some(report);
            return;
        }
        let told = match remembered.digest(&self.path, rehash, &mut |done, total| step.at(done, total)) {
            Ok(digested) => {
                report.state = FileState::of_digest(&report.file, digested.digest);
                self.remembered = Some(digested.remembered);
                if let Some(error) = digested.not_kept {
                    tracing::warn!(target: "cuzk", %error, "the digest cannot be remembered: the file will be hashed again");
                }
                let how = if digested.remembered { "remembered" } else { "hashed" };
                let told = match trouble(&report) {
                    Some(trouble) => self.fail(trouble),
                    None => "the published digest".to_owned(),
                };
                format!("{how}; {told}")
            }
            Err(error) => self.fail(format!("cannot hash {}: {error}", self.path.display())),
        };
        step.done(&told);
        self.report = Some(report);
    }

    fn check_points(&mut self, label: &str) {
        let step = Step::counted(format!("{label}, points"));
        let told = match check_points(&self.path, &step) {
            Ok((points, development)) => {
                self.points = Some(points);
                let origin = if development { "development: worthless on any chain" } else { "not a development key" };
                format!("every point is on its curve and in its subgroup; {origin}")
            }
            Err(error) => self.fail(error.to_string()),
        };
        step.done(&told);
    }

    /// Notes what is wrong, and says it.
    fn fail(&mut self, trouble: String) -> String {
        self.troubles.push(trouble.clone());
        format!("WRONG: {trouble}")
    }

    fn to_json(&self) -> Value {
        let mut object = self.report.as_ref().map_or_else(|| json!({ "file": self.path }), to_json);
        object["remembered"] = json!(self.remembered);
        object["points"] = json!(self.points);
        object["troubles"] = json!(self.troubles);
        object
    }
}

/// What the points of a file say of it, and whether it is a development one.
fn check_points(path: &Path, step: &Step) -> Result<(Value, bool), ParamsError> {
    if path.extension().is_some_and(|extension| extension == FileRole::VerifyingKey.extension()) {
        let vk = VerifyingKey::read(path)?;
        let development = is_development(&vk);
        return Ok((json!({ "development": development, "inputs": vk.ic.len() }), development));
    }
    let report = params::check(path, &mut |progress: Progress| step.at(progress.done, progress.total))?;
    let layout = report.layout;
    let points = json!({
        "development": report.development,
        "inputs": layout.ic, "h": layout.h, "l": layout.l, "a": layout.a, "b": layout.b,
    });
    Ok((points, report.development))
}
