//! The backend that needs no device.

use std::{num::NonZeroUsize, sync::Arc};

use blstrs::{G1Affine, G1Projective, G2Projective, Scalar};
use cuzk_circuit::{Solved, Witness};
use cuzk_memory::{Entry, Place};
use group::Curve;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    Backend, EVALUATIONS, MSM_SCRATCH, PROVING, Pending, Proof, ProveError, ProvingKey, QUOTIENT,
    arith::Exponent,
    fft::Domain,
    msm::{exponents_scratch_bytes, msm_exponents},
    query::{Selection, exponents},
    quotient::quotient,
};

/// Proves on threads of its own.
#[derive(Debug)]
pub struct CpuBackend {
    pool: Arc<ThreadPool>,
}

impl CpuBackend {
    /// A backend with `threads` threads.
    ///
    /// # Errors
    /// When the system refuses the threads.
    pub fn new(threads: NonZeroUsize) -> Result<Self, ProveError> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads.get())
            .thread_name(|index| format!("cuzk-cpu-{index}"))
            .build()
            .map_err(|error| ProveError::Threads { backend: "cpu".into(), message: error.to_string() })?;
        Ok(Self { pool: Arc::new(pool) })
    }
}

impl Backend for CpuBackend {
    fn name(&self) -> &str {
        "cpu"
    }

    fn start(
        &self,
        key: &Arc<ProvingKey>,
        solved: Solved,
        r: Scalar,
        s: Scalar,
    ) -> Result<Box<dyn Pending>, ProveError> {
        let (expected, found) = (key.circuit().layout(), solved.layout());
        expect("inputs", expected.inputs(), found.inputs())?;
        expect("auxiliary variables", expected.aux(), found.aux())?;
        expect("bits", expected.bits(), found.bits())?;
        let pool = self.pool.clone();
        let tail = self.pool.install(|| {
            let witness = solved.into_witness(key.circuit(), &PROVING)?;
            Ok::<_, ProveError>(Tail::of(pool, key, witness, r, s))
        })?;
        Ok(Box::new(tail))
    }
}

fn expect(what: &'static str, expected: usize, found: usize) -> Result<(), ProveError> {
    if expected == found { Ok(()) } else { Err(ProveError::WrongWitness { what, expected, found }) }
}

/// A proof that lacks its sum in G2.
struct Tail {
    pool: Arc<ThreadPool>,
    key: Arc<ProvingKey>,
    r: Scalar,
    s: Scalar,
    /// Sum over h and l.
    hl: G1Projective,
    /// Sum over a.
    a: G1Projective,
    /// Sum over b_g1.
    b: G1Projective,
    /// What goes with the bases of b, in both groups.
    b_selection: Selection,
    scratch: Entry,
}

impl Tail {
    /// All sums in G1. The witness, the evaluations and the quotient die in here.
    fn of(pool: Arc<ThreadPool>, key: &Arc<ProvingKey>, witness: Witness, r: Scalar, s: Scalar) -> Self {
        let threads = pool.current_num_threads();
        let (ledger, scope) = (witness.entry().ledger().clone(), witness.entry().scope().clone());
        let count = |class, bytes| ledger.enter(class, &PROVING, Place::Host, bytes, &scope);
        let domain_log2 = key.circuit().counts().domain_log2();
        let vector_bytes = (size_of::<Scalar>() as u64) << domain_log2;

        let evaluations = count(&EVALUATIONS, 2 * vector_bytes);
        let mut scratch = count(&MSM_SCRATCH, 0);
        let [a, b] = key.circuit().evaluate(&witness);
        let mut quotient_entry = count(&QUOTIENT, Domain::bytes(domain_log2));
        // The products of a and b are evaluated again when one of the two vectors is free for them: a little
        // more work, for a vector less.
        let h = quotient(&Domain::new(domain_log2), a, b, || key.circuit().evaluate_products(&witness));
        let h = Exponent::from_vec(h);
        drop(evaluations);
        quotient_entry.resize((h.capacity() * size_of::<Exponent>()) as u64);
        let scalar_bytes = (witness.inputs().len() + witness.scalars().len()) * size_of::<Exponent>();
        scratch.resize(scalar_bytes as u64);
        let scalars = exponents(&witness);
        let queries = [&key.l, &key.a, &key.b_g1];
        let [for_l, for_a, for_b] = queries.map(|query| query.select(witness.bits(), &scalars));
        drop((witness, scalars));

        let held = Selection::bytes([&for_l, &for_a, &for_b]);
        let sums = queries.map(|query| query.scratch_bytes(threads));
        // The sums run side by side with the large MSM, whose last windows would leave threads idle.
        let work = exponents_scratch_bytes::<G1Affine>(h.len(), threads) + sums.iter().max().unwrap_or(&0);
        scratch.resize(held + work);
        let (h, [l, a, b]) =
            rayon::join(|| msm_exponents(&key.h, &h), || [key.l.sum(&for_l), key.a.sum(&for_a), key.b_g1.sum(&for_b)]);
        drop((for_l, for_a));
        scratch.resize(Selection::bytes([&for_b]));
        Self { pool, key: key.clone(), r, s, hl: h + l, a, b, b_selection: for_b, scratch }
    }
}

impl Pending for Tail {
    fn finish(self: Box<Self>) -> Result<Proof, ProveError> {
        let Self { pool, key, r, s, hl, a, b, b_selection, mut scratch } = *self;
        scratch.resize(Selection::bytes([&b_selection]) + key.b_g2.scratch_bytes(pool.current_num_threads()));
        let b_g2: G2Projective = pool.install(|| key.b_g2.sum(&b_selection));
        let vk = key.vk();
        // Groth 2016, section 3.2: A = α + Σa + rδ, B = β + Σb + sδ, C = Σ(h, l) + sA + rB₁ − rsδ.
        let proof_a = a + vk.alpha_g1 + vk.delta_g1 * r;
        let proof_b = b_g2 + vk.beta_g2 + vk.delta_g2 * s;
        let b_g1 = b + vk.beta_g1 + vk.delta_g1 * s;
        let proof_c = hl + proof_a * s + b_g1 * r - vk.delta_g1 * (r * s);
        Ok(Proof { a: proof_a.to_affine(), b: proof_b.to_affine(), c: proof_c.to_affine() })
    }
}
