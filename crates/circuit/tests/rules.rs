//! The compiler's rules, one by one, on circuits of a few rows.

use bellperson::{ConstraintSystem, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use cuzk_circuit::{Circuit, CircuitError, Compared, Options, Refusal, Witness};
use cuzk_memory::{Ledger, Scope};
use cuzk_testing::TimeLimit;
use ff::Field;
use proptest::prelude::*;

/// Terms `coefficient · variable`; variable 0 is ONE, the others count from 1 in the order of allocation.
type Terms = Vec<(usize, Scalar)>;

/// A circuit written down: values in the order of allocation, and rows, each enforced as soon as its variables are there.
#[derive(Debug, Clone, Default)]
struct Written {
    values: Vec<Scalar>,
    rows: Vec<[Terms; 3]>,
}

fn scalar(value: i64) -> Scalar {
    let magnitude = Scalar::from(value.unsigned_abs());
    if value < 0 { -magnitude } else { magnitude }
}

fn terms(terms: &[(usize, i64)]) -> Terms {
    terms.iter().map(|&(variable, coefficient)| (variable, scalar(coefficient))).collect()
}

fn power(exponent: usize) -> Scalar {
    (0..exponent).fold(Scalar::ONE, |value, _| value.double())
}

impl Written {
    fn value(&mut self, value: Scalar) -> usize {
        self.values.push(value);
        self.values.len()
    }

    fn row(&mut self, a: &[(usize, i64)], b: &[(usize, i64)], c: &[(usize, i64)]) {
        self.rows.push([terms(a), terms(b), terms(c)]);
    }

    fn bit(&mut self, value: bool) -> usize {
        let bit = self.value(Scalar::from(u64::from(value)));
        self.row(&[(0, 1), (bit, -1)], &[(bit, 1)], &[]);
        bit
    }

    fn bits(&mut self, value: u64, count: usize) -> Vec<usize> {
        (0..count).map(|index| self.bit(value >> index & 1 == 1)).collect()
    }

    /// `c` where `c = a xor b`.
    fn xor(&mut self, a: usize, b: usize) -> usize {
        let value = self.values[a - 1] + self.values[b - 1] - (self.values[a - 1] * self.values[b - 1]).double();
        let c = self.value(value);
        self.row(&[(a, 2)], &[(b, 1)], &[(a, 1), (b, 1), (c, -1)]);
        c
    }

    fn synthesize<CS: ConstraintSystem<Scalar>>(&self, values: bool, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut variables: Vec<Variable> = vec![CS::one()];
        let mut rows = self.rows.iter().peekable();
        let highest = |row: &[Terms; 3]| row.iter().flatten().map(|&(variable, _)| variable).max().unwrap_or(0);
        for index in 0..=self.values.len() {
            if index > 0 {
                let value = || if values { Ok(self.values[index - 1]) } else { Err(SynthesisError::AssignmentMissing) };
                variables.push(cs.alloc(|| format!("variable {index}"), value)?);
            }
            while let Some(row) = rows.next_if(|row| highest(row) <= index) {
                let [a, b, c] = row.each_ref().map(|terms| {
                    let add = |lc: LinearCombination<Scalar>, &(variable, value): &(usize, Scalar)| {
                        lc + (value, variables[variable])
                    };
                    terms.iter().fold(LinearCombination::zero(), add)
                });
                cs.enforce(|| "row", |_| a, |_| b, |_| c);
            }
        }
        assert!(rows.next().is_none(), "a row of variables that are not there");
        Ok(())
    }

    fn compile(&self) -> Result<Circuit, CircuitError> {
        Circuit::compile(&Ledger::new(&[]), Options::default(), |cs| self.synthesize(false, cs))
    }

    fn fill(&self, circuit: &Circuit) -> Result<Witness, CircuitError> {
        Witness::fill(circuit, &Ledger::new(&[]), &Scope::default(), |cs| self.synthesize(true, cs))
    }

    /// Solves for the advice of the written values.
    fn solve(&self, circuit: &Circuit) -> Result<Witness, CircuitError> {
        let advice = self.fill(circuit)?.advice(circuit);
        Witness::solve(circuit, &advice, &Ledger::new(&[]), &Scope::default())
    }

    /// Compiles and solves; every value must be the written one. What was derived: (bits, advice, checks).
    fn derived(&self) -> (usize, usize, usize) {
        let circuit = self.compile().expect("the rules cover it");
        let solved = self.solve(&circuit).expect("the written values satisfy it");
        assert_eq!(solved.expand(), self.values);
        let compared = solved.compare(None, |cs| self.synthesize(true, cs)).expect("the same circuit");
        assert_eq!(compared, Compared { aux: self.values.len(), different: None });
        (circuit.layout().bits(), circuit.advice(), circuit.checks())
    }

    fn refusal(&self) -> (usize, Refusal) {
        match self.compile() {
            Err(CircuitError::Refused { row, refusal, .. }) => (row, refusal),
            other => panic!("must be refused: {other:?}"),
        }
    }
}

#[test]
fn a_booleanity_row_makes_a_bit() {
    let _limit = TimeLimit::seconds(10);
    let mut written = Written::default();
    written.bits(0b10, 2);
    assert_eq!(written.derived(), (2, 2, 0));
    let circuit = written.compile().expect("as above");
    written.values[1] = Scalar::from(2);
    assert!(matches!(written.fill(&circuit), Err(CircuitError::NotABit { aux: 1 })));
}

/// `(1 - m - x)·x = 0`: where the bit `m` is one, `x` must be zero.
#[test]
fn a_conditional_booleanity_row_makes_a_bit_and_stays_a_check() {
    let _limit = TimeLimit::seconds(10);
    let of = |m: bool, x: u64| {
        let mut written = Written::default();
        let m = written.bit(m);
        let x = written.value(Scalar::from(x));
        written.row(&[(0, 1), (m, -1), (x, -1)], &[(x, 1)], &[]);
        written
    };
    for (m, x) in [(false, 0), (false, 1), (true, 0)] {
        assert_eq!(of(m, x).derived(), (2, 2, 1), "{m} {x}");
    }
    let wrong = of(true, 1);
    let circuit = wrong.compile().expect("the rules cover it");
    assert!(matches!(wrong.solve(&circuit), Err(CircuitError::Constraint(unsatisfied)) if unsatisfied.row == 1));
}

#[test]
fn a_quadratic_row_with_other_roots_is_refused() {
    let _limit = TimeLimit::seconds(10);
    let mut written = Written::default();
    let x = written.value(Scalar::from(2));
    written.row(&[(x, 1)], &[(x, 1), (0, -2)], &[]);
    assert_eq!(written.refusal(), (0, Refusal::Quadratic));
    // A row that defines nothing is checked, whatever its degree.
    let mut written = Written::default();
    let x = written.value(Scalar::from(2));
    let y = written.value(Scalar::from(5));
    written.row(&[(x, 1), (0, 3)], &[(0, 1)], &[(y, 1)]);
    written.row(&[(y, 1)], &[(y, 1)], &[(0, 25)]);
    assert_eq!(written.derived(), (0, 1, 1));
}

/// All functions of up to three bits that a row can define, against the row's own values.
#[test]
fn functions_of_bits_are_looked_up() {
    let _limit = TimeLimit::seconds(10);
    for assignment in 0..8u64 {
        let mut written = Written::default();
        let bits = written.bits(assignment, 3);
        let [a, b, c] = [0, 1, 2].map(|index| (bits[index], assignment >> index & 1));
        let xor = written.xor(a.0, b.0);
        let and = written.value(Scalar::from((a.1 ^ b.1) & c.1));
        written.row(&[(xor, 1)], &[(c.0, 1)], &[(and, 1)]);
        let nor = written.value(Scalar::from((1 - a.1) * (1 - b.1)));
        written.row(&[(0, 1), (a.0, -1)], &[(0, 1), (b.0, -1)], &[(nor, 1)]);
        let not = written.value(Scalar::from(1 - c.1));
        written.row(&[(0, 1), (c.0, -1)], &[(0, 1)], &[(not, 1)]);
        let choice = written.value(Scalar::from(if a.1 == 1 { b.1 } else { c.1 }));
        written.row(&[(a.0, 1)], &[(b.0, 1), (c.0, -1)], &[(choice, 1), (c.0, -1)]);
        assert_eq!(written.derived(), (8, 3, 0), "{assignment}");
    }
}

/// SHA-256's majority: the result is allocated before the helper by which the rows define it.
#[test]
fn a_bit_allocated_before_its_helper_is_found() {
    let _limit = TimeLimit::seconds(10);
    for assignment in 0..8u64 {
        let mut written = Written::default();
        let bits = written.bits(assignment, 3);
        let [a, b, c] = [0, 1, 2].map(|index| assignment >> index & 1);
        let majority = written.value(Scalar::from(u64::from(a + b + c >= 2)));
        let helper = written.value(Scalar::from(b * c));
        written.row(&[(bits[1], 1)], &[(bits[2], 1)], &[(helper, 1)]);
        written.row(&[(helper, 2), (bits[1], -1), (bits[2], -1)], &[(bits[0], 1)], &[(helper, 1), (majority, -1)]);
        assert_eq!(written.derived(), (5, 3, 0), "{assignment}");
    }
}

/// Two values satisfy the row for each value of the helper, and only one of them is a bit.
#[test]
fn a_quadratic_row_looks_nothing_up() {
    let _limit = TimeLimit::seconds(10);
    let mut written = Written::default();
    let [x, y] = [false, true].map(|value| written.bit(value));
    let target = written.value(Scalar::from(7));
    let helper = written.value(Scalar::ZERO);
    written.row(&[(x, 1)], &[(y, 1)], &[(helper, 1)]);
    written.row(&[(target, 1)], &[(target, 1), (0, -7)], &[(helper, -6)]);
    assert_eq!(written.derived(), (3, 3, 1));
}

/// More summands than an addition can have.
#[test]
fn a_sum_of_very_many_bits_is_right() {
    let _limit = TimeLimit::seconds(60);
    let mut written = Written::default();
    let bits: Vec<usize> = (0..40_000).map(|index| written.bit(index % 3 == 0)).collect();
    let result = written.bits(5 * 13_334, 18);
    let row = bits.iter().map(|&bit| (bit, Scalar::from(5))).collect();
    let result = result.iter().enumerate().map(|(index, &bit)| (bit, power(index))).collect();
    written.rows.push([row, terms(&[(0, 1)]), result]);
    assert_eq!(written.derived(), (40_018, 40_000, 1));
}

/// `Σ 2^i·out_i = Σ summands + constant`, the summands being words of bits.
fn addition(summands: &[(u64, bool)], constant: i64, width: usize, outputs: usize) -> Written {
    let mut written = Written::default();
    let mut total = i128::from(constant);
    let mut row: Vec<(usize, Scalar)> = vec![(0, scalar(constant))];
    for &(value, negative) in summands {
        let value = value & ((1 << width) - 1);
        let bits = written.bits(value, width);
        let sign = if negative { -Scalar::ONE } else { Scalar::ONE };
        row.extend(bits.iter().enumerate().map(|(index, &bit)| (bit, sign * power(index))));
        total += if negative { -i128::from(value) } else { i128::from(value) };
    }
    let result = written.bits(total as u64, outputs);
    let result = result.iter().enumerate().map(|(index, &bit)| (bit, power(index))).collect();
    written.rows.push([row, terms(&[(0, 1)]), result]);
    written
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn sums_of_words_are_added(words in prop::collection::vec(any::<u64>(), 1..6), constant in 0..1u32 << 31, width in 1..33usize) {
        let _limit = TimeLimit::seconds(60);
        let summands: Vec<(u64, bool)> = words.iter().map(|&word| (word, false)).collect();
        // Wide enough for every sum.
        let written = addition(&summands, i64::from(constant), width, 36);
        prop_assert_eq!(written.derived(), (written.values.len(), width * words.len(), 0));
    }

    /// One word less another, with enough added that nothing is negative.
    #[test]
    fn differences_of_words_are_added(words: [u64; 2], width in 1..33usize) {
        let _limit = TimeLimit::seconds(60);
        let written = addition(&[(words[0], false), (words[1], true)], 1 << width, width, width + 2);
        prop_assert_eq!(written.derived(), (written.values.len(), 2 * width, 0));
    }

    /// A sum that may not fit its bits: it is solved as a scalar, and the row is checked.
    #[test]
    fn a_sum_that_may_not_fit_is_checked(words: [u8; 2]) {
        let _limit = TimeLimit::seconds(60);
        let written = addition(&words.map(|word| (word.into(), false)), 0, 8, 8);
        let circuit = written.compile()?;
        prop_assert_eq!((circuit.advice(), circuit.checks()), (16, 1));
        let fits = words[0].checked_add(words[1]).is_some();
        match written.solve(&circuit) {
            Ok(solved) => prop_assert!(fits && solved.expand() == written.values),
            Err(CircuitError::Constraint(unsatisfied)) => prop_assert!(!fits && unsatisfied.row + 1 == written.rows.len()),
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        }
    }

    /// A scalar and its bits: all 255, or fewer.
    #[test]
    fn scalars_are_written_in_binary(seed: u64, count in prop_oneof![1..64usize, Just(254), Just(255)]) {
        let _limit = TimeLimit::seconds(60);
        use rand::SeedableRng;
        let random = Scalar::random(rand_chacha::ChaCha8Rng::seed_from_u64(seed));
        let bytes = random.to_bytes_le();
        let bit = |index: usize| index < count && bytes[index / 8] >> (index % 8) & 1 == 1;
        let value: Scalar = (0..255).filter(|&index| bit(index)).map(power).sum();
        let mut written = Written::default();
        let packed = written.value(value);
        let bits: Vec<usize> = (0..count).map(|index| written.bit(bit(index))).collect();
        let sum = bits.iter().enumerate().map(|(index, &bit)| (bit, power(index))).collect();
        written.rows.push([sum, terms(&[(0, 1)]), terms(&[(packed, 1)])]);
        // With fewer than all bits the scalar may not fit: that is the check.
        prop_assert_eq!(written.derived(), (count, 1, usize::from(count < 255)));
    }

    /// Linear rows and products, with any coefficients and the output on any side.
    #[test]
    fn linear_rows_and_products_are_solved(seed: u64, steps in 1..40usize) {
        let _limit = TimeLimit::seconds(60);
        use rand::{Rng, SeedableRng};
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let mut written = Written::default();
        let inputs = 3;
        for _ in 0..inputs {
            written.value(Scalar::random(&mut rng));
        }
        for _ in 0..steps {
            let known = written.values.len();
            let sums: [Terms; 3] = std::array::from_fn(|_| {
                let count = rng.gen_range(1..5);
                (0..count).map(|_| (rng.gen_range(0..=known), Scalar::random(&mut rng))).collect()
            });
            let value = |terms: &Terms| -> Scalar {
                let of = |variable: usize| if variable == 0 { Scalar::ONE } else { written.values[variable - 1] };
                terms.iter().map(|&(variable, coefficient)| coefficient * of(variable)).sum()
            };
            let [a, b, mut c] = sums;
            let factor = Scalar::random(&mut rng);
            if rng.gen_bool(0.5) {
                // a·b = c + factor·output.
                let output = (value(&a) * value(&b) - value(&c)) * factor.invert().expect("not zero");
                let output = written.value(output);
                c.push((output, factor));
                written.rows.push([a, b, c]);
            } else {
                // (a + factor·output)·k = c.
                let k = Scalar::from(rng.gen_range(1..10u64));
                let output = (value(&c) * k.invert().expect("not zero") - value(&a)) * factor.invert().expect("not zero");
                let output = written.value(output);
                let side = [a, vec![(output, factor)]].concat();
                written.rows.push(if rng.gen_bool(0.5) { [side, vec![(0, k)], c] } else { [vec![(0, k)], side, c] });
            }
        }
        prop_assert_eq!(written.derived(), (0, inputs, 0));
    }
}

#[test]
fn a_bit_that_is_a_sum_is_checked() {
    let _limit = TimeLimit::seconds(10);
    // x - 4 is said to be a bit, which only the value of x can make true.
    let of = |x: u64| {
        let mut written = Written::default();
        let x = written.value(Scalar::from(x));
        let bit = written.bit(written.values[x - 1] == Scalar::from(5));
        written.row(&[(x, 1), (0, -4)], &[(0, 1)], &[(bit, 1)]);
        written
    };
    assert_eq!(of(4).derived(), (1, 1, 1));
    assert_eq!(of(5).derived(), (1, 1, 1));
    let circuit = of(6).compile().expect("the rules cover it");
    assert!(matches!(of(6).solve(&circuit), Err(CircuitError::Constraint(unsatisfied)) if unsatisfied.row == 1));
}

#[test]
fn a_row_whose_latest_variable_cancels_out_is_a_check() {
    let _limit = TimeLimit::seconds(10);
    let mut written = Written::default();
    let x = written.value(Scalar::from(3));
    let y = written.value(Scalar::from(7));
    written.row(&[(y, 1), (x, 1)], &[(0, 1)], &[(y, 1), (0, 3)]);
    assert_eq!(written.derived(), (0, 2, 1));
}

#[test]
fn a_row_that_takes_a_division_is_refused() {
    let _limit = TimeLimit::seconds(10);
    let mut written = Written::default();
    let x = written.value(Scalar::from(4));
    let inverse = written.value(Scalar::from(4).invert().expect("not zero"));
    written.row(&[(x, 1)], &[(inverse, 1)], &[(0, 1)]);
    let (row, refusal) = written.refusal();
    assert_eq!((row, refusal), (0, Refusal::Division));
    assert!(refusal.to_string().contains("division"), "{refusal}");
}

#[test]
fn a_row_without_variables_must_hold() {
    let _limit = TimeLimit::seconds(10);
    let mut written = Written::default();
    written.bit(true);
    written.row(&[(0, 2)], &[(0, 3)], &[(0, 6)]);
    assert_eq!(written.derived(), (1, 1, 0));
    written.row(&[(0, 2)], &[(0, 3)], &[(0, 5)]);
    assert_eq!(written.refusal(), (2, Refusal::Contradiction));
}

/// Bits that a row would define by a value which is allocated after the first of them.
#[test]
fn a_definition_by_later_variables_is_refused() {
    let _limit = TimeLimit::seconds(10);
    let mut written = Written::default();
    let [x, y, low] = [true, true, false].map(|value| written.bit(value));
    let xor = written.xor(x, y);
    let high = written.bit(false);
    written.row(&[(low, 1), (high, 2)], &[(0, 1)], &[(xor, 1)]);
    assert_eq!(written.refusal(), (5, Refusal::Order));
}

#[test]
fn a_row_of_too_many_terms_is_refused() {
    let _limit = TimeLimit::seconds(30);
    let of = |count: usize| {
        let mut written = Written::default();
        let known: Vec<usize> = (0..count).map(|index| written.value(Scalar::from(index as u64))).collect();
        let sum = written.value((0..count as u64).map(Scalar::from).sum());
        let row = known.iter().map(|&variable| (variable, Scalar::ONE)).collect();
        written.rows.push([row, terms(&[(0, 1)]), terms(&[(sum, 1)])]);
        written
    };
    assert_eq!(of(60_000).derived(), (0, 60_000, 0));
    assert_eq!(of(70_000).refusal(), (0, Refusal::TooLong { terms: 70_002 }));
}
