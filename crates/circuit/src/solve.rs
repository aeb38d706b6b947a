//! Solving a witness from advice.

use blstrs::Scalar;
use cuzk_memory::{Class, Ledger, Place as MemoryPlace, Scope};
use ff::Field;
use rayon::prelude::*;

use crate::{
    Advice, Bitset, Circuit, CircuitError, SOLVING, Unsatisfied, WITNESS, Witness,
    advice::CallAdvice,
    circuit::{CallPlace, Source},
    compile::Procedure,
    program::{Constants, Frame, Place, load, mask, store},
};

/// What solving needs besides the result: frames in which parts are computed, and the advice.
pub static SOLVER_SCRATCH: Class = Class::new("solver-scratch");

impl Witness {
    /// Computes all variables of a circuit, on the current rayon pool, and checks the rows that are not true by
    /// construction. The result does not depend on the number of threads.
    ///
    /// # Errors
    /// When the advice is another circuit's, or when a row does not hold: the first one of the circuit's checks.
    pub fn solve(circuit: &Circuit, advice: &Advice, ledger: &Ledger, scope: &Scope) -> Result<Self, CircuitError> {
        let layout = circuit.layout();
        let entry = ledger.enter(&WITNESS, &SOLVING, MemoryPlace::Host, Self::bytes_for(layout), scope);
        let mut values = Values {
            inputs: vec![Scalar::ZERO; layout.inputs()],
            bits: Bitset::new(layout.bits()),
            scalars: vec![Scalar::ZERO; layout.scalars()],
        };
        values.solve(circuit, advice, Values::leave, ledger, scope)?;
        let Values { inputs, bits, scalars } = values;
        Ok(Self { layout: layout.clone(), inputs, bits, scalars, entry })
    }
}

/// Computes and checks all variables as [`Witness::solve`] does, and keeps the inputs alone: for circuits of independent parts.
pub(crate) fn solve_inputs(
    circuit: &Circuit,
    advice: &Advice,
    ledger: &Ledger,
    scope: &Scope,
) -> Result<Vec<Scalar>, CircuitError> {
    let inputs = vec![Scalar::ZERO; circuit.layout().inputs()];
    let mut values = Values { inputs, bits: Bitset::new(0), scalars: Vec::new() };
    values.solve(circuit, advice, Values::leave_inputs, ledger, scope)?;
    Ok(values.inputs)
}

impl Circuit {
    /// Holds a witness, wherever it came from, against every constraint: what is defined must have the value that follows
    /// from the rest, and the other rows must hold. Runs on the current rayon pool.
    ///
    /// # Errors
    /// When a constraint is not satisfied. [`find_unsatisfied`](crate::find_unsatisfied) says which.
    pub fn check(&self, witness: &Witness) -> Result<(), CircuitError> {
        let constants = Constants::new(self.coefficients());
        let calls: Vec<_> = self.calls().collect();
        let holds = |&(procedure, place): &(&Procedure, &CallPlace)| {
            let (mut given, mut computed) = (Frame::default(), Frame::default());
            witness.load(procedure, place, &mut given);
            witness.enter(procedure, place, &mut computed);
            procedure.copy_advice(&given, &mut computed);
            procedure.program.run(&mut computed, &constants);
            let scalars = procedure.program.shape.scalars() as usize;
            given.bits == computed.bits
                && given.scalars[..scalars] == computed.scalars[..scalars]
                && procedure.program.failed_check(&given, &constants).is_none()
        };
        if calls.par_iter().all(holds) { Ok(()) } else { Err(CircuitError::Unsatisfied) }
    }

    /// Bytes of the largest frame.
    fn frame_bytes(&self) -> u64 {
        let bytes = self.stored.procedures.iter().map(|procedure| Frame::bytes(&procedure.program.shape));
        bytes.max().unwrap_or(0)
    }

    /// How many calls can be computed at the same time.
    fn longest_group(&self) -> usize {
        let groups = self.places.chunk_by(|_, place| place.joins);
        groups.map(<[CallPlace]>::len).max().unwrap_or(0).max(1)
    }
}

/// A witness in the making.
struct Values {
    inputs: Vec<Scalar>,
    bits: Bitset,
    scalars: Vec<Scalar>,
}

impl Values {
    /// Computes part after part, as many at a time as there are threads and they do not need each other; `leave` takes over
    /// what each has computed.
    fn solve(
        &mut self,
        circuit: &Circuit,
        advice: &Advice,
        leave: impl Fn(&mut Self, &Procedure, &CallPlace, &Frame),
        ledger: &Ledger,
        scope: &Scope,
    ) -> Result<(), CircuitError> {
        if advice.len() != circuit.advice() {
            let (expected, found) = (circuit.advice(), advice.len());
            return Err(CircuitError::WrongShape { what: "values of advice", expected, found });
        }
        self.inputs[0] = Scalar::ONE;
        let at_once = rayon::current_num_threads().min(circuit.longest_group());
        let scratch = at_once as u64 * circuit.frame_bytes();
        let _scratch = ledger.enter(&SOLVER_SCRATCH, &SOLVING, MemoryPlace::Host, scratch, scope);
        let mut frames = vec![Frame::default(); at_once];
        let constants = Constants::new(circuit.coefficients());
        let calls: Vec<(&Procedure, &CallPlace)> = circuit.calls().collect();
        for group in calls.chunk_by(|_, (_, place)| place.joins).flat_map(|group| group.chunks(at_once)) {
            let solve = |(frame, &(procedure, place)): (&mut Frame, &(&Procedure, &CallPlace))| {
                self.enter(procedure, place, frame);
                procedure.take_advice(advice.from(place.first_advice), frame);
                procedure.program.run(frame, &constants);
                let failed = procedure.program.failed_check(frame, &constants);
                failed.map_or(Ok(()), |row| Err(Unsatisfied { row: place.first_row + row as usize }))
            };
            let frames = &mut frames[..group.len()];
            let solved: Vec<Result<(), Unsatisfied>> = match group {
                [only] => vec![solve((&mut frames[0], only))],
                many => frames.par_iter_mut().zip(many).map(solve).collect(),
            };
            solved.into_iter().collect::<Result<(), _>>()?;
            for (frame, (procedure, place)) in frames.iter().zip(group) {
                leave(self, procedure, place, frame);
            }
        }
        Ok(())
    }

    fn enter(&self, procedure: &Procedure, place: &CallPlace, frame: &mut Frame) {
        enter([&self.inputs, &self.scalars], &self.bits, procedure, place, frame);
    }

    /// Takes the locals of a frame over.
    fn leave(&mut self, procedure: &Procedure, place: &CallPlace, frame: &Frame) {
        let shape = &procedure.program.shape;
        copy_bits(
            &frame.bits,
            shape.external_bits as usize,
            self.bits.words_mut(),
            place.first_bit,
            shape.local_bits as usize,
        );
        let (mut from, mut to) = (shape.external_scalars as usize, place.first_scalar);
        let end = shape.scalars() as usize;
        let inputs = procedure.input_slots().map(|slot| slot as usize).zip(place.first_input..);
        for (slot, input) in inputs.map(|(slot, input)| (slot, Some(input))).chain([(end, None)]) {
            self.scalars[to..to + slot - from].copy_from_slice(&frame.scalars[from..slot]);
            to += slot - from;
            from = slot + 1;
            if let Some(input) = input {
                self.inputs[input] = frame.scalars[slot];
            }
        }
    }

    /// Takes over the inputs among the locals of a frame.
    fn leave_inputs(&mut self, procedure: &Procedure, place: &CallPlace, frame: &Frame) {
        for (slot, input) in procedure.input_slots().zip(place.first_input..) {
            self.inputs[input] = frame.scalars[slot as usize];
        }
    }
}

impl Witness {
    /// The advice that a witness would be solved from, read off the witness itself: for oracles.
    ///
    /// # Panics
    /// When the witness is another circuit's.
    pub fn advice(&self, circuit: &Circuit) -> Advice {
        let mut advice = Advice::writer(circuit);
        let mut frame = Frame::default();
        for (procedure, place) in circuit.calls() {
            self.load(procedure, place, &mut frame);
            procedure.program.advice.iter().for_each(|&place| advice.push(place, frame.value(place)));
        }
        advice.into_advice()
    }

    /// Fills a frame with its externals.
    pub(crate) fn enter(&self, procedure: &Procedure, place: &CallPlace, frame: &mut Frame) {
        enter([&self.inputs, &self.scalars], &self.bits, procedure, place, frame);
    }

    /// Fills a frame with its externals and locals.
    pub(crate) fn load(&self, procedure: &Procedure, place: &CallPlace, frame: &mut Frame) {
        self.enter(procedure, place, frame);
        let shape = &procedure.program.shape;
        copy_bits(
            self.bits.words(),
            place.first_bit,
            &mut frame.bits,
            shape.external_bits as usize,
            shape.local_bits as usize,
        );
        let (mut to, mut from) = (shape.external_scalars as usize, place.first_scalar);
        let end = shape.scalars() as usize;
        let inputs = procedure.input_slots().map(|slot| slot as usize).zip(place.first_input..);
        for (slot, input) in inputs.map(|(slot, input)| (slot, Some(input))).chain([(end, None)]) {
            frame.scalars[to..slot].copy_from_slice(&self.scalars[from..from + slot - to]);
            from += slot - to;
            to = slot + 1;
            if let Some(input) = input {
                frame.scalars[slot] = self.inputs[input];
            }
        }
    }
}

fn enter(
    [inputs, scalars]: [&[Scalar]; 2],
    bits: &Bitset,
    procedure: &Procedure,
    place: &CallPlace,
    frame: &mut Frame,
) {
    frame.reset(&procedure.program.shape);
    for (position, &rank) in place.external_bits.iter().enumerate() {
        frame.set_bit(position as u32, bits.get(rank as usize));
    }
    for (slot, source) in frame.scalars.iter_mut().zip(&place.external_scalars) {
        *slot = match source {
            Source::Input(index) => inputs[*index as usize],
            Source::Scalar(rank) => scalars[*rank as usize],
        };
    }
}

impl Procedure {
    fn take_advice(&self, advice: CallAdvice<'_>, frame: &mut Frame) {
        for (index, place) in self.program.advice.iter().enumerate() {
            match *place {
                Place::Bit(position) => frame.set_bit(position, advice.bit(index)),
                Place::Scalar(slot) => frame.scalars[slot as usize] = *advice.scalar(index),
            }
        }
    }

    fn copy_advice(&self, from: &Frame, to: &mut Frame) {
        for place in &self.program.advice {
            match *place {
                Place::Bit(position) => to.set_bit(position, from.bit(position)),
                Place::Scalar(slot) => to.scalars[slot as usize] = from.scalars[slot as usize],
            }
        }
    }
}

/// Copies bits to where zeros are.
fn copy_bits(from: &[u64], from_bit: usize, to: &mut [u64], to_bit: usize, count: usize) {
    let end = to.len() * 64;
    let mut done = 0;
    while done < count {
        let take = (count - done).min(64);
        let word = bits_at(from, from_bit + done) & mask(take as u8);
        let position = to_bit + done;
        if position + 128 <= end {
            store(to, position as u32, word);
        } else {
            to[position / 64] |= word << (position % 64);
            if position % 64 + take > 64 {
                to[position / 64 + 1] |= word >> (64 - position % 64);
            }
        }
        done += take;
    }
}

/// 64 bits from a position on, zeros beyond the end.
fn bits_at(words: &[u64], position: usize) -> u64 {
    let word = position / 64;
    if word + 1 < words.len() {
        load(words, position as u32)
    } else {
        words.get(word).map_or(0, |word| word >> (position % 64))
    }
}

#[cfg(test)]
mod tests {
    use super::copy_bits;
    use crate::Bitset;
    use cuzk_testing::TimeLimit;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_are_copied_to_any_place(
            members in prop::collection::vec(any::<bool>(), 1..400),
            from in 0..200usize,
            to in 0..200usize,
        ) {
            let _limit = TimeLimit::seconds(30);
            let mut source = Bitset::new(from + members.len());
            members.iter().enumerate().filter(|(_, member)| **member).for_each(|(index, _)| source.set(from + index));
            let mut target = Bitset::new(to + members.len());
            copy_bits(source.words(), from, target.words_mut(), to, members.len());
            let expected: Vec<usize> = (0..members.len()).filter(|&index| members[index]).map(|index| to + index).collect();
            prop_assert_eq!(target.iter_ones().collect::<Vec<_>>(), expected);
        }
    }
}
