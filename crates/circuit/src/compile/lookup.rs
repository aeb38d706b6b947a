//! Rule: a variable is a function of at most three bits.

use ff::Field;
use rustc_hash::FxHashMap;

use super::row::{SMALL_VARIABLES, Small};
use crate::coefficients::Coefficients;

/// The most bits that a look-up depends on: a table of eight bits.
pub(super) const MAX_INPUTS: usize = 3;

/// A bit that is looked up: bit number `input 0 + 2 · input 1 + 4 · input 2` of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lookup {
    pub(crate) table: u8,
    inputs: [u32; MAX_INPUTS],
    count: u8,
}

impl Lookup {
    pub(crate) fn inputs(&self) -> &[u32] {
        &self.inputs[..usize::from(self.count)]
    }

    /// The bit, where the inputs have these values.
    pub(crate) fn value(&self, value: impl Fn(u32) -> bool) -> bool {
        let index = self.inputs().iter().rev().fold(0, |index, &input| index << 1 | u8::from(value(input)));
        self.table >> index & 1 == 1
    }
}

/// Tables by what they were made from.
#[derive(Debug, Default)]
pub(super) struct Lookups {
    /// The look-ups found so far, by the variable that they define.
    pub(super) found: FxHashMap<u32, Lookup>,
    tables: FxHashMap<Vec<u32>, Option<u8>>,
    key: Vec<u32>,
}

impl Lookups {
    /// The variable at place `target` as a look-up, all other variables of the row being bits.
    ///
    /// Others for which `expand` says so are replaced by what they are looked up from: that is how a variable is found
    /// that was allocated before a helper that the row mentions. Sound because for every value of the inputs the row is
    /// linear in the target (its values at 0, 1 and 2 lie on a line) and holds at just one of 0 and 1: then nowhere else.
    pub(super) fn find(
        &mut self,
        small: &Small,
        target: usize,
        expand: impl Fn(u32) -> bool,
        coefficients: &Coefficients,
    ) -> Option<Lookup> {
        let mut inputs: Vec<u32> = Vec::with_capacity(SMALL_VARIABLES + MAX_INPUTS);
        // What each variable of the row is made of.
        let mut made_of = [None; SMALL_VARIABLES];
        for (place, &variable) in small.variables.iter().enumerate() {
            if place == target {
                continue;
            }
            let lookup = match expand(variable) {
                true => *self.found.get(&variable)?,
                false => Lookup { table: 0b10, inputs: [variable, 0, 0], count: 1 },
            };
            made_of[place] = Some(lookup);
            for &input in lookup.inputs() {
                if !inputs.contains(&input) {
                    inputs.push(input);
                }
            }
        }
        if inputs.len() > MAX_INPUTS || inputs.iter().any(|&input| input >= small.variables[target]) {
            return None;
        }
        self.key.clear();
        self.key.extend_from_slice(&small.shape);
        self.key.push(target as u32);
        for lookup in made_of.iter().flatten() {
            let places = lookup.inputs().iter().map(|input| inputs.iter().position(|known| known == input));
            self.key.push(u32::from(lookup.table) << 8 | u32::from(lookup.count));
            self.key.extend(places.map(|place| place.unwrap_or_default() as u32));
        }
        let table = match self.tables.get(&self.key) {
            Some(known) => *known,
            None => {
                let table = tabulate(small, &made_of, &inputs, coefficients);
                self.tables.insert(self.key.clone(), table);
                table
            }
        }?;
        let mut array = [0; MAX_INPUTS];
        array[..inputs.len()].copy_from_slice(&inputs);
        Some(Lookup { table, inputs: array, count: inputs.len() as u8 })
    }
}

/// The values of the target for all values of the inputs, if the row determines each of them to be 0 or 1.
fn tabulate(
    small: &Small,
    made_of: &[Option<Lookup>; SMALL_VARIABLES],
    inputs: &[u32],
    coefficients: &Coefficients,
) -> Option<u8> {
    let mut table = 0;
    for assignment in 0..1u8 << inputs.len() {
        let bit =
            |input: u32| inputs.iter().position(|&known| known == input).is_some_and(|at| assignment >> at & 1 == 1);
        let residue = |target: u64| {
            let value = |place: usize| made_of[place].map_or(target, |lookup| u64::from(lookup.value(bit)));
            small.residue(coefficients, value)
        };
        let [at_0, at_1, at_2] = [residue(0), residue(1), residue(2)];
        let is_linear = at_0 + at_2 == at_1.double();
        match [at_0, at_1].map(|residue| bool::from(residue.is_zero())) {
            [true, false] if is_linear => {}
            [false, true] if is_linear => table |= 1 << assignment,
            _ => return None,
        }
    }
    Some(table)
}
