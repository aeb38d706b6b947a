//! Linear combinations: each once, and computed once where it is needed more often.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::{
    lower::{Item, Places},
    spread::{WeightedBit, strides, words},
};
use crate::{
    coefficients::Coefficients,
    program::{Addition, Operand, Place, Step, Sum, SumRef, Sums, Weighted},
};

/// Index of a linear combination among all of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct CombinationRef(u32);

/// The linear combinations of a body. A variable never changes, so combinations of equal terms have equal values
/// wherever they stand.
#[derive(Debug, Default)]
pub(super) struct Combinations {
    /// Terms as (number, coefficient), ascending.
    all: Vec<Box<[(u32, u32)]>>,
    known: FxHashMap<Box<[(u32, u32)]>, u32>,
}

impl Combinations {
    pub(super) fn intern(&mut self, mut terms: Vec<(u32, u32)>) -> CombinationRef {
        terms.sort_unstable();
        let next = self.all.len() as u32;
        match self.known.entry(terms.into_boxed_slice()) {
            Entry::Occupied(known) => CombinationRef(*known.get()),
            Entry::Vacant(new) => {
                self.all.push(new.key().clone());
                new.insert(next);
                CombinationRef(next)
            }
        }
    }

    /// Ends the collection; what follows makes steps.
    pub(super) fn emission<'a>(
        self,
        places: &'a Places,
        coefficients: &'a Coefficients,
        first_temporary: u32,
    ) -> Emission<'a> {
        let lifetimes = vec![Lifetime::default(); self.all.len()];
        Emission {
            all: self.all,
            lifetimes,
            places,
            coefficients,
            sums: Sums::default(),
            made: FxHashMap::default(),
            temporaries: Temporaries { first: first_temporary, count: 0, free: Vec::new() },
        }
    }
}

/// Makes steps of items, one after the other.
pub(super) struct Emission<'a> {
    all: Vec<Box<[(u32, u32)]>>,
    lifetimes: Vec<Lifetime>,
    places: &'a Places,
    coefficients: &'a Coefficients,
    sums: Sums,
    made: FxHashMap<CombinationRef, SumRef>,
    temporaries: Temporaries,
}

/// How a combination is used.
#[derive(Debug, Clone, Copy, Default)]
struct Lifetime {
    uses: u32,
    /// The last item that needs it.
    last: usize,
    /// Where it is kept for those that still need it.
    slot: Option<u32>,
}

/// Slots for values that are needed more than once; a slot is taken again when its value is needed no more.
struct Temporaries {
    first: u32,
    count: u32,
    free: Vec<u32>,
}

impl Temporaries {
    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.first + self.count - 1
        })
    }
}

impl Emission<'_> {
    pub(super) fn count_uses(&mut self, items: impl Iterator<Item = Vec<CombinationRef>>) {
        for (at, combinations) in items.enumerate() {
            for combination in combinations {
                let lifetime = &mut self.lifetimes[combination.0 as usize];
                lifetime.uses += 1;
                lifetime.last = at;
            }
        }
    }

    /// The steps of item number `at`.
    pub(super) fn emit(&mut self, at: usize, item: &Item, steps: &mut Vec<Step>) {
        match item {
            // Look-ups are gathered into runs.
            Item::Lookup { .. } => {}
            Item::Addition(addition) => self.addition(addition, steps),
            Item::Linear { output, sum } => {
                let output = self.places.position(*output);
                let made = self.sum(*sum);
                steps.push(Step::Linear { output, sum: made });
                self.release(&[*sum], at);
            }
            Item::Product { output, a, b, rest, factor } => {
                let output = self.places.position(*output);
                let [left, right, other] = [a, b, rest].map(|combination| self.shared(*combination, at, steps));
                steps.push(Step::Product { output, a: left, b: right, rest: other, factor: *factor });
                self.release(&[*a, *b, *rest], at);
            }
            Item::Decompose { outputs, sum } => {
                let positions: Vec<u32> = outputs.iter().map(|&output| self.places.position(output)).collect();
                let parts = strides(&positions);
                let mut value = self.shared(*sum, at, steps);
                if let Operand::Sum(sum) = value
                    && parts.len() > 1
                {
                    let slot = self.temporaries.take();
                    steps.push(Step::Linear { output: slot, sum });
                    self.temporaries.free.push(slot);
                    value = Operand::Slot(slot);
                }
                steps.extend(parts.into_iter().map(|(skip, output, count)| {
                    // A scalar has 255 bits.
                    Step::Bits { value, skip: skip as u8, count, output }
                }));
                self.release(&[*sum], at);
            }
        }
    }

    fn addition(&mut self, addition: &super::decompose::Addition, steps: &mut Vec<Step>) {
        let operands = addition.operands.iter().map(|operand| WeightedBit {
            negative: operand.negative,
            power: operand.power,
            position: self.places.position(operand.number),
        });
        let words = words(operands.collect());
        let first_word = self.sums.words.len() as u32;
        let positions: Vec<u32> = addition.outputs.iter().map(|&output| self.places.position(output)).collect();
        for (skip, output, count) in strides(&positions) {
            steps.push(Step::Add(Addition {
                constant: addition.constant,
                first_word,
                words: words.len() as u16,
                skip: skip as u8,
                count,
                output,
            }));
        }
        self.sums.words.extend(words);
    }

    /// A combination for an item: computed now and kept, if others need it too.
    fn shared(&mut self, combination: CombinationRef, at: usize, steps: &mut Vec<Step>) -> Operand {
        let Lifetime { uses, last, slot } = self.lifetimes[combination.0 as usize];
        if let Some(slot) = slot {
            return Operand::Slot(slot);
        }
        let operand = self.plain(combination);
        let Operand::Sum(sum) = operand else { return operand };
        if uses < 2 || last == at {
            return operand;
        }
        let slot = self.temporaries.take();
        self.lifetimes[combination.0 as usize].slot = Some(slot);
        steps.push(Step::Linear { output: slot, sum });
        Operand::Slot(slot)
    }

    /// Gives back the slots of combinations that no later item needs.
    fn release(&mut self, combinations: &[CombinationRef], at: usize) {
        for combination in combinations {
            let lifetime = &mut self.lifetimes[combination.0 as usize];
            if lifetime.last == at
                && let Some(slot) = lifetime.slot.take()
            {
                self.temporaries.free.push(slot);
            }
        }
    }

    /// A combination to be evaluated where it is needed.
    pub(super) fn plain(&mut self, combination: CombinationRef) -> Operand {
        match self.all[combination.0 as usize][..] {
            [] => Operand::Zero,
            [(number, Coefficients::ONE)] if number != 0 && !self.places.is_bit(number) => {
                Operand::Slot(self.places.position(number))
            }
            _ => Operand::Sum(self.sum(combination)),
        }
    }

    fn sum(&mut self, combination: CombinationRef) -> SumRef {
        if let Some(made) = self.made.get(&combination) {
            return *made;
        }
        let sum = self.make(&self.all[combination.0 as usize].clone());
        self.sums.sums.push(sum);
        let made = SumRef(self.sums.sums.len() as u32 - 1);
        self.made.insert(combination, made);
        made
    }

    fn make(&mut self, terms: &[(u32, u32)]) -> Sum {
        let mut constant = None;
        let (mut plus, mut minus) = (Vec::new(), Vec::new());
        let (mut scalars, mut bits, mut powers) = (Vec::new(), Vec::new(), Vec::new());
        for &(number, coefficient) in terms {
            if number == 0 {
                constant = Some(coefficient);
                continue;
            }
            match (self.places.of(number), coefficient) {
                (Place::Scalar(slot), Coefficients::ONE) => plus.push(slot),
                (Place::Scalar(slot), Coefficients::MINUS_ONE) => minus.push(slot),
                (Place::Scalar(place), coefficient) => scalars.push(Weighted { place, coefficient }),
                (Place::Bit(place), coefficient) => match self.coefficients.power(coefficient) {
                    Some(power) => {
                        powers.push(WeightedBit { negative: power.negative, power: power.power, position: place });
                    }
                    None => bits.push(Weighted { place, coefficient }),
                },
            }
        }
        // One or two bits with coefficients ±1 are added faster than a word is converted.
        if powers.len() <= 2 && powers.iter().all(|bit| bit.power == 0) {
            bits.extend(powers.drain(..).map(|bit| Weighted {
                place: bit.position,
                coefficient: if bit.negative { Coefficients::MINUS_ONE } else { Coefficients::ONE },
            }));
        }
        let words = words(powers);
        let sums = &mut self.sums;
        let sum = Sum {
            constant,
            first_word: sums.words.len() as u32,
            first_slot: sums.slots.len() as u32,
            first_weighted: sums.weighted.len() as u32,
            words: words.len() as u16,
            plus: plus.len() as u16,
            minus: minus.len() as u16,
            weighted_scalars: scalars.len() as u16,
            weighted_bits: bits.len() as u16,
        };
        sums.words.extend(words);
        sums.slots.extend(plus);
        sums.slots.extend(minus);
        sums.weighted.extend(scalars);
        sums.weighted.extend(bits);
        sum
    }

    /// The linear combinations made, and the number of temporary slots.
    pub(super) fn finish(self) -> (Sums, u32) {
        let mut sums = self.sums;
        sums.shrink_to_fit();
        (sums, self.temporaries.count)
    }
}
