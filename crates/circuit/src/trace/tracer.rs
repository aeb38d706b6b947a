//! The constraint system that records.

use std::mem;

use bellperson::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use ff::Field;
use rustc_hash::FxHashMap;

use super::{Body, Call, LIMIT, Trace, matching::Matching};
use crate::{CircuitError, Matrix, coefficients::Coefficients};

/// Parts of fewer rows are not worth an instance of their own.
const MIN_ROWS: usize = 64;

/// A `bellperson::ConstraintSystem` that records a blank circuit and finds its repetitions. Closures that compute values
/// are not called.
///
/// Namespaces say where to look: when two of one parent, at a given depth, have names that differ in their digits only
/// (such as `challenge_0` and `challenge_1`), everything from the first to the second is taken for the first instance of
/// a part, and what follows is held against it. A wrong guess costs nothing but memory.
#[derive(Debug)]
pub struct Tracer {
    /// How many namespaces are open around those that may repeat.
    depth: usize,
    open: usize,
    variables: u32,
    /// Number of each input, in the order of allocation.
    inputs: Vec<u32>,
    rows: u32,
    coefficients: Coefficients,
    /// What belongs to no instance.
    plain: Stretch,
    names: FxHashMap<String, Seen>,
    bodies: Vec<Body>,
    calls: Vec<Call>,
    matching: Option<(Matching, Guess)>,
    too_large: Option<CircuitError>,
}

/// Rows in terms of the circuit's variables.
#[derive(Debug)]
struct Stretch {
    first_variable: u32,
    first_row: u32,
    matrices: [Matrix; 3],
}

/// What is known of a namespace's name, digits aside.
#[derive(Debug, Clone, Copy)]
enum Seen {
    /// It was opened once, at this variable and row.
    Once { variable: u32, row: u32 },
    /// What stands between two of its kind is too little.
    Useless,
    /// It begins an instance of this body.
    Begins(usize),
}

/// Whether the body of an instance has been seen twice already.
#[derive(Debug)]
enum Guess {
    Confirmed,
    /// The body was cut off the plain rows for a try.
    New {
        name: String,
        call: Call,
    },
}

impl Tracer {
    /// A tracer that looks for repetitions among the namespaces that have `depth` others around them.
    pub(crate) fn new_at(depth: usize) -> Self {
        Self {
            depth,
            open: 0,
            variables: 1,
            inputs: vec![0],
            rows: 0,
            coefficients: Coefficients::default(),
            plain: Stretch::new(1, 0),
            names: FxHashMap::default(),
            bodies: Vec::new(),
            calls: Vec::new(),
            matching: None,
            too_large: None,
        }
    }

    /// Ends the recording.
    pub(crate) fn finish(mut self) -> Result<Trace, CircuitError> {
        if let Some(error) = self.too_large {
            return Err(error);
        }
        self.abandon();
        let last = self.take_plain(self.variables, self.rows);
        self.calls.extend(last);
        let Self { bodies, calls, coefficients, variables, inputs, rows, .. } = self;
        Ok(Trace {
            bodies,
            calls,
            coefficients,
            variables: variables as usize,
            inputs: inputs.len(),
            rows: rows as usize,
        })
    }

    fn allocate(&mut self, input: bool) -> u32 {
        if let Some((matching, _)) = &self.matching {
            let body = &self.bodies[matching.body];
            let local = self.variables - matching.first_variable;
            if local >= body.locals || body.inputs.binary_search(&local).is_ok() != input {
                self.abandon();
            }
        }
        let variable = self.variables;
        if variable as usize >= LIMIT {
            self.refuse("variables", variable as usize + 1);
            return variable;
        }
        self.variables += 1;
        if input {
            self.inputs.push(variable);
        }
        self.end_instance();
        variable
    }

    fn record(&mut self, row: [LinearCombination<Scalar>; 3]) {
        if self.rows as usize >= LIMIT {
            self.refuse("rows", self.rows as usize + 1);
            return;
        }
        if let Some((matching, _)) = &mut self.matching {
            if matching.row(&self.bodies[matching.body], &self.coefficients, &row) {
                self.rows += 1;
                self.end_instance();
                return;
            }
            self.abandon();
        }
        for (matrix, terms) in self.plain.matrices.iter_mut().zip(&row) {
            for (variable, coefficient) in terms.iter() {
                if !bool::from(coefficient.is_zero()) {
                    let (Index::Input(variable) | Index::Aux(variable)) = variable.get_unchecked();
                    matrix.push(variable as u32, self.coefficients.intern(coefficient));
                }
            }
            matrix.end_row();
        }
        self.rows += 1;
        let terms = self.plain.matrices.iter().map(Matrix::nnz).max().unwrap_or(0);
        if terms > LIMIT {
            self.refuse("terms", terms);
        }
    }

    fn refuse(&mut self, what: &'static str, found: usize) {
        self.too_large.get_or_insert(CircuitError::TooLarge { what, found, limit: LIMIT });
    }

    /// A namespace has been opened that may begin an instance.
    fn begin(&mut self, name: String) {
        if self.matching.is_some() {
            return;
        }
        let (variable, row) = (self.variables, self.rows);
        match self.names.get(&name).copied() {
            None => {
                self.names.insert(name, Seen::Once { variable, row });
            }
            Some(Seen::Useless) => {}
            Some(Seen::Once { row: first, .. }) if (row - first) < MIN_ROWS as u32 || first < self.plain.first_row => {
                self.names.insert(name, Seen::Useless);
            }
            Some(Seen::Once { variable: first_variable, row: first_row }) => {
                let call = self.cut(first_variable, first_row);
                let matching = Matching::new(call.body, &self.bodies[call.body], variable, row);
                self.matching = Some((matching, Guess::New { name, call }));
            }
            Some(Seen::Begins(body)) => {
                self.matching = Some((Matching::new(body, &self.bodies[body], variable, row), Guess::Confirmed));
            }
        }
    }

    /// Makes a body of the plain rows from `first_row` on.
    fn cut(&mut self, first_variable: u32, first_row: u32) -> Call {
        let at = (first_row - self.plain.first_row) as usize;
        let matrices = self.plain.matrices.each_mut().map(|matrix| matrix.split_off(at));
        let externals = self.push_body(matrices, first_variable, self.variables);
        Call { body: self.bodies.len() - 1, first_variable, first_row, externals }
    }

    fn push_body(&mut self, matrices: [Matrix; 3], first_variable: u32, end: u32) -> Vec<u32> {
        let inputs = self.inputs.iter().filter(|input| (first_variable..end).contains(input));
        let inputs = inputs.map(|input| input - first_variable).collect();
        let (body, externals) = Body::new(matrices, first_variable, end - first_variable, inputs);
        self.bodies.push(body);
        externals
    }

    /// Notes an instance once all its rows and variables have been seen.
    fn end_instance(&mut self) {
        let Some((matching, _)) = &self.matching else { return };
        let body = &self.bodies[matching.body];
        if matching.rows < body.rows() || self.variables - matching.first_variable < body.locals {
            return;
        }
        let Some((Matching { body, first_variable, first_row, externals, .. }, guess)) = self.matching.take() else {
            return;
        };
        match guess {
            Guess::New { name, call } => {
                let before = self.take_plain(call.first_variable, call.first_row);
                self.calls.extend(before);
                self.calls.push(call);
                self.names.insert(name, Seen::Begins(body));
            }
            Guess::Confirmed => {
                let before = self.take_plain(first_variable, first_row);
                self.calls.extend(before);
            }
        }
        self.calls.push(Call { body, first_variable, first_row, externals });
        self.plain = Stretch::new(self.variables, self.rows);
    }

    /// Makes a body and its only call of the plain rows, which end at a variable and a row.
    fn take_plain(&mut self, end_variable: u32, end_row: u32) -> Option<Call> {
        let empty = Stretch::new(end_variable, end_row);
        let Stretch { first_variable, first_row, matrices } = mem::replace(&mut self.plain, empty);
        if first_variable == end_variable && first_row == end_row {
            return None;
        }
        let externals = self.push_body(matrices, first_variable, end_variable);
        Some(Call { body: self.bodies.len() - 1, first_variable, first_row, externals })
    }

    /// What was taken for an instance is none: its rows, and those of a body that was only a guess, are plain ones.
    fn abandon(&mut self) {
        let Some((matching, guess)) = self.matching.take() else { return };
        let Matching { body, first_variable, rows, externals, .. } = matching;
        if let Guess::New { name, call } = guess {
            self.names.insert(name, Seen::Useless);
            // Nothing is pushed while an instance is open, so the guess is the last one.
            if let Some(body) = self.bodies.pop() {
                self.plain.append(&body, body.rows(), call.first_variable, &call.externals);
                self.plain.append(&body, rows, first_variable, &externals);
            }
        } else {
            self.plain.append(&self.bodies[body], rows, first_variable, &externals);
        }
    }
}

impl Stretch {
    fn new(first_variable: u32, first_row: u32) -> Self {
        Self { first_variable, first_row, matrices: [Matrix::new(), Matrix::new(), Matrix::new()] }
    }

    fn append(&mut self, body: &Body, rows: usize, first_variable: u32, externals: &[u32]) {
        for (matrix, source) in self.matrices.iter_mut().zip(&body.matrices) {
            for row in 0..rows {
                for (number, coefficient) in source.row(row) {
                    matrix.push(body.variable(number, first_variable, externals), coefficient);
                }
                matrix.end_row();
            }
        }
    }
}

/// A name without its digits.
fn stem(name: &str) -> String {
    name.chars().filter(|character| !character.is_ascii_digit()).collect()
}

impl ConstraintSystem<Scalar> for Tracer {
    type Root = Self;

    fn new() -> Self {
        Self::new_at(0)
    }

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        Ok(Variable::new_unchecked(Index::Aux(self.allocate(false) as usize)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        Ok(Variable::new_unchecked(Index::Input(self.allocate(true) as usize)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        let zero = LinearCombination::zero;
        self.record([a(zero()), b(zero()), c(zero())]);
    }

    fn push_namespace<NR, N>(&mut self, name: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        self.open += 1;
        if self.open == self.depth + 1 && self.matching.is_none() {
            self.begin(stem(&name().into()));
        }
    }

    fn pop_namespace(&mut self) {
        self.open = self.open.saturating_sub(1);
    }

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}
