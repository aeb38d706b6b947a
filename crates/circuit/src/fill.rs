//! Filling a witness by running the gadgets' own closures.

use bellperson::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use cuzk_memory::{Ledger, Place, Scope};
use ff::Field;

use crate::{Bitset, Circuit, CircuitError, Layout, SOLVING, WITNESS, Witness};

impl Witness {
    /// Fills a witness by synthesising the circuit with values: closures that compute values are called, constraints
    /// are ignored (see [`Circuit::check`]).
    ///
    /// # Errors
    /// When the synthesis fails, when the circuit has another shape than the recorded one, or when a bit of the layout
    /// gets a value other than 0 and 1.
    pub fn fill(
        circuit: &Circuit,
        ledger: &Ledger,
        scope: &Scope,
        synthesize: impl FnOnce(&mut Filler<'_>) -> Result<(), SynthesisError>,
    ) -> Result<Self, CircuitError> {
        let layout = circuit.layout();
        let entry = ledger.enter(&WITNESS, &SOLVING, Place::Host, Self::bytes_for(layout), scope);
        let mut filler = Filler::new(layout);
        synthesize(&mut filler)?;
        if let Some(aux) = filler.not_boolean {
            return Err(CircuitError::NotABit { aux });
        }
        expect("inputs", layout.inputs(), filler.inputs.len())?;
        expect("auxiliary variables", layout.aux(), filler.aux)?;
        let Filler { inputs, bits, scalars, .. } = filler;
        Ok(Self { layout: layout.clone(), inputs, bits, scalars, entry })
    }
}

fn expect(what: &'static str, expected: usize, found: usize) -> Result<(), CircuitError> {
    if expected == found { Ok(()) } else { Err(CircuitError::WrongShape { what, expected, found }) }
}

/// A `bellperson::ConstraintSystem` that keeps values packed and ignores constraints.
///
/// It can be extended: gadgets that build independent parts in parallel make a filler for each with `new`. Such a part
/// does not know yet which of the circuit's variables are its own, so it keeps plain values until it is appended.
#[derive(Debug)]
pub struct Filler<'a> {
    /// None in a part.
    layout: Option<Expected<'a>>,
    inputs: Vec<Scalar>,
    /// Auxiliary variables allocated so far.
    aux: usize,
    bits: Bitset,
    scalars: Vec<Scalar>,
    /// The first bit that got another value than 0 or 1.
    not_boolean: Option<usize>,
}

/// Says of one auxiliary variable after the other whether it is a bit.
struct Expected<'a>(Box<dyn Iterator<Item = bool> + Send + Sync + 'a>);

impl std::fmt::Debug for Expected<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Expected")
    }
}

impl<'a> Filler<'a> {
    fn new(layout: &'a Layout) -> Self {
        let mut values = Vec::with_capacity(layout.inputs());
        values.push(Scalar::ONE);
        Self {
            layout: Some(Expected(Box::new(layout.iter()))),
            inputs: values,
            aux: 0,
            bits: Bitset::with_capacity(layout.bits()),
            scalars: Vec::with_capacity(layout.scalars()),
            not_boolean: None,
        }
    }

    fn push(&mut self, value: Scalar) {
        let aux = self.aux;
        self.aux += 1;
        let Some(Expected(is_bit)) = &mut self.layout else {
            self.scalars.push(value);
            return;
        };
        match is_bit.next() {
            Some(true) => {
                if value != Scalar::ONE && !bool::from(value.is_zero()) {
                    self.not_boolean.get_or_insert(aux);
                }
                self.bits.push(value == Scalar::ONE);
            }
            Some(false) => self.scalars.push(value),
            // A circuit larger than the recorded one is refused at the end; its surplus need not be kept.
            None => {}
        }
    }
}

impl ConstraintSystem<Scalar> for Filler<'_> {
    type Root = Self;

    fn new() -> Self {
        Self {
            layout: None,
            inputs: Vec::new(),
            aux: 0,
            bits: Bitset::with_capacity(0),
            scalars: Vec::new(),
            not_boolean: None,
        }
    }

    fn is_extensible() -> bool {
        true
    }

    /// Appends a part made with `new`, without its first input: by convention a temporary ONE.
    fn extend(&mut self, part: &Self) {
        self.inputs.extend_from_slice(part.inputs.get(1..).unwrap_or_default());
        part.scalars.iter().for_each(|value| self.push(*value));
    }

    fn alloc<F, A, AR>(&mut self, _: A, f: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.push(f()?);
        Ok(Variable::new_unchecked(Index::Aux(self.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, f: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs.push(f()?);
        Ok(Variable::new_unchecked(Index::Input(self.inputs.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, _: LA, _: LB, _: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}
