//! Running a program.

use ff::Field;

use super::{Addition, Check, Frame, LookupRun, Operand, Program, Step, load, mask, sum::Constants};
use crate::limbs::canonical;

impl Program {
    /// Computes every local of a frame that has its externals and advice.
    pub(crate) fn run(&self, frame: &mut Frame, constants: &Constants<'_>) {
        for step in &self.steps {
            match step {
                Step::Lookup(lookup) => lookup.run(frame),
                Step::Add(addition) => self.add(addition, frame),
                Step::Linear { output, sum } => {
                    frame.scalars[*output as usize] = self.sums.evaluate(*sum, frame, constants);
                }
                Step::Product { output, a, b, rest, factor } => {
                    let left = self.sums.operand(*a, frame, constants);
                    let right = if a == b { left } else { self.sums.operand(*b, frame, constants) };
                    let mut product = if a == b { left.square() } else { left * right };
                    if *factor != 0 {
                        product *= constants.coefficients[*factor as usize];
                    }
                    if *rest != Operand::Zero {
                        product += self.sums.operand(*rest, frame, constants);
                    }
                    frame.scalars[*output as usize] = product;
                }
                Step::Bits { value, skip, count, output } => {
                    let value = self.sums.operand(*value, frame, constants);
                    // One word more, for loading beyond the last bit.
                    let [a, b, c, d] = canonical(&value);
                    let word = load(&[a, b, c, d, 0], u32::from(*skip)) & mask(*count);
                    output.store(&mut frame.bits, *count, word);
                }
            }
        }
    }

    /// The first row that must hold and does not.
    pub(crate) fn failed_check(&self, frame: &Frame, constants: &Constants<'_>) -> Option<u32> {
        let holds = |check: &Check| {
            let value = |operand| self.sums.operand(operand, frame, constants);
            let (a, b, c) = (value(check.a), value(check.b), value(check.c));
            a * b == c
        };
        self.checks.iter().find(|check| !holds(check)).map(|check| check.row)
    }

    #[inline(always)]
    fn add(&self, addition: &Addition, frame: &mut Frame) {
        let Addition { constant, first_word, words, skip, count, output } = *addition;
        let sum = constant + self.sums.integer(first_word, words, frame);
        output.store(&mut frame.bits, count, sum as u64 >> skip & mask(count));
    }
}

impl LookupRun {
    #[inline(always)]
    fn run(&self, frame: &mut Frame) {
        let input = |index: usize| {
            let strided = super::Strided { position: self.inputs[index], stride: self.input_strides[index] };
            strided.load(&frame.bits, self.count)
        };
        let value = match self.arity {
            0 => selector(self.table, 0),
            1 => one_input(self.table, input(0)),
            2 => two_inputs(self.table, input(0), input(1)),
            _ => {
                let (x, y, z) = (input(0), input(1), input(2));
                let (low, high) = (two_inputs(self.table, x, y), two_inputs(self.table >> 4, x, y));
                low & !z | high & z
            }
        };
        let output = super::Strided { position: self.output, stride: self.output_stride };
        output.store(&mut frame.bits, self.count, value & mask(self.count));
    }
}

/// All ones where bit `index` of the table is set, else zero.
#[inline(always)]
fn selector(table: u8, index: u8) -> u64 {
    u64::from(table >> index & 1).wrapping_neg()
}

#[inline(always)]
fn one_input(table: u8, x: u64) -> u64 {
    selector(table, 0) & !x | selector(table, 1) & x
}

#[inline(always)]
fn two_inputs(table: u8, x: u64, y: u64) -> u64 {
    match table & 0b1111 {
        0b0110 => x ^ y,
        0b1000 => x & y,
        table => one_input(table, x) & !y | one_input(table >> 2, x) & y,
    }
}
