//! The names of constraints.

use cuzk_circuit::{R1cs, constraint_path as by_the_book};
use cuzk_filecoin::{CircuitId, constraint_path, synthesize_blank};
use cuzk_testing::TimeLimit;

/// Where a circuit consists of equal parts, one of them is enough to find a path; it must be the whole circuit's.
#[test]
fn paths_are_those_of_the_whole_circuit() {
    let _limit = TimeLimit::seconds(300);
    for name in ["wpost-2k", "winning-2k", "snap-2k"] {
        let id: CircuitId = name.parse().expect("a circuit");
        let counts = R1cs::record(|cs| synthesize_blank(id, cs)).expect("the circuit").counts();
        let last = counts.constraints - 1;
        for row in [0, 1, last / 3, last / 2, last / 2 + 1, last - 1, last, last + 1, usize::MAX] {
            let expected = by_the_book(row, |cs| synthesize_blank(id, cs));
            assert_eq!(expected.is_some(), row <= last);
            assert_eq!(constraint_path(id, &counts, row), expected, "{id}: row {row}");
        }
    }
}
