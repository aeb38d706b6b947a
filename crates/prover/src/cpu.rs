//! The backend that needs no device.

use std::{num::NonZeroUsize, sync::Arc};

use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use cuzk_circuit::Witness;
use cuzk_memory::{Entry, Place};
use group::Curve;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    Backend, EVALUATIONS, MSM_SCRATCH, PROVING, Pending, Proof, ProveError, ProvingKey, QUOTIENT,
    arith::Exponent,
    assignment::Assignment,
    fft::Domain,
    msm::{SparseSum, exponents_scratch_bytes, msm_exponents},
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
        mut witness: Witness,
        r: Scalar,
        s: Scalar,
    ) -> Result<Box<dyn Pending>, ProveError> {
        expect("inputs", key.circuit().r1cs().inputs(), witness.inputs().len())?;
        expect("auxiliary variables", key.circuit().r1cs().aux(), witness.layout().aux())?;
        witness.move_to(&PROVING);
        let pool = self.pool.clone();
        Ok(Box::new(self.pool.install(|| Tail::of(pool, key, witness, r, s))))
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
    /// The scalars of b.
    b_scalars: SparseSum,
    scratch: Entry,
}

impl Tail {
    /// All sums in G1. The witness, the evaluations and the quotient die in here.
    fn of(pool: Arc<ThreadPool>, key: &Arc<ProvingKey>, witness: Witness, r: Scalar, s: Scalar) -> Self {
        let threads = pool.current_num_threads();
        let (ledger, scope) = (witness.entry().ledger().clone(), witness.entry().scope().clone());
        let count = |class, bytes| ledger.enter(class, &PROVING, Place::Host, bytes, &scope);
        let r1cs = key.circuit().r1cs();
        let domain_log2 = r1cs.domain_log2();
        let vector_bytes = (size_of::<Scalar>() as u64) << domain_log2;

        let evaluations = count(&EVALUATIONS, 2 * vector_bytes);
        let mut scratch = count(&MSM_SCRATCH, 0);
        let (a, b) = (key.circuit().evaluate_a(&witness), key.circuit().evaluate_b(&witness));
        let mut quotient_entry = count(&QUOTIENT, Domain::bytes(domain_log2));
        // The products of a and b are evaluated again when one of the two vectors is free for them: a little
        // more work, for a vector less.
        let h = quotient(&Domain::new(domain_log2), a, b, || key.circuit().evaluate_products(&witness));
        let h = Exponent::from_vec(h);
        drop(evaluations);
        quotient_entry.resize((h.capacity() * size_of::<Exponent>()) as u64);
        let assignment = Assignment::of(r1cs, &witness);
        scratch.resize(assignment.bytes());
        drop(witness);

        let Assignment { l, a, b } = assignment;
        let sums = [&l, &a, &b].map(|sum| sum.scratch_bytes::<G1Affine>(threads));
        // The sums run side by side with the large MSM, whose last windows would leave threads idle.
        let work = exponents_scratch_bytes::<G1Affine>(h.len(), threads) + sums.iter().max().unwrap_or(&0);
        scratch.resize(l.bytes() + a.bytes() + b.bytes() + work);
        let (h, [l, a, b_sum]) = rayon::join(
            || msm_exponents(&key.h, &h),
            || [l.evaluate(&key.l), a.evaluate(&key.a), b.evaluate(&key.b_g1)],
        );
        scratch.resize(b.bytes());
        Self { pool, key: key.clone(), r, s, hl: h + l, a, b: b_sum, b_scalars: b, scratch }
    }
}

impl Pending for Tail {
    fn finish(self: Box<Self>) -> Result<Proof, ProveError> {
        let Self { pool, key, r, s, hl, a, b, b_scalars, mut scratch } = *self;
        let work = b_scalars.scratch_bytes::<G2Affine>(pool.current_num_threads());
        scratch.resize(b_scalars.bytes() + work);
        let b_g2: G2Projective = pool.install(|| b_scalars.evaluate(&key.b_g2));
        let vk = key.vk();
        // Groth 2016, section 3.2: A = α + Σa + rδ, B = β + Σb + sδ, C = Σ(h, l) + sA + rB₁ − rsδ.
        let proof_a = a + vk.alpha_g1 + vk.delta_g1 * r;
        let proof_b = b_g2 + vk.beta_g2 + vk.delta_g2 * s;
        let b_g1 = b + vk.beta_g1 + vk.delta_g1 * s;
        let proof_c = hl + proof_a * s + b_g1 * r - vk.delta_g1 * (r * s);
        Ok(Proof { a: proof_a.to_affine(), b: proof_b.to_affine(), c: proof_c.to_affine() })
    }
}
