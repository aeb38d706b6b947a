//! A compiled circuit as the pipeline holds it.

use std::sync::Arc;

use bellperson::SynthesisError;
use blstrs::Scalar;
use cuzk_memory::{Class, Entry, Ledger, Place, Scope, Stage};

use crate::{
    Bitset, CircuitError, Counts, Densities, Digest, Layout, Rules, Tracer,
    compile::Procedure,
    layout::Section,
    program::FrameShape,
    stored::{Stored, StoredCall},
};

/// Compiled circuits.
pub static CIRCUIT: Class = Class::new("circuit");
/// A shared thing that stays until it is evicted.
pub static RESIDENT: Stage = Stage::new("resident");

/// A compiled circuit: programs for its different parts, and where each part stands. Counted in the ledger while it lives.
#[derive(Debug)]
pub struct Circuit {
    pub(crate) stored: Stored,
    pub(crate) places: Vec<CallPlace>,
    layout: Arc<Layout>,
    entry: Entry,
}

/// Where one call's values are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallPlace {
    pub(crate) first_row: usize,
    pub(crate) first_bit: usize,
    pub(crate) first_scalar: usize,
    pub(crate) first_input: usize,
    pub(crate) first_advice: usize,
    /// Ranks of the external bits, in the order of the frame.
    pub(crate) external_bits: Vec<u32>,
    pub(crate) external_scalars: Vec<Source>,
    /// Whether it can be computed at the same time as the call before it.
    pub(crate) joins: bool,
}

/// Where a scalar is in a witness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Input(u32),
    Scalar(u32),
}

/// How a circuit is recorded and compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Repetitions are looked for among the namespaces that have so many others around them.
    pub depth: usize,
    /// How many equal parts the circuit consists of, where a shorter one is synthesised that has two or more of them. They must
    /// not refer to each other.
    pub instances: Option<usize>,
    /// What is derived.
    pub rules: Rules,
}

impl Default for Options {
    fn default() -> Self {
        Self { depth: 0, instances: None, rules: Rules::All }
    }
}

impl Circuit {
    /// Records a blank circuit and compiles it.
    ///
    /// # Errors
    /// When the synthesis fails, when the circuit is too large, or when a row is not covered by the rules; see
    /// [`CircuitError::Refused`].
    pub fn compile(
        ledger: &Ledger,
        options: Options,
        synthesize: impl FnOnce(&mut Tracer) -> Result<(), SynthesisError>,
    ) -> Result<Self, CircuitError> {
        let mut tracer = Tracer::new_at(options.depth);
        synthesize(&mut tracer)?;
        let mut trace = tracer.finish()?;
        if let Some(instances) = options.instances {
            trace.repeat_last(instances)?;
        }
        let stored = Stored::compile(trace, options.rules)?;
        Ok(Self::assemble(stored, ledger))
    }

    /// Works out where everything is.
    pub(crate) fn assemble(stored: Stored, ledger: &Ledger) -> Self {
        let ranked: Vec<Section> =
            stored.procedures.iter().map(|procedure| Section::new(procedure.bits.clone())).collect();
        let mut places: Vec<CallPlace> = Vec::with_capacity(stored.calls.len());
        let mut starts: Vec<u32> = Vec::with_capacity(stored.calls.len());
        let mut next = Cursor { variable: 1, input: 1, ..Cursor::default() };
        let mut group_start = 1;
        for StoredCall { procedure, externals } in &stored.calls {
            let index = *procedure as usize;
            let joins = !starts.is_empty() && externals.iter().all(|&external| external < group_start);
            if !joins {
                group_start = next.variable;
            }
            let mut place = next.place(joins);
            for &external in externals {
                let call = starts.partition_point(|&start| start <= external) - 1;
                let owner = &stored.calls[call];
                let procedure = &stored.procedures[owner.procedure as usize];
                let local = (external - starts[call]) as usize;
                let rank = ranked[owner.procedure as usize].rank(local);
                if procedure.bits.get(local) {
                    place.external_bits.push((places[call].first_bit + rank) as u32);
                } else if let Ok(input) = procedure.inputs.binary_search(&(local as u32)) {
                    place.external_scalars.push(Source::Input((places[call].first_input + input) as u32));
                } else {
                    let inputs = procedure.inputs.partition_point(|&input| (input as usize) < local);
                    let scalar = places[call].first_scalar + local - rank - inputs;
                    place.external_scalars.push(Source::Scalar(scalar as u32));
                }
            }
            places.push(place);
            starts.push(next.variable);
            next.advance(&stored.procedures[index]);
        }
        let sections = stored.procedures.iter().map(|procedure| Arc::new(Section::new(procedure.aux_bits()))).collect();
        let order = stored.calls.iter().map(|call| call.procedure as usize);
        let layout = Arc::new(Layout::new(sections, order, stored.counts.inputs));
        let bytes = stored.bytes() + layout.bytes() + places.iter().map(CallPlace::bytes).sum::<u64>();
        let entry = ledger.enter(&CIRCUIT, &RESIDENT, Place::Host, bytes, &Scope::default());
        Self { stored, places, layout, entry }
    }

    /// How large the circuit is.
    pub fn counts(&self) -> &Counts {
        &self.stored.counts
    }

    /// The layout of this circuit's witnesses.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// SHA-256 of the recorded circuit: equal digests mean equal circuits.
    pub fn digest(&self) -> Digest {
        self.stored.digest
    }

    /// Which variables occur in A and B. They are put together anew: 24 bytes for 64 variables.
    pub fn densities(&self) -> Densities {
        self.stored.densities()
    }

    /// Number of values that have to be given for a witness to be solved.
    pub fn advice(&self) -> usize {
        self.stored.calls.iter().map(|call| self.procedure(call).program.advice.len()).sum()
    }

    /// Number of parts that the circuit consists of, and of different parts among them.
    pub fn parts(&self) -> (usize, usize) {
        (self.stored.calls.len(), self.stored.procedures.len())
    }

    /// Number of rows that are checked once a witness is solved.
    pub fn checks(&self) -> usize {
        self.stored.calls.iter().map(|call| self.procedure(call).program.checks.len()).sum()
    }

    /// Whether another circuit is the same in everything, its programs included.
    pub fn is_same(&self, other: &Self) -> bool {
        self.stored == other.stored
    }

    /// Bytes counted for this circuit.
    pub fn bytes(&self) -> u64 {
        self.entry.bytes()
    }

    pub(crate) fn procedure(&self, call: &StoredCall) -> &Procedure {
        &self.stored.procedures[call.procedure as usize]
    }

    /// The calls with their procedures and places, in the order of the circuit.
    pub(crate) fn calls(&self) -> impl ExactSizeIterator<Item = (&Procedure, &CallPlace)> {
        self.stored.calls.iter().zip(&self.places).map(|(call, place)| (self.procedure(call), place))
    }

    /// The coefficients as the programs index them.
    pub(crate) fn coefficients(&self) -> &[Scalar] {
        &self.stored.coefficients
    }
}

impl CallPlace {
    fn bytes(&self) -> u64 {
        let externals =
            self.external_bits.capacity() * size_of::<u32>() + self.external_scalars.capacity() * size_of::<Source>();
        (size_of::<Self>() + externals) as u64
    }
}

/// Where the next call begins.
#[derive(Debug, Default)]
struct Cursor {
    variable: u32,
    row: usize,
    bit: usize,
    scalar: usize,
    input: usize,
    advice: usize,
}

impl Cursor {
    fn place(&self, joins: bool) -> CallPlace {
        CallPlace {
            first_row: self.row,
            first_bit: self.bit,
            first_scalar: self.scalar,
            first_input: self.input,
            first_advice: self.advice,
            external_bits: Vec::new(),
            external_scalars: Vec::new(),
            joins,
        }
    }

    fn advance(&mut self, procedure: &Procedure) {
        let FrameShape { local_bits, local_scalars, .. } = procedure.program.shape;
        let inputs = procedure.inputs.len();
        self.variable += procedure.locals;
        self.row += procedure.rows.rows as usize;
        self.bit += local_bits as usize;
        self.scalar += local_scalars as usize - inputs;
        self.input += inputs;
        self.advice += procedure.program.advice.len();
    }
}

impl Procedure {
    /// Which of the auxiliary variables among the locals are bits.
    pub(crate) fn aux_bits(&self) -> Bitset {
        let mut bits = Bitset::with_capacity(self.locals as usize);
        let mut inputs = self.inputs.iter().peekable();
        for local in 0..self.locals {
            if inputs.next_if(|&&input| input == local).is_none() {
                bits.push(self.bits.get(local as usize));
            }
        }
        bits
    }
}
