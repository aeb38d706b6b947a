//! The compiler: from a recorded circuit to programs.
//!
//! Each body of a [`Trace`] is compiled once, whatever the number of its calls:
//! [`derive`] finds out how its variables follow from one another, [`lower`] turns that into steps over bits and scalars, with
//! [`rows`] for the rows of A and B.

mod boolean;
mod combine;
mod decompose;
mod derive;
mod linear;
mod lookup;
mod lower;
mod row;
mod rows;
mod runs;
mod spread;

pub use derive::{Refusal, Rules};

use crate::{
    Bitset,
    coefficients::Coefficients,
    program::{Program, RowProgram},
    trace::{Body, Call, Trace},
};

/// A body, compiled.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Procedure {
    pub(crate) program: Program,
    pub(crate) rows: RowProgram,
    pub(crate) locals: u32,
    /// Which locals are inputs, counted from the first local.
    pub(crate) inputs: Vec<u32>,
    /// Which locals are bits.
    pub(crate) bits: Bitset,
    /// Which externals are bits.
    pub(crate) external_bits: Bitset,
    /// Which of the externals and locals occur in A, and in B.
    pub(crate) occurs: [Bitset; 2],
    /// Whether the constant ONE occurs in B. (It is an input, so it occurs in A anyway.)
    pub(crate) one_in_b: bool,
}

/// What a compiler makes of a trace.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) procedures: Vec<Procedure>,
    /// With the procedure's index in place of the body's.
    pub(crate) calls: Vec<Call>,
    pub(crate) coefficients: Coefficients,
}

/// A row of the circuit that the compiler refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) row: usize,
    pub(crate) refusal: Refusal,
}

/// Compiles all bodies. One that is called with bits where another call has scalars is compiled for each.
pub(crate) fn compile(trace: Trace, rules: Rules) -> Result<Compiled, Refused> {
    let Trace { bodies, mut calls, mut coefficients, variables, .. } = trace;
    let mut procedures: Vec<Procedure> = Vec::new();
    let mut of_body: Vec<Vec<usize>> = vec![Vec::new(); bodies.len()];
    let mut is_bit = Bitset::new(variables);
    for call in &mut calls {
        let body = &bodies[call.body];
        let mut external_bits = Bitset::with_capacity(call.externals.len());
        call.externals.iter().for_each(|&external| external_bits.push(is_bit.get(external as usize)));
        let known = of_body[call.body].iter().copied().find(|&known| procedures[known].external_bits == external_bits);
        let index = match known {
            Some(known) => known,
            None => {
                let procedure = procedure(body, &mut coefficients, external_bits, rules);
                procedures
                    .push(procedure.map_err(|(row, refusal)| Refused { row: call.first_row as usize + row, refusal })?);
                of_body[call.body].push(procedures.len() - 1);
                procedures.len() - 1
            }
        };
        procedures[index].bits.iter_ones().for_each(|local| is_bit.set(call.first_variable as usize + local));
        call.body = index;
    }
    Ok(Compiled { procedures, calls, coefficients })
}

fn procedure(
    body: &Body,
    coefficients: &mut Coefficients,
    external_bits: Bitset,
    rules: Rules,
) -> Result<Procedure, (usize, Refusal)> {
    let externals: Vec<bool> = (0..external_bits.len()).map(|external| external_bits.get(external)).collect();
    let derivation = derive::derive(body, coefficients, &externals, rules)?;
    let mut bits = Bitset::with_capacity(body.locals as usize);
    derivation.bits[body.first_local() as usize..].iter().for_each(|&is_bit| bits.push(is_bit));
    let (program, rows) = lower::lower(body, derivation, coefficients);
    let occurs = [0, 1].map(|matrix| {
        let mut occurs = Bitset::new(body.numbers() as usize - 1);
        let [_, columns, _] = body.matrices[matrix].arrays();
        columns.iter().filter(|&&number| number != 0).for_each(|&number| occurs.set(number as usize - 1));
        occurs
    });
    let [_, in_b, _] = body.matrices[1].arrays();
    let one_in_b = in_b.contains(&0);
    let inputs = body.inputs.clone();
    Ok(Procedure { program, rows, locals: body.locals, inputs, bits, external_bits, occurs, one_in_b })
}

impl Procedure {
    /// Frame slots of the local inputs, ascending.
    pub(crate) fn input_slots(&self) -> impl Iterator<Item = u32> + '_ {
        // Inputs are scalars.
        let before = |local: u32| local - self.bits.count_below(local as usize) as u32;
        self.inputs.iter().map(move |&local| self.program.shape.external_scalars + before(local))
    }

    /// Gives back what the allocator gave too much of.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.program.shrink_to_fit();
        self.rows.shrink_to_fit();
        self.inputs.shrink_to_fit();
    }

    /// Bytes taken from the allocator.
    pub(crate) fn bytes(&self) -> u64 {
        let sets = [&self.bits, &self.external_bits, &self.occurs[0], &self.occurs[1]].map(Bitset::bytes);
        let inputs = self.inputs.capacity() * size_of::<u32>();
        self.program.bytes() + self.rows.bytes() + sets.iter().sum::<u64>() + inputs as u64
    }
}
