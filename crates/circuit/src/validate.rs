//! Whether what was read from a file can be run.
//!
//! The checksum tells a damaged file. This is for one that was made wrong: its programs must at least touch nothing that
//! is not there. What they compute is judged by the proof's verification, as with any other program.

use crate::{
    Bitset,
    compile::Procedure,
    program::{
        Addition, CODES, CodedRun, GeneralRow, LookupRun, MAX_BITS, Operand, Place, Program, RowProgram, Step, Strided,
        Sums, Word,
    },
    stored::Stored,
    trace::LIMIT,
};

/// What is wrong.
type Fault = &'static str;

fn hold(condition: bool, fault: Fault) -> Result<(), Fault> {
    if condition { Ok(()) } else { Err(fault) }
}

impl Stored {
    /// Holds every index and count against what it points into.
    pub(crate) fn validate(&self) -> Result<(), Fault> {
        for procedure in &self.procedures {
            procedure.validate(self.coefficients.len())?;
        }
        let (mut variables, mut inputs, mut rows) = (1usize, 1usize, 0usize);
        let mut is_bit = Bitset::with_capacity(0);
        is_bit.push(false);
        for call in &self.calls {
            let procedure = self.procedures.get(call.procedure as usize).ok_or("a call of no procedure")?;
            hold(call.externals.len() == procedure.external_bits.len(), "a call with too many or too few externals")?;
            for (index, &external) in call.externals.iter().enumerate() {
                hold((1..variables).contains(&(external as usize)), "an external that is no earlier variable")?;
                let expected = procedure.external_bits.get(index);
                hold(is_bit.get(external as usize) == expected, "an external of another kind")?;
            }
            variables += procedure.locals as usize;
            inputs += procedure.inputs.len();
            rows += procedure.rows.rows as usize;
            hold(variables <= LIMIT && rows <= LIMIT, "more variables or rows than a circuit can have")?;
            (0..procedure.locals as usize).for_each(|local| is_bit.push(procedure.bits.get(local)));
        }
        let counts = &self.counts;
        hold(counts.inputs.checked_add(counts.aux) == Some(variables), "another number of variables")?;
        hold((counts.inputs, counts.constraints) == (inputs, rows), "another number of inputs or constraints")?;
        let densities = self.densities();
        hold((counts.a_bases, counts.b_bases) == (densities.a_len(), densities.b_len()), "another number of bases")
    }
}

impl Procedure {
    fn validate(&self, coefficients: usize) -> Result<(), Fault> {
        let Self { program, rows, locals, inputs, bits, external_bits, occurs, one_in_b: _ } = self;
        let externals = external_bits.len();
        hold([bits, external_bits, &occurs[0], &occurs[1]].iter().all(|set| set.is_well_formed()), "a broken set")?;
        hold(*locals as usize <= LIMIT && bits.len() == *locals as usize, "another number of locals")?;
        hold(externals <= LIMIT, "too many externals")?;
        // Calls cost memory: each has to be worth it.
        hold(*locals > 0 || rows.rows > 0, "a part of nothing")?;
        let is_local_scalar = |input: &u32| input < locals && !bits.get(*input as usize);
        hold(inputs.is_sorted_by(|a, b| a < b) && inputs.iter().all(is_local_scalar), "an input that is none")?;
        hold(occurs.iter().all(|set| set.len() == externals + bits.len()), "an occurrence of no variable")?;
        let shape = &program.shape;
        let ones = [external_bits.count_ones(), bits.count_ones()];
        let zeros = [externals - ones[0], bits.len() - ones[1]];
        hold([shape.external_bits as usize, shape.local_bits as usize] == ones, "another number of bits")?;
        hold([shape.external_scalars as usize, shape.local_scalars as usize] == zeros, "another number of scalars")?;
        hold(shape.temporaries as usize <= program.steps.len(), "too many temporaries")?;
        program.validate(coefficients)?;
        rows.validate(&Reach { program, coefficients })
    }
}

/// What a program may touch.
struct Reach<'a> {
    program: &'a Program,
    coefficients: usize,
}

impl Reach<'_> {
    fn bits(&self, Strided { position, stride }: Strided, count: u8) -> Result<(), Fault> {
        let last = i64::from(position) + i64::from(stride) * (i64::from(count) - 1);
        let ends = [i64::from(position), last];
        let bits = i64::from(self.program.shape.bits());
        hold((1..=64).contains(&count) && ends.iter().all(|end| (0..bits).contains(end)), "bits that are not there")
    }

    /// Bits that are written: locals.
    fn output(&self, output: Strided, count: u8) -> Result<(), Fault> {
        self.bits(output, count)?;
        let last = i64::from(output.position) + i64::from(output.stride) * (i64::from(count) - 1);
        let first_local = i64::from(self.program.shape.external_bits);
        let is_local = i64::from(output.position).min(last) >= first_local;
        hold(is_local && (count == 1 || output.stride != 0), "a step that writes what is not its own")
    }

    fn slot(&self, slot: u32) -> Result<(), Fault> {
        let shape = &self.program.shape;
        let slots = u64::from(shape.external_scalars) + u64::from(shape.local_scalars) + u64::from(shape.temporaries);
        hold(u64::from(slot) < slots, "a scalar that is not there")
    }

    fn output_slot(&self, slot: u32) -> Result<(), Fault> {
        self.slot(slot)?;
        hold(slot >= self.program.shape.external_scalars, "a step that writes what is not its own")
    }

    fn coefficient(&self, index: u32) -> Result<(), Fault> {
        hold((index as usize) < self.coefficients, "a coefficient that is not there")
    }

    fn operands(&self, operands: &[Operand]) -> Result<(), Fault> {
        operands.iter().try_for_each(|operand| match *operand {
            Operand::Zero => Ok(()),
            Operand::Slot(slot) => self.slot(slot),
            Operand::Sum(sum) => hold((sum.0 as usize) < self.program.sums.sums.len(), "a sum that is not there"),
        })
    }

    fn words(&self, first: u32, count: u16) -> Result<&[Word], Fault> {
        let words = self.program.sums.words.get(first as usize..).and_then(|words| words.get(..count.into()));
        words.ok_or("words that are not there")
    }
}

impl Program {
    fn validate(&self, coefficients: usize) -> Result<(), Fault> {
        let reach = Reach { program: self, coefficients };
        self.sums.validate(&reach)?;
        self.steps.iter().try_for_each(|step| step.validate(&reach))?;
        for check in &self.checks {
            reach.operands(&[check.a, check.b, check.c])?;
        }
        self.advice.iter().try_for_each(|place| match *place {
            Place::Bit(position) => reach.output(Strided { position, stride: 1 }, 1),
            Place::Scalar(slot) => reach.output_slot(slot),
        })
    }
}

impl Step {
    fn validate(&self, reach: &Reach<'_>) -> Result<(), Fault> {
        match *self {
            Self::Lookup(LookupRun { arity, count, output_stride, input_strides, output, inputs, table: _ }) => {
                hold(arity <= 3, "a look-up in too many bits")?;
                for (position, stride) in inputs.into_iter().zip(input_strides).take(arity.into()) {
                    reach.bits(Strided { position, stride }, count)?;
                }
                reach.output(Strided { position: output, stride: output_stride }, count)
            }
            Self::Add(Addition { constant, first_word, words, skip, count, output }) => {
                let mut most = i128::from(constant).abs();
                for word in reach.words(first_word, words)? {
                    let bits = u32::from(word.shift) + u32::from(word.count);
                    hold(bits <= 63, "a word that is too long for its sum")?;
                    most += 1i128 << bits;
                }
                hold(most < 1 << 63 && skip < 63, "a sum that is too large")?;
                reach.output(output, count)
            }
            Self::Linear { output, sum } => {
                reach.operands(&[Operand::Sum(sum)])?;
                reach.output_slot(output)
            }
            Self::Product { output, a, b, rest, factor } => {
                reach.operands(&[a, b, rest])?;
                reach.coefficient(factor)?;
                reach.output_slot(output)
            }
            Self::Bits { value, skip: _, count, output } => {
                reach.operands(&[value])?;
                reach.output(output, count)
            }
        }
    }
}

impl Sums {
    fn validate(&self, reach: &Reach<'_>) -> Result<(), Fault> {
        for word in &self.words {
            reach.bits(word.bits, word.count)?;
        }
        self.slots.iter().try_for_each(|&slot| reach.slot(slot))?;
        self.weighted.iter().try_for_each(|weighted| reach.coefficient(weighted.coefficient))?;
        for sum in &self.sums {
            sum.constant.map_or(Ok(()), |constant| reach.coefficient(constant))?;
            reach.words(sum.first_word, sum.words)?;
            let slots = u64::from(sum.first_slot) + u64::from(sum.plus) + u64::from(sum.minus);
            hold(slots <= self.slots.len() as u64, "scalars that are not there")?;
            let scalars = u64::from(sum.first_weighted) + u64::from(sum.weighted_scalars);
            let end = scalars + u64::from(sum.weighted_bits);
            hold(end <= self.weighted.len() as u64, "scalars that are not there")?;
            let (scalars, bits) =
                self.weighted[sum.first_weighted as usize..end as usize].split_at(usize::from(sum.weighted_scalars));
            scalars.iter().try_for_each(|weighted| reach.slot(weighted.place))?;
            bits.iter().try_for_each(|weighted| reach.bits(Strided { position: weighted.place, stride: 1 }, 1))?;
        }
        Ok(())
    }
}

impl RowProgram {
    fn validate(&self, reach: &Reach<'_>) -> Result<(), Fault> {
        let Self { rows, coded, general, tables, codes } = self;
        for &CodedRun { first_row, row_stride, count, bits, strides, table, positions } in coded {
            let last = u64::from(first_row) + u64::from(row_stride) * u64::from(count.saturating_sub(1));
            hold(row_stride != 0 && (1..=64).contains(&count), "a run of no rows")?;
            hold(last < u64::from(*rows), "a row that is not there")?;
            hold((table as usize) < tables.len() && usize::from(bits) <= MAX_BITS, "a table that is not there")?;
            for (position, stride) in positions.into_iter().zip(strides).take(bits.into()) {
                reach.bits(Strided { position, stride }, count)?;
            }
        }
        for &GeneralRow { row, a, b } in general {
            hold(row < *rows, "a row that is not there")?;
            reach.operands(&[a, b])?;
        }
        hold(codes.len() < CODES, "too many codes")?;
        let mut entries = tables.iter().flatten();
        hold(entries.all(|&code| usize::from(code) < codes.len()), "a code that is not there")?;
        codes.iter().flatten().flatten().try_for_each(|&value| reach.coefficient(value))
    }
}
