//! A circuit that no kind of proof has: the compiler knows rows, not kinds.

use bellperson::{
    ConstraintSystem, SynthesisError,
    gadgets::{
        boolean::{AllocatedBit, Boolean},
        multieq::MultiEq,
        multipack::{pack_bits, pack_into_inputs},
        num::AllocatedNum,
        sha256::sha256,
        uint32::UInt32,
    },
};
use blstrs::Scalar;
use cuzk_circuit::{Circuit, CircuitError, Options, Refusal, Witness, constraint_path};
use cuzk_memory::{Ledger, Scope};
use cuzk_testing::TimeLimit;
use ff::Field;
use filecoin_hashers::{HashFunction, Hasher, poseidon::PoseidonHasher};
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};
use storage_proofs_core::gadgets::insertion::{insert, select};

/// Message bits: not quite whole blocks.
const BITS: usize = 600;

/// Selects one of four numbers by two bits and inserts it among three others, hashes what comes out with Poseidon, takes the hash
/// apart into bits (as an integer below the modulus), hashes these and a message with SHA-256, adds its words, and packs
/// bits into numbers and public inputs.
#[derive(Clone, Copy)]
struct Strange {
    /// `None` for a blank circuit.
    seed: Option<u64>,
    /// Whether it also wants an inverse.
    with_division: bool,
}

impl Strange {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut random = self.seed.map(ChaCha8Rng::seed_from_u64);
        let missing = SynthesisError::AssignmentMissing;
        let mut numbers = Vec::new();
        for index in 0..7 {
            let value = random.as_mut().map(Scalar::random);
            let number = cs.namespace(|| format!("number {index}"));
            numbers.push(AllocatedNum::alloc(number, || value.ok_or(SynthesisError::AssignmentMissing))?);
        }
        let mut bits = Vec::new();
        for index in 0..BITS {
            let value = random.as_mut().map(|random| random.gen_bool(0.5));
            bits.push(Boolean::from(AllocatedBit::alloc(cs.namespace(|| format!("bit {index}")), value)?));
        }
        let chosen = select(cs.namespace(|| "select"), &numbers[..4], &bits[..2])?;
        let among = insert(&mut cs.namespace(|| "insert"), &chosen, &bits[2..4], &numbers[4..])?;
        type Poseidon = <PoseidonHasher as Hasher>::Function;
        let left = Poseidon::hash2_circuit(cs.namespace(|| "left"), &among[0], &among[1])?;
        let hash = Poseidon::hash2_circuit(cs.namespace(|| "hash"), &left, &among[2])?;
        let square = hash.square(cs.namespace(|| "square"))?;
        if self.with_division {
            square.assert_nonzero(cs.namespace(|| "is not zero"))?;
        }
        let strict = square.to_bits_le_strict(cs.namespace(|| "strict"))?;
        let loose = left.to_bits_le(cs.namespace(|| "loose"))?;

        let not = bits.iter().step_by(3).map(Boolean::not);
        let mut message: Vec<Boolean> = strict.iter().chain(&loose).chain(&bits).cloned().chain(not).collect();
        message.truncate(message.len() / 8 * 8);
        let digest = sha256(cs.namespace(|| "sha256"), &message)?;
        if let Some(expected) = message.iter().map(Boolean::get_value).collect::<Option<Vec<bool>>>() {
            let byte = |bits: &[bool]| bits.iter().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
            let bytes: Vec<u8> = expected.chunks(8).map(byte).collect();
            let digest: Vec<bool> = digest.iter().map(Boolean::get_value).collect::<Option<_>>().ok_or(missing)?;
            assert_eq!(digest.chunks(8).map(byte).collect::<Vec<_>>(), Sha256::digest(bytes).to_vec());
        }
        let words: Vec<UInt32> = digest.chunks(32).map(UInt32::from_bits_be).collect();
        // It merges its sums into as few rows as possible.
        let sum = UInt32::addmany(MultiEq::new(cs.namespace(|| "add words")), &words)?;
        let packed = pack_bits(cs.namespace(|| "pack"), &digest[..200])?;
        packed.mul(cs.namespace(|| "product"), &hash)?.inputize(cs.namespace(|| "product as input"))?;
        pack_into_inputs(cs.namespace(|| "packed"), &[sum.into_bits(), digest].concat())
    }

    fn compile(self) -> Result<Circuit, CircuitError> {
        let blank = Self { seed: None, ..self };
        Circuit::compile(&Ledger::new(&[]), Options::default(), |cs| blank.synthesize(cs))
            .map_err(|error| error.with_path(|row| constraint_path(row, |cs| blank.synthesize(cs))))
    }
}

#[test]
fn a_circuit_that_nobody_compiled_before_compiles_and_solves() {
    let _limit = TimeLimit::seconds(300);
    let blank = Strange { seed: None, with_division: false };
    let circuit = blank.compile().expect("the rules cover it");
    // What nothing computes: the numbers and the bits.
    assert_eq!(circuit.advice(), 7 + BITS);
    let (ledger, scope) = (Ledger::new(&[]), Scope::default());
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..8 {
        let values = Strange { seed: Some(random.next_u64()), ..blank };
        let filled = Witness::fill(&circuit, &ledger, &scope, |cs| values.synthesize(cs)).expect("the same circuit");
        let advice = filled.advice(&circuit);
        let solved = Witness::solve(&circuit, &advice, &ledger, &scope).expect("good advice");
        assert_eq!(solved.inputs(), filled.inputs());
        assert_eq!(solved.expand(), filled.expand());
        circuit.check(&solved).expect("every row holds");
        // Any advice is good advice here: nothing is compared with anything. What comes out must be the gadgets'
        // answer to it, other public inputs.
        let at = random.gen_range(0..advice.len());
        let other = Witness::solve(&circuit, &advice.with_changed(at), &ledger, &scope).expect("any advice will do");
        circuit.check(&other).expect("every row holds");
        assert_ne!(other.inputs(), solved.inputs(), "value {at} of the advice");
    }
}

#[test]
fn one_that_takes_a_division_is_refused_with_the_constraint_and_the_reason() {
    let _limit = TimeLimit::seconds(60);
    let dividing = Strange { seed: None, with_division: true };
    let refused = dividing.compile().expect_err("there is an inverse in it");
    let CircuitError::Refused { row, path: Some(path), refusal: Refusal::Division } = &refused else {
        panic!("must be refused for its division, with a path: {refused:?}");
    };
    assert!(path.starts_with("is not zero/"), "{path}");
    let message = refused.to_string();
    assert!([&row.to_string(), path, "takes a division"].iter().all(|part| message.contains(part)), "{message}");
}
