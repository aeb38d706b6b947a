//! Checked nodes and paths as advice: the values that the crates' gadgets allocate for them, in the gadgets' order.
//!
//! The hashes of a path are no advice, and neither is its root, where the circuit has that from elsewhere: constraints
//! define them.

use blstrs::Scalar;
use cuzk_circuit::AdviceWriter;
use ff::PrimeField;

use super::{MerkleProof, Node, PathElement};
use crate::error::Error;
use crate::hex;

type Written = Result<(), Error>;

/// One node.
pub(crate) fn advise_node(node: &Node, advice: &mut AdviceWriter<'_>) -> Written {
    let scalar = Scalar::from_repr_vartime(*node).ok_or_else(|| Error::NotCanonical { value: hex(node) })?;
    Ok(advice.scalar(scalar)?)
}

/// Nodes, one after the other.
pub(crate) fn advise_nodes<'a>(nodes: impl IntoIterator<Item = &'a Node>, advice: &mut AdviceWriter<'_>) -> Written {
    nodes.into_iter().try_for_each(|node| advise_node(node, advice))
}

/// The lowest bits of a number, from the least significant.
pub(crate) fn advise_bits(number: u64, bits: u32, advice: &mut AdviceWriter<'_>) -> Written {
    (0..bits).try_for_each(|bit| Ok(advice.bit((number >> bit) & 1 == 1)?))
}

/// A path whose directions are the circuit's to learn: in every row from the leaf up, the bits of the index among the
/// siblings, then the siblings. The arity of a row is a power of two.
pub(crate) fn advise_path(proof: &MerkleProof, advice: &mut AdviceWriter<'_>) -> Written {
    rows(proof).try_for_each(|row| {
        let arity = row.hashes.len() + 1;
        advise_bits(row.index, arity.ilog2(), advice)?;
        advise_nodes(&row.hashes, advice)
    })
}

/// A path whose directions the circuit knows from elsewhere: the siblings of every row.
pub(crate) fn advise_siblings<'a>(
    rows: impl IntoIterator<Item = &'a PathElement>,
    advice: &mut AdviceWriter<'_>,
) -> Written {
    advise_nodes(rows.into_iter().flat_map(|row| &row.hashes), advice)
}

/// The rows of all parts of a path, from the leaf up.
pub(crate) fn rows(proof: &MerkleProof) -> impl Iterator<Item = &PathElement> {
    proof.parts().flat_map(|(_, part)| part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellperson::ConstraintSystem;
    use bellperson::gadgets::num::AllocatedNum;
    use cuzk_circuit::{Advice, Circuit, Options, Rules};
    use cuzk_memory::Ledger;

    /// A circuit that takes one scalar.
    fn circuit() -> Circuit {
        Circuit::compile(&Ledger::new(&[]), Options { depth: 0, instances: None, rules: Rules::All }, |cs| {
            AllocatedNum::alloc(cs.namespace(|| "value"), || Ok(Scalar::default()))?.inputize(cs)
        })
        .expect("one row")
    }

    #[test]
    fn a_node_that_is_no_field_element_is_an_error() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let circuit = circuit();
        let mut advice = Advice::writer(&circuit);
        let error = advise_node(&[0xff; 32], &mut advice).expect_err("more than the order");
        assert!(matches!(&error, Error::NotCanonical { value } if *value == "ff".repeat(32)), "{error}");
        advise_node(&[0; 32], &mut advice).expect("nothing was written before");
        advice.finish().expect("one value");
    }

    #[test]
    fn values_of_the_wrong_kind_or_past_the_end_are_errors() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let circuit = circuit();
        let mut advice = Advice::writer(&circuit);
        assert!(matches!(advise_bits(1, 1, &mut advice), Err(Error::Unfit(_))));
        let nodes = [[1; 32], [2; 32]];
        assert!(matches!(advise_nodes(&nodes, &mut advice), Err(Error::Unfit(_))));
        assert!(matches!(Advice::writer(&circuit).finish().map_err(Error::from), Err(Error::Unfit(_))));
    }
}
