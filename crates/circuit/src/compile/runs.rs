//! Look-ups of single bits, gathered into runs.

use super::{lookup::Lookup, lower::Places};
use crate::program::{LookupRun, Step};

const MAX_COUNT: u8 = 64;
/// How many runs can grow at the same time: gadgets alternate between a few of them from bit to bit.
const MAX_OPEN: usize = 4;

/// Runs of look-ups with the same table whose bits lie at regular distances.
#[derive(Debug, Default)]
pub(super) struct LookupRuns {
    open: Vec<Open>,
}

#[derive(Debug)]
struct Open {
    step: usize,
    /// The first variable that the run defines: what it needs must be older, since all of it is computed there.
    first: u32,
}

impl LookupRuns {
    /// Adds a look-up to a run, or begins one.
    pub(super) fn add(&mut self, output: u32, lookup: &Lookup, places: &Places, steps: &mut Vec<Step>) {
        let mut inputs = [0; 3];
        for (position, &input) in inputs.iter_mut().zip(lookup.inputs()) {
            *position = places.position(input);
        }
        let latest = lookup.inputs().iter().copied().max().unwrap_or(0);
        let single = LookupRun {
            table: lookup.table,
            arity: lookup.inputs().len() as u8,
            count: 1,
            output_stride: 1,
            input_strides: [1; 3],
            output: places.position(output),
            inputs,
        };
        for open in self.open.iter().rev().filter(|open| latest < open.first) {
            if let Step::Lookup(run) = &mut steps[open.step]
                && run.grow(&single)
            {
                return;
            }
        }
        if self.open.len() == MAX_OPEN {
            self.open.remove(0);
        }
        self.open.push(Open { step: steps.len(), first: output });
        steps.push(Step::Lookup(single));
    }

    /// Ends all runs: what comes next may be needed by what follows.
    pub(super) fn close(&mut self) {
        self.open.clear();
    }
}

impl LookupRun {
    /// Takes one more look-up into the run, if it goes on regularly.
    fn grow(&mut self, next: &Self) -> bool {
        if (self.table, self.arity) != (next.table, next.arity) || self.count == MAX_COUNT {
            return false;
        }
        let distance = |from: u32, to: u32| i64::from(to) - i64::from(from);
        if self.count == 1 {
            let output = distance(self.output, next.output);
            let inputs = [0, 1, 2].map(|index| distance(self.inputs[index], next.inputs[index]));
            let used = &inputs[..usize::from(self.arity)];
            if !matches!(output, 1 | 2) || !used.iter().all(|stride| matches!(stride, -1..=2)) {
                return false;
            }
            self.output_stride = output as i8;
            // Strides of inputs that are not used are zero: their positions are.
            self.input_strides = inputs.map(|stride| stride as i8);
        } else {
            let goes_on = |first: u32, stride: i8, next: u32| {
                i64::from(next) == i64::from(first) + i64::from(stride) * i64::from(self.count)
            };
            let inputs = 0..usize::from(self.arity);
            if !goes_on(self.output, self.output_stride, next.output)
                || !inputs.into_iter().all(|i| goes_on(self.inputs[i], self.input_strides[i], next.inputs[i]))
            {
                return false;
            }
        }
        self.count += 1;
        true
    }
}
