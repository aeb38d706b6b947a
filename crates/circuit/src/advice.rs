//! The values that a witness is solved from.

use blstrs::Scalar;

use crate::{Bitset, Circuit, CircuitError, program::Place};

/// Values for the variables that nothing in the circuit defines, in the order of their allocation: for a Filecoin proof
/// what the vanilla proof holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    scalars: Vec<Scalar>,
    bits: Bitset,
}

/// Takes the advice of a circuit, value after value, and refuses one of the wrong kind.
#[derive(Debug)]
pub struct AdviceWriter<'a> {
    circuit: &'a Circuit,
    call: usize,
    /// Place of the next value in the call's advice.
    next: usize,
    advice: Advice,
}

/// Advice for one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallAdvice<'a> {
    advice: &'a Advice,
    first: usize,
}

impl Advice {
    /// Begins to write the advice for a circuit.
    pub fn writer(circuit: &Circuit) -> AdviceWriter<'_> {
        let len = circuit.advice();
        // Each value has an entry in both: most are scalars, and a position says where both are.
        let advice = Self { scalars: Vec::with_capacity(len), bits: Bitset::with_capacity(len) };
        AdviceWriter { circuit, call: 0, next: 0, advice }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.scalars.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.scalars.is_empty()
    }

    /// Bytes taken from the allocator.
    pub fn bytes(&self) -> u64 {
        (self.scalars.capacity() * size_of::<Scalar>()) as u64 + self.bits.bytes()
    }

    /// The same advice with value number `index` replaced: a bit by its opposite, a scalar by the next one. For tests.
    #[must_use]
    pub fn with_changed(&self, index: usize) -> Self {
        let mut changed = self.clone();
        if self.bits.get(index) {
            changed.scalars[index] = Scalar::from(1u64) - self.scalars[index];
        } else {
            changed.scalars[index] += Scalar::from(1u64);
        }
        changed
    }

    pub(crate) fn from(&self, first: usize) -> CallAdvice<'_> {
        CallAdvice { advice: self, first }
    }
}

impl CallAdvice<'_> {
    pub(crate) fn scalar(&self, index: usize) -> &Scalar {
        &self.advice.scalars[self.first + index]
    }

    pub(crate) fn bit(&self, index: usize) -> bool {
        *self.scalar(index) == Scalar::from(1u64)
    }
}

impl AdviceWriter<'_> {
    /// The next value, which must be a scalar.
    ///
    /// # Errors
    /// When the circuit wants a bit next, or nothing.
    pub fn scalar(&mut self, value: Scalar) -> Result<(), CircuitError> {
        match self.next_place() {
            Some(place @ Place::Scalar(_)) => self.push(place, value),
            other => return Err(self.refuse("a scalar", other)),
        }
        Ok(())
    }

    /// The next value, which must be a bit.
    ///
    /// # Errors
    /// When the circuit wants a scalar next, or nothing.
    pub fn bit(&mut self, value: bool) -> Result<(), CircuitError> {
        match self.next_place() {
            Some(place @ Place::Bit(_)) => self.push(place, Scalar::from(u64::from(value))),
            other => return Err(self.refuse("a bit", other)),
        }
        Ok(())
    }

    /// Ends the advice.
    ///
    /// # Errors
    /// When the circuit wants more.
    pub fn finish(mut self) -> Result<Advice, CircuitError> {
        match self.next_place() {
            None => Ok(self.advice),
            missing => Err(self.refuse("the end", missing)),
        }
    }

    /// The next value, whose place is known.
    pub(crate) fn push(&mut self, place: Place, value: Scalar) {
        self.advice.scalars.push(value);
        self.advice.bits.push(matches!(place, Place::Bit(_)));
        self.next += 1;
    }

    pub(crate) fn into_advice(self) -> Advice {
        self.advice
    }

    fn next_place(&mut self) -> Option<Place> {
        while let Some(call) = self.circuit.stored.calls.get(self.call) {
            let advice = &self.circuit.procedure(call).program.advice;
            if let Some(place) = advice.get(self.next) {
                return Some(*place);
            }
            self.call += 1;
            self.next = 0;
        }
        None
    }

    fn refuse(&self, found: &'static str, wanted: Option<Place>) -> CircuitError {
        let expected = match wanted {
            Some(Place::Bit(_)) => "a bit",
            Some(Place::Scalar(_)) => "a scalar",
            None => "the end",
        };
        CircuitError::Advice { index: self.advice.len(), expected, found }
    }
}
