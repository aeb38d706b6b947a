//! A partition of production size.

use cuzk_circuit::{Circuit, Rules, SOLVING};
use cuzk_filecoin::{CircuitId, Request, circuit_identity, compile, synthetic};
use cuzk_memory::{Ledger, Scope};
use cuzk_testing::TimeLimit;

/// Auxiliary variables that the gadgets compute: what stands before the challenges of a 32 GiB PoRep, and the first of its 18.
const AUX: usize = 7_300_000;

#[test]
#[ignore = "takes two minutes; .ci/run runs it by name"]
fn a_porep_of_32_gib_is_solved_as_the_gadgets_solve_it() {
    let _limit = TimeLimit::seconds(900);
    let ledger = Ledger::new(&[]);
    let id: CircuitId = "porep-32g".parse().expect("a circuit");
    let circuit = compile(id, &ledger, Rules::All).expect("the rules cover it");
    // One part comes before the challenges, which are all alike.
    assert_eq!(circuit.parts(), (19, 2));
    assert!(circuit.bytes() <= 64_000_000, "{} bytes in memory", circuit.bytes());

    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("circuit");
    let bytes = circuit.write(&path, &circuit_identity(id)).expect("it is written");
    assert!(bytes <= 64_000_000, "{bytes} bytes on disk");
    let read = Circuit::read(&path, &circuit_identity(id), &ledger).expect("it is read");
    assert!(read.is_same(&circuit));
    drop(circuit);

    let submission = synthetic::submission(id, 1000, 1, 5).expect("a request");
    let request = Request::parse(&submission).expect("a good request");
    let advice = request.advice(0, &read).expect("the circuit of this request");
    let solved = read.solve(advice, &ledger, &Scope::default()).expect("a good request");
    assert!(solved.bytes() <= 80_000_000, "{} bytes of witness", solved.bytes());
    assert_eq!(solved.inputs()[1..], request.public_inputs(0).expect("a partition"));
    let witness = solved.into_witness(&read, &SOLVING).expect("it is there");
    let compared = witness.compare(Some(AUX), |cs| request.synthesize(0, cs)).expect("gadgets run");
    assert_eq!(compared.aux, AUX);
    assert!(compared.different.is_none(), "{compared:?}");
}
