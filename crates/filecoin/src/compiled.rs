//! Compiled circuits of the proofs.

use cuzk_circuit::{Circuit, CircuitError, Counts, Options, PathFinder, Rules};
use cuzk_memory::Ledger;

use crate::CircuitId;
use crate::kinds::with_kind_type;
use crate::work::Work;

/// Instances of a part that are synthesised where all of them are equal: enough to find the part and to hold two more
/// against it.
const SAMPLE: usize = 3;

/// Compiles a circuit. Takes a minute or two for the largest.
///
/// The sectors of a PoSt are equal circuits that know nothing of each other, and synthesising one takes the gadgets an
/// eighth of a second: three are synthesised, and the rest is repeated. [`compile_whole`] leaves nothing out.
///
/// # Errors
/// As [`Circuit::compile`].
pub fn compile(id: CircuitId, ledger: &Ledger, rules: Rules) -> Result<Circuit, CircuitError> {
    with_kind_type!(id.kind, Kind, _wrap => match Kind::instances(id.size)? {
        Some(instances) if instances > SAMPLE => {
            let options = Options { depth: Kind::DEPTH, instances: Some(instances), rules };
            Circuit::compile(ledger, options, |cs| Kind::synthesize_sample(id.size, SAMPLE, cs)).map_err(|error| {
                let sample = |cs: &mut PathFinder<'_>| Kind::synthesize_sample(id.size, SAMPLE, cs);
                error.with_path(|row| cuzk_circuit::constraint_path(row, sample))
            })
        }
        _ => whole::<Kind>(id, ledger, rules),
    })
}

/// Compiles a circuit, every row of it synthesised and compared. Takes five minutes for a WindowPoSt of production size, and
/// must give the same result as [`compile`].
///
/// # Errors
/// As [`Circuit::compile`].
pub fn compile_whole(id: CircuitId, ledger: &Ledger, rules: Rules) -> Result<Circuit, CircuitError> {
    with_kind_type!(id.kind, Kind, _wrap => whole::<Kind>(id, ledger, rules))
}

fn whole<Kind: Work>(id: CircuitId, ledger: &Ledger, rules: Rules) -> Result<Circuit, CircuitError> {
    let options = Options { depth: Kind::DEPTH, instances: None, rules };
    Circuit::compile(ledger, options, |cs| Kind::synthesize_blank(id.size, cs)).map_err(|error| {
        error.with_path(|row| cuzk_circuit::constraint_path(row, |cs| Kind::synthesize_blank(id.size, cs)))
    })
}

/// The path of a constraint: the namespaces that it stands in and its own annotation.
///
/// It takes a synthesis of the blank circuit up to there, or of one of its parts where it consists of equal ones. `None` when
/// the circuit, which has these `counts`, has no such row.
pub fn constraint_path(id: CircuitId, counts: &Counts, row: usize) -> Option<String> {
    with_kind_type!(id.kind, Kind, _wrap => {
        let instances = Kind::instances(id.size).ok().flatten().filter(|&instances| instances > 1);
        match instances.map(|instances| counts.constraints / instances) {
            Some(rows) if rows > 0 && row < counts.constraints => {
                let sample = |cs: &mut PathFinder<'_>| Kind::synthesize_sample(id.size, 1, cs);
                let path = cuzk_circuit::constraint_path(row % rows, sample)?;
                Some(renumbered(&path, Kind::DEPTH, row / rows))
            }
            _ => cuzk_circuit::constraint_path(row, |cs| Kind::synthesize_blank(id.size, cs)),
        }
    })
}

/// A path with the number of the namespace that has `depth` others around it replaced.
fn renumbered(path: &str, depth: usize, number: usize) -> String {
    let renumber = |(index, name): (usize, &str)| match name.trim_end_matches(|letter: char| letter.is_ascii_digit()) {
        stem if index == depth => format!("{stem}{number}"),
        _ => name.to_owned(),
    };
    path.split('/').enumerate().map(renumber).collect::<Vec<_>>().join("/")
}
