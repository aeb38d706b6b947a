//! From rows to a witness program.
//!
//! The rows of a body are read in order. Each either says that a variable is a bit, or defines a variable that is not known
//! yet from older ones, or is a *check*: it relates variables that are known already. Variables that nothing defines are
//! *advice*: they come from outside. Every definition is the only solution of its row, so a program of them computes what
//! any honest prover would have assigned.
//!
//! What makes this work is the order of allocation: gadgets allocate a variable when they can compute it, so a row defines
//! the latest of its variables, with two exceptions that have rules of their own ([`lookup`](super::lookup) and
//! [`decompose`](super::decompose)).

use blstrs::Scalar;
use ff::PrimeField;

use super::{
    boolean::{Booleanity, Forced},
    decompose::{Addition, Decomposition},
    linear::{Equation, Sum},
    lookup::{Lookup, Lookups},
    row::{Row, Small},
};
use crate::{coefficients::Coefficients, trace::Body};

/// How variables get their values, in the numbers of a body's frame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Definition {
    /// A function of at most three bits.
    Lookup { output: u32, lookup: Lookup },
    /// Bits that are the binary form of a sum of bits.
    Addition(Addition),
    /// A linear combination.
    Linear { output: u32, sum: Sum },
    /// The row's `A·B`, less the rest of C, by the output's coefficient in C.
    Product { output: u32, row: usize },
    /// Bits that are the canonical binary form of a linear combination, the least significant first; the row is a check
    /// besides where more than those bits could be needed.
    Decompose { outputs: Vec<u32>, sum: Sum },
}

impl Definition {
    /// The oldest variable that it defines.
    pub(crate) fn first(&self) -> u32 {
        match self {
            Self::Lookup { output, .. } | Self::Linear { output, .. } | Self::Product { output, .. } => *output,
            Self::Addition(Addition { outputs, .. }) | Self::Decompose { outputs, .. } => {
                outputs.iter().copied().min().unwrap_or(u32::MAX)
            }
        }
    }
}

/// What the rows of a body say.
#[derive(Debug)]
pub(crate) struct Derivation {
    /// For each number of the frame whether it is a bit.
    pub(crate) bits: Vec<bool>,
    /// In an order in which they can be computed.
    pub(crate) definitions: Vec<Definition>,
    /// Locals that nothing defines, ascending.
    pub(crate) advice: Vec<u32>,
    /// Rows that no definition makes true, ascending.
    pub(crate) checks: Vec<u32>,
}

/// A row that no rule covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Solving the row for its latest variable takes a division.
    #[error(
        "its latest variable has a coefficient that depends on other variables, so that computing it takes a division, \
         which may have no result"
    )]
    Division,
    /// The row is quadratic in its latest variable and does not make it a bit.
    #[error("it is quadratic in its latest variable, which can have two values that satisfy it, and not just 0 and 1")]
    Quadratic,
    /// A definition needs a value before it can be known.
    #[error("it defines a variable by others that were allocated after it")]
    Order,
    /// The row has more terms than a program's linear combination can have.
    #[error("it has {terms} terms, more than the {MAX_TERMS} that a row can have")]
    TooLong {
        /// How many in A, B and C together.
        terms: usize,
    },
    /// The row has no variables and does not hold.
    #[error("it has no variables and does not hold")]
    Contradiction,
}

/// Programs count the terms of a linear combination, which can be made of a whole row, in 16 bits.
const MAX_TERMS: usize = u16::MAX as usize;

/// How much of a circuit is to be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    /// Derive a witness program; refuse rows that no rule covers.
    All,
    /// Only find out which variables are bits: every variable is advice and every other row a check.
    BitsOnly,
}

/// Applies the rules to a body. `external_bits` says which of the externals are bits.
///
/// # Errors
/// The first row that no rule covers.
pub(crate) fn derive(
    body: &Body,
    coefficients: &Coefficients,
    external_bits: &[bool],
    rules: Rules,
) -> Result<Derivation, (usize, Refusal)> {
    let mut deriver = Deriver::new(body, coefficients, external_bits);
    for index in 0..body.rows() {
        let row = Row { body, index };
        let terms = (0..3).map(|matrix| row.terms(matrix).len()).sum();
        if terms > MAX_TERMS {
            return Err((index, Refusal::TooLong { terms }));
        }
        match rules {
            Rules::All => deriver.row(row).map_err(|refusal| (index, refusal))?,
            Rules::BitsOnly => deriver.only_bits(row),
        }
    }
    Ok(deriver.finish())
}

struct Deriver<'a> {
    body: &'a Body,
    coefficients: &'a Coefficients,
    bits: Vec<bool>,
    /// Externals and ONE count as defined: their values are there.
    defined: Vec<bool>,
    definitions: Vec<Definition>,
    checks: Vec<u32>,
    booleanity: Booleanity,
    lookups: Lookups,
    small: Small,
}

impl<'a> Deriver<'a> {
    fn new(body: &'a Body, coefficients: &'a Coefficients, external_bits: &[bool]) -> Self {
        let numbers = body.numbers() as usize;
        let mut bits = vec![true];
        bits.extend_from_slice(external_bits);
        bits.resize(numbers, false);
        let mut defined = vec![true; body.first_local() as usize];
        defined.resize(numbers, false);
        Self {
            body,
            coefficients,
            bits,
            defined,
            definitions: Vec::with_capacity(numbers),
            checks: Vec::new(),
            booleanity: Booleanity::default(),
            lookups: Lookups::default(),
            small: Small::default(),
        }
    }

    fn finish(self) -> Derivation {
        let Self { body, bits, defined, mut definitions, checks, .. } = self;
        // Rows may come later than other rows that use what they define (additions are batched); allocations do not.
        definitions.sort_by_key(Definition::first);
        let advice = (body.first_local()..body.numbers()).filter(|&number| !defined[number as usize]).collect();
        Derivation { bits, definitions, advice, checks }
    }

    fn row(&mut self, row: Row<'_>) -> Result<(), Refusal> {
        let latest = row.latest();
        if latest == 0 {
            let [a, b, c] = [0, 1, 2].map(|matrix| row.constant(matrix, self.coefficients).unwrap_or_default());
            return if a * b == c { Ok(()) } else { Err(Refusal::Contradiction) };
        }
        let mut small = std::mem::take(&mut self.small);
        let is_small = row.read_small(&mut small);
        let result = if row.contains(0, latest) && row.contains(1, latest) {
            self.quadratic(row, latest, is_small.then_some(&small))
        } else if self.is_defined(latest) {
            if !(is_small && self.hidden(&small)) {
                self.check(row);
            }
            Ok(())
        } else {
            self.definition(row, latest, is_small.then_some(&small))
        };
        self.small = small;
        result
    }

    /// The rows that make bits, and nothing else.
    fn only_bits(&mut self, row: Row<'_>) {
        let latest = row.latest();
        let mut small = std::mem::take(&mut self.small);
        let is_quadratic = latest != 0 && row.contains(0, latest) && row.contains(1, latest);
        let is_small = is_quadratic && row.read_small(&mut small);
        if !(is_small && self.makes_bit(row, latest, &small)) {
            self.check(row);
        }
        self.small = small;
    }

    fn quadratic(&mut self, row: Row<'_>, latest: u32, small: Option<&Small>) -> Result<(), Refusal> {
        if small.is_some_and(|small| self.makes_bit(row, latest, small)) {
            return Ok(());
        }
        if !self.is_defined(latest) && !self.is_input(latest) {
            return Err(Refusal::Quadratic);
        }
        self.check(row);
        Ok(())
    }

    /// Marks the latest variable as a bit, if the row forces it to be one.
    fn makes_bit(&mut self, row: Row<'_>, latest: u32, small: &Small) -> bool {
        let is_sure = self.is_input(latest) || (self.is_defined(latest) && !self.is_bit(latest));
        let others_are_bits = small.variables.iter().all(|&number| number == latest || self.is_bit(number));
        let place = small.variables.iter().position(|&number| number == latest);
        let Some(place) = place.filter(|_| others_are_bits && !is_sure) else { return false };
        match self.booleanity.of(small, place, self.coefficients) {
            Forced::No => return false,
            Forced::ToBit => {}
            Forced::ToBitAndMore => self.checks.push(row.index as u32),
        }
        self.bits[latest as usize] = true;
        true
    }

    /// A bit that was allocated before a helper that is defined already: the only variable of the row that nothing is known
    /// of.
    fn hidden(&mut self, small: &Small) -> bool {
        let mut unknown = small.variables.iter().enumerate().filter(|&(_, &number)| !self.is_known(number));
        let (Some((place, &target)), None) = (unknown.next(), unknown.next()) else { return false };
        if self.is_input(target) || !small.variables.iter().all(|&number| number == target || self.is_bit(number)) {
            return false;
        }
        let found = self.lookups.find(small, place, |number| number > target, self.coefficients);
        if let Some(lookup) = found {
            self.define_lookup(target, lookup);
        }
        found.is_some()
    }

    /// The row defines its latest variable.
    fn definition(&mut self, row: Row<'_>, latest: u32, small: Option<&Small>) -> Result<(), Refusal> {
        let linear = Equation::of(row, self.coefficients);
        if self.is_bit(latest)
            && let Some(equation) = linear.as_ref().filter(|equation| equation.terms.len() > 2)
            && self.decompose(row, equation)?
        {
            return Ok(());
        }
        if let Some(lookup) = small.and_then(|small| self.lookup(small, latest)) {
            self.define_lookup(latest, lookup);
            return Ok(());
        }
        match linear.as_ref().map(Equation::solved) {
            // The latest variable cancels out.
            Some(None) => self.check(row),
            Some(Some((solved, _))) if solved != latest => self.check(row),
            Some(Some((_, sum))) => self.define_scalar(row, latest, sum),
            None if row.contains(0, latest) || row.contains(1, latest) => return Err(Refusal::Division),
            None => self.define_product(row, latest),
        }
        Ok(())
    }

    fn lookup(&mut self, small: &Small, target: u32) -> Option<Lookup> {
        if self.is_input(target) || !small.variables.iter().all(|&number| number == target || self.is_bit(number)) {
            return None;
        }
        let place = small.variables.iter().position(|&number| number == target)?;
        if let Some(direct) = self.lookups.find(small, place, |_| false, self.coefficients) {
            return Some(direct);
        }
        // The row may speak of a helper that cannot have just any value.
        let others = small.variables.iter().filter(|&&number| number != target);
        let helpers: Vec<u32> = others.copied().filter(|number| self.lookups.found.contains_key(number)).collect();
        helpers.iter().find_map(|&helper| self.lookups.find(small, place, |number| number == helper, self.coefficients))
    }

    fn define_lookup(&mut self, output: u32, lookup: Lookup) {
        self.bits[output as usize] = true;
        self.defined[output as usize] = true;
        self.lookups.found.insert(output, lookup);
        self.definitions.push(Definition::Lookup { output, lookup });
    }

    /// Whether the row writes a sum in binary, and so defines several bits at once.
    fn decompose(&mut self, row: Row<'_>, equation: &Equation) -> Result<bool, Refusal> {
        let read = Decomposition::of(equation, |number| self.is_bit(number), |number| self.is_defined(number));
        let Some(read) = read else { return Ok(false) };
        let is_old = |operand: u32, outputs: &[u32]| outputs.iter().all(|&output| operand < output);
        let additions = read.additions(|number| self.is_bit(number)).filter(|additions| {
            let ordered = |part: &Addition| part.operands.iter().all(|operand| is_old(operand.number, &part.outputs));
            additions.iter().all(ordered)
        });
        for &output in &read.outputs {
            self.defined[output as usize] = true;
        }
        if let Some(additions) = additions {
            self.definitions.extend(additions.into_iter().map(Definition::Addition));
            return Ok(true);
        }
        let Decomposition { outputs, sum } = read;
        if !sum.terms.iter().all(|&(operand, _)| is_old(operand, &outputs)) {
            return Err(Refusal::Order);
        }
        // A canonical value has 255 bits at most.
        if outputs.len() < Scalar::NUM_BITS as usize {
            self.check(row);
        }
        self.definitions.push(Definition::Decompose { outputs, sum });
        Ok(true)
    }

    fn define_scalar(&mut self, row: Row<'_>, output: u32, sum: Sum) {
        self.defined[output as usize] = true;
        if self.is_bit(output) {
            // Nothing says that the sum is 0 or 1 but the bit itself.
            self.check(row);
            self.definitions.push(Definition::Decompose { outputs: vec![output], sum });
        } else {
            self.definitions.push(Definition::Linear { output, sum });
        }
    }

    fn define_product(&mut self, row: Row<'_>, output: u32) {
        // A bit that is a product of scalars stays advice: whoever knows it is held to it by the row.
        if self.is_bit(output) {
            self.check(row);
            return;
        }
        self.defined[output as usize] = true;
        self.definitions.push(Definition::Product { output, row: row.index });
    }

    fn check(&mut self, row: Row<'_>) {
        self.checks.push(row.index as u32);
    }

    fn is_bit(&self, number: u32) -> bool {
        self.bits[number as usize]
    }

    fn is_defined(&self, number: u32) -> bool {
        self.defined[number as usize]
    }

    /// Inputs are kept as scalars, whatever their values.
    fn is_input(&self, number: u32) -> bool {
        let local = number.checked_sub(self.body.first_local());
        local.is_some_and(|local| self.body.inputs.binary_search(&local).is_ok())
    }

    fn is_known(&self, number: u32) -> bool {
        self.is_defined(number) || self.is_bit(number)
    }
}
