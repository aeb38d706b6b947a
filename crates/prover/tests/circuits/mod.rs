//! Small random circuits with their satisfying witnesses.

use bellperson::{Circuit, ConstraintSystem, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use cuzk_circuit::R1cs;
use ff::Field;
use rand::{Rng, SeedableRng, rngs::StdRng};

/// A satisfied circuit that is a function of its seed.
///
/// It has all that real ones have: inputs that occur in no constraint, bits, variables in A alone, in B alone and in
/// both, repeated and cancelling terms, zero coefficients, rows with the constant ONE.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RandomCircuit {
    seed: u64,
    products: usize,
}

type Valued = (Variable, Scalar);

impl RandomCircuit {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, products: StdRng::seed_from_u64(seed).gen_range(1..80) }
    }

    /// The same kind of circuit with a given number of multiplications.
    pub(crate) fn with_products(seed: u64, products: usize) -> Self {
        Self { seed, products }
    }

    /// Its constraint system, as our recorder sees it.
    pub(crate) fn record(self) -> R1cs {
        R1cs::record(|cs| self.synthesize(cs)).expect("the circuit has no failing part")
    }

    /// The values of its inputs, without ONE.
    pub(crate) fn public_inputs(self) -> Vec<Scalar> {
        let mut rng = StdRng::seed_from_u64(self.seed);
        inputs(&mut rng)
    }
}

fn inputs(rng: &mut StdRng) -> Vec<Scalar> {
    (0..rng.gen_range(0..6)).map(|_| Scalar::random(&mut *rng)).collect()
}

/// A sum of a few of the variables, and its value.
fn combination(rng: &mut StdRng, variables: &[Valued]) -> (LinearCombination<Scalar>, Scalar) {
    let mut sum = LinearCombination::zero();
    let mut value = Scalar::ZERO;
    for _ in 0..rng.gen_range(1..5) {
        let (variable, assigned) = variables[rng.gen_range(0..variables.len())];
        let coefficient = match rng.gen_range(0..5) {
            0 => Scalar::ZERO,
            1 | 2 => Scalar::ONE,
            3 => -Scalar::ONE,
            _ => Scalar::random(&mut *rng),
        };
        sum = sum + (coefficient, variable);
        value += coefficient * assigned;
    }
    (sum, value)
}

impl Circuit<Scalar> for RandomCircuit {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut rng = StdRng::seed_from_u64(self.seed);
        let mut variables = vec![(CS::one(), Scalar::ONE)];
        for value in inputs(&mut rng) {
            variables.push((cs.alloc_input(|| "input", || Ok(value))?, value));
        }
        for _ in 0..rng.gen_range(0..10) {
            let value = Scalar::from(u64::from(rng.r#gen::<bool>()));
            let bit = cs.alloc(|| "bit", || Ok(value))?;
            cs.enforce(|| "boolean", |lc| lc + CS::one() - bit, |lc| lc + bit, |lc| lc);
            variables.push((bit, value));
        }
        for _ in 0..self.products {
            let (a, a_value) = combination(&mut rng, &variables);
            let (b, b_value) = combination(&mut rng, &variables);
            let value = a_value * b_value;
            let product = cs.alloc(|| "product", || Ok(value))?;
            cs.enforce(|| "product", |_| a, |_| b, |lc| lc + product);
            variables.push((product, value));
        }
        Ok(())
    }
}
