//! Rule: a linear row whose latest variable is a bit writes a sum in binary.

use blstrs::Scalar;
use ff::Field;

use super::linear::{Equation, Sum};
use crate::{
    coefficients::{SignedPower, binary_digits, sparse_digits},
    limbs::{canonical, power_of_two, single_bit},
};

/// A row read as `Σ 2^i · outputs[i] = sum`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decomposition {
    /// The bits that are not known yet, least significant first.
    pub(super) outputs: Vec<u32>,
    pub(super) sum: Sum,
}

/// How far the powers that a bit has as an operand must stay above the one that it has as a result, and how many they may be.
const OPERAND_DISTANCE: u8 = 8;
const MAX_OPERAND_POWERS: usize = 4;

impl Decomposition {
    /// Reads an equation whose latest variable is a bit. `is_bit` and `is_defined` tell of the others.
    ///
    /// Unknown bits with distinct coefficients `2^p` of one sign are the results, from the latest variable on down to the
    /// first that does not fit. It is a decomposition if their powers are 0, 1, 2 … without a gap.
    ///
    /// A bit may be a result and an operand at once, where a row adds up several words (the first block of SHA-256 does it,
    /// whose initial values are constants): its coefficient then is `2^p ± 2^q ± …`, and it is split in two.
    pub(super) fn of(
        equation: &Equation,
        is_bit: impl Fn(u32) -> bool,
        is_defined: impl Fn(u32) -> bool,
    ) -> Option<Self> {
        let (_, leading) = equation.terms.first()?;
        let sign = [Scalar::ONE, -Scalar::ONE].into_iter().find(|sign| power(&(sign * leading)).is_some())?;
        let mut outputs: Vec<Option<u32>> = Vec::new();
        let mut sum = Sum { terms: Vec::new(), constant: -(equation.constant * sign) };
        let mut collecting = true;
        for &(number, coefficient) in &equation.terms {
            let coefficient = coefficient * sign;
            if collecting && !is_defined(number) && is_bit(number) {
                if let Some((power, operand)) = as_result(&coefficient)
                    && outputs.get(usize::from(power)).copied().flatten().is_none()
                {
                    let power = usize::from(power);
                    outputs.resize(outputs.len().max(power + 1), None);
                    outputs[power] = Some(number);
                    if !bool::from(operand.is_zero()) {
                        sum.terms.push((number, operand));
                    }
                    continue;
                }
                collecting = false;
            }
            if !is_defined(number) {
                collecting = false;
            }
            sum.terms.push((number, -coefficient));
        }
        let outputs = outputs.into_iter().collect::<Option<Vec<_>>>().filter(|outputs| !outputs.is_empty())?;
        Some(Self { outputs, sum })
    }

    /// The decomposition as additions of integers, if every operand is a bit and nothing can carry over.
    ///
    /// The sum is cut where the part below cannot be negative nor reach the next part's weight, whatever the operands are.
    /// Then each part's outputs are the binary form of its own operands' sum, because a number has but one: provided that
    /// both sides of the row are below the modulus, so that their equality is one of integers.
    pub(super) fn additions(&self, is_bit: impl Fn(u32) -> bool) -> Option<Vec<Addition>> {
        // 2^254 is below the modulus.
        if self.outputs.len() > 254 || !self.sum.terms.iter().all(|&(number, _)| is_bit(number)) {
            return None;
        }
        let mut operands: Vec<Operand> = Vec::new();
        let mut add = |number: u32, digits: Vec<SignedPower>| {
            let is_split = digits.len() > 1;
            let operand = |SignedPower { power, negative }| Operand { power, number, negative, is_split };
            operands.extend(digits.into_iter().map(operand));
        };
        // A bit that is added here and subtracted there has few digits of both signs. A constant is added up from those of
        // many sums, which are positive each.
        self.sum.terms.iter().for_each(|(number, coefficient)| add(*number, sparse_digits(coefficient)));
        add(0, binary_digits(&self.sum.constant));
        operands.sort_unstable_by_key(|operand| (operand.power, operand.number));
        if operands.len() > MAX_OPERANDS {
            return None;
        }
        // Long parts take fewer steps, but a cut that was passed over may have been the last.
        self.cut(&operands, MIN_PART).or_else(|| self.cut(&operands, 1))
    }

    /// Cuts the sum into parts, those of neighbouring outputs not before they have `min_part`.
    fn cut(&self, operands: &[Operand], min_part: usize) -> Option<Vec<Addition>> {
        let mut operands = operands.iter().copied().peekable();
        let mut additions = Vec::new();
        let mut part = Part::new(0);
        for (power, &output) in self.outputs.iter().enumerate() {
            part.outputs.push(output);
            while let Some(operand) = operands.next_if(|operand| usize::from(operand.power) <= power) {
                part.add(operand)?;
            }
            let next = self.outputs.get(power + 1);
            let adjacent = next.is_some_and(|&next| part.goes_on_with(output, next));
            if part.is_closed() && !(adjacent && part.outputs.len() < min_part) {
                additions.push(part.finish());
                part = Part::new(power + 1);
            } else if part.outputs.len() == MAX_PART {
                return None;
            }
        }
        let complete = part.outputs.is_empty() && operands.next().is_none();
        complete.then_some(additions)
    }
}

/// An addition of bits, shifted: `Σ 2^i · outputs[i] = Σ ±2^power · operand + constant`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Addition {
    pub(crate) outputs: Vec<u32>,
    pub(crate) operands: Vec<Operand>,
    pub(crate) constant: i64,
}

/// One summand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operand {
    pub(crate) power: u8,
    /// The bit; 0 for ONE.
    pub(crate) number: u32,
    pub(crate) negative: bool,
    /// Whether the same bit is a summand more than once.
    is_split: bool,
}

/// Summands of one row; SHA-256's have hundreds.
const MAX_OPERANDS: usize = 4096;
/// A part is not closed before it has this many outputs, unless they are not neighbours.
const MIN_PART: usize = 32;
/// A part's sum must fit an i64.
const MAX_PART: usize = 60;

/// The part of a sum that is being collected, in units of its lowest output.
struct Part {
    lowest: usize,
    outputs: Vec<u32>,
    operands: Vec<Operand>,
    constant: i64,
    /// The least and the most that the operands can add up to.
    least: i64,
    most: i64,
    /// What the bits count that are summands more than once.
    split: Vec<(u32, i64)>,
}

impl Part {
    fn new(lowest: usize) -> Self {
        Self { lowest, outputs: Vec::new(), operands: Vec::new(), constant: 0, least: 0, most: 0, split: Vec::new() }
    }

    /// Whether the output after the last is its neighbour, in the direction of the others.
    fn goes_on_with(&self, last: u32, next: u32) -> bool {
        let step = i64::from(next) - i64::from(last);
        let [first, second, ..] = self.outputs[..] else { return step.abs() == 1 };
        step.abs() == 1 && step == i64::from(second) - i64::from(first)
    }

    /// `None` where the sum could leave an i64.
    fn add(&mut self, operand: Operand) -> Option<()> {
        let power = usize::from(operand.power).checked_sub(self.lowest)?;
        let weight = 1i64.checked_shl(power as u32).filter(|weight| *weight > 0)?;
        let weight = if operand.negative { -weight } else { weight };
        if operand.number == 0 {
            self.constant = self.constant.checked_add(weight)?;
            self.least = self.least.checked_add(weight)?;
            self.most = self.most.checked_add(weight)?;
        } else {
            let before = self.split.iter_mut().find(|(number, _)| operand.is_split && *number == operand.number);
            let (old, new) = match before {
                Some((_, counted)) => {
                    let old = *counted;
                    *counted = old.checked_add(weight)?;
                    (old, *counted)
                }
                None => {
                    self.split.extend(operand.is_split.then_some((operand.number, weight)));
                    (0, weight)
                }
            };
            // The bit counts all or nothing.
            self.least = self.least.checked_add(new.min(0) - old.min(0))?;
            self.most = self.most.checked_add(new.max(0) - old.max(0))?;
            self.operands.push(Operand { power: power as u8, ..operand });
        }
        Some(())
    }

    /// Whether the sum fits the outputs for all values of the operands.
    fn is_closed(&self) -> bool {
        self.least >= 0 && self.most < 1i64 << self.outputs.len()
    }

    fn finish(self) -> Addition {
        let Self { outputs, operands, constant, .. } = self;
        Addition { outputs, operands, constant }
    }
}

fn power(value: &Scalar) -> Option<u8> {
    single_bit(&canonical(value))
}

/// A coefficient as `2^power - operand`, the operand being zero or few powers of two far above.
fn as_result(coefficient: &Scalar) -> Option<(u8, Scalar)> {
    if let Some(power) = power(coefficient) {
        return Some((power, Scalar::ZERO));
    }
    let digits = sparse_digits(coefficient);
    let (first, others) = digits.split_first()?;
    let is_far =
        |other: &SignedPower| usize::from(other.power) >= usize::from(first.power) + usize::from(OPERAND_DISTANCE);
    let fits = !first.negative && others.len() <= MAX_OPERAND_POWERS && others.iter().all(is_far);
    fits.then(|| (first.power, power_of_two(first.power) - coefficient))
}
