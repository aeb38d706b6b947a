//! Small random circuits.

use bellperson::{Circuit, ConstraintSystem, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use ff::Field;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A circuit of random gates, the same for equal seeds: bits, exclusive ors of bits, products of linear combinations
/// and public inputs. Every variable is constrained, so parameters can be generated for it.
#[derive(Debug, Clone)]
pub struct RandomCircuit {
    seed: u64,
    steps: usize,
    blank: bool,
    tampered: Option<usize>,
}

#[derive(Clone, Copy)]
struct Known {
    variable: Variable,
    value: Scalar,
}

impl RandomCircuit {
    /// A satisfied circuit of `steps` gates.
    pub fn new(seed: u64, steps: usize) -> Self {
        Self { seed, steps, blank: false, tampered: None }
    }

    /// The same circuit without values: every closure that should compute one fails.
    pub fn blank(&self) -> Self {
        Self { blank: true, tampered: None, ..self.clone() }
    }

    /// The same circuit with the value made in step `step` off by two, so that exactly that step's constraint fails.
    pub fn tampered(&self, step: usize) -> Self {
        Self { tampered: Some(step), ..self.clone() }
    }

    /// The public inputs, without the constant ONE.
    pub fn public_inputs(&self) -> Vec<Scalar> {
        let mut inputs = Inputs::new();
        // The collector's closures cannot fail, and `blank` is overridden.
        let _ = Self { blank: false, ..self.clone() }.synthesize(&mut inputs);
        inputs.values
    }

    /// The value to assign in `step`, where `honest` satisfies the step's constraint.
    fn assign(&self, step: usize, honest: Scalar) -> Scalar {
        if self.tampered == Some(step) { honest + Scalar::from(2u64) } else { honest }
    }

    fn given(&self, value: Scalar) -> Result<Scalar, SynthesisError> {
        if self.blank { Err(SynthesisError::AssignmentMissing) } else { Ok(value) }
    }
}

impl Circuit<Scalar> for RandomCircuit {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut known = vec![Known { variable: CS::one(), value: Scalar::ONE }];
        let mut bits: Vec<Known> = Vec::new();
        for step in 0..self.steps {
            let mut cs = cs.namespace(|| format!("step {step}"));
            let made = match rng.gen_range(0..10) {
                0..=3 => {
                    let value = self.assign(step, Scalar::from(u64::from(rng.gen_bool(0.5))));
                    let variable = cs.alloc(|| "value", || self.given(value))?;
                    cs.enforce(|| "boolean", |lc| lc + CS::one() - variable, |lc| lc + variable, |lc| lc);
                    bits.push(Known { variable, value });
                    Known { variable, value }
                }
                4..=5 if bits.len() > 1 => {
                    let (a, b) = (bits[rng.gen_range(0..bits.len())], bits[rng.gen_range(0..bits.len())]);
                    let honest = a.value + b.value - (a.value * b.value).double();
                    let value = self.assign(step, honest);
                    let variable = cs.alloc(|| "value", || self.given(value))?;
                    // 2a · b = a + b − xor
                    let twice = (Scalar::from(2u64), a.variable);
                    let sum = |lc: LinearCombination<Scalar>| lc + a.variable + b.variable - variable;
                    cs.enforce(|| "xor", |lc| lc + twice, |lc| lc + b.variable, sum);
                    Known { variable, value }
                }
                6 => {
                    let (terms, value) = combination(&mut rng, &known);
                    let value = self.assign(step, value);
                    let variable = cs.alloc_input(|| "value", || self.given(value))?;
                    cs.enforce(|| "input", |_| terms, |lc| lc + CS::one(), |lc| lc + variable);
                    Known { variable, value }
                }
                _ => {
                    let (left, a) = combination(&mut rng, &known);
                    let (right, b) = combination(&mut rng, &known);
                    let value = self.assign(step, a * b);
                    let variable = cs.alloc(|| "value", || self.given(value))?;
                    cs.enforce(|| "product", |_| left, |_| right, |lc| lc + variable);
                    Known { variable, value }
                }
            };
            known.push(made);
        }
        Ok(())
    }
}

/// Up to four random terms over what is known so far.
fn combination(rng: &mut ChaCha8Rng, known: &[Known]) -> (LinearCombination<Scalar>, Scalar) {
    let mut terms = LinearCombination::zero();
    let mut value = Scalar::ZERO;
    for _ in 0..rng.gen_range(1..5) {
        let term = known[rng.gen_range(0..known.len())];
        let coefficient = match rng.gen_range(0..4) {
            0 => Scalar::ONE,
            1 => -Scalar::ONE,
            2 => Scalar::from(1u64 << rng.gen_range(1..60)),
            _ => Scalar::random(&mut *rng),
        };
        terms = terms + (coefficient, term.variable);
        value += coefficient * term.value;
    }
    (terms, value)
}

/// Collects the values of public inputs.
struct Inputs {
    values: Vec<Scalar>,
    aux: usize,
}

impl ConstraintSystem<Scalar> for Inputs {
    type Root = Self;

    fn new() -> Self {
        Self { values: Vec::new(), aux: 0 }
    }

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux += 1;
        Ok(Variable::new_unchecked(bellperson::Index::Aux(self.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, f: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.values.push(f()?);
        Ok(Variable::new_unchecked(bellperson::Index::Input(self.values.len())))
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
