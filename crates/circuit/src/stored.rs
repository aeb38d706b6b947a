//! What a compiled circuit consists of, in the form that is kept in a file.

use blstrs::Scalar;
use sha2::{Digest as _, Sha256};

use crate::{
    Bitset, CircuitError, Counts, Densities, Digest, Rules,
    compile::{Compiled, Procedure, Refused, compile},
    trace::Trace,
};

/// Procedures, and where they are called.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Stored {
    pub(crate) procedures: Vec<Procedure>,
    pub(crate) calls: Vec<StoredCall>,
    #[serde(with = "canonical_scalars")]
    pub(crate) coefficients: Vec<Scalar>,
    pub(crate) counts: Counts,
    pub(crate) digest: Digest,
}

/// One place of a procedure; it begins where the one before ends.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct StoredCall {
    pub(crate) procedure: u32,
    /// Variables of the circuit, numbered in the order of allocation.
    pub(crate) externals: Vec<u32>,
}

impl Stored {
    pub(crate) fn compile(trace: Trace, rules: Rules) -> Result<Self, CircuitError> {
        let digest = digest(&trace);
        let counts = Counts {
            inputs: trace.inputs,
            aux: trace.variables - trace.inputs,
            constraints: trace.rows,
            a_bases: 0,
            b_bases: 0,
        };
        let compiled = compile(trace, rules).map_err(|Refused { row, refusal }| CircuitError::Refused {
            row,
            path: None,
            refusal,
        })?;
        let Compiled { procedures, calls, coefficients } = compiled;
        let calls = calls.into_iter().map(|call| StoredCall { procedure: call.body as u32, externals: call.externals });
        let coefficients = coefficients.values().to_vec();
        let mut stored = Self { procedures, calls: calls.collect(), coefficients, counts, digest };
        let densities = stored.densities();
        stored.counts.a_bases = densities.a_len();
        stored.counts.b_bases = densities.b_len();
        Ok(stored)
    }

    /// Which variables occur in A and B.
    pub(crate) fn densities(&self) -> Densities {
        let variables = self.counts.inputs + self.counts.aux;
        let mut is_input = Bitset::new(variables);
        let mut occurs = [Bitset::new(variables), Bitset::new(variables)];
        is_input.set(0);
        let mut first = 1;
        for StoredCall { procedure, externals } in &self.calls {
            let procedure = &self.procedures[*procedure as usize];
            procedure.inputs.iter().for_each(|&input| is_input.set(first + input as usize));
            for (all, here) in occurs.iter_mut().zip(&procedure.occurs) {
                for variable in here.iter_ones() {
                    let external = externals.get(variable).map(|&external| external as usize);
                    all.set(external.unwrap_or_else(|| first + variable - externals.len()));
                }
            }
            first += procedure.locals as usize;
        }
        // ONE occurs where a row has a constant, which the parts do not say of it: they note it in their own way.
        let [a, mut b] = occurs;
        if self.calls.iter().any(|call| self.procedures[call.procedure as usize].one_in_b) {
            b.set(0);
        }
        let mut densities = Densities {
            a_aux: Bitset::with_capacity(self.counts.aux),
            b_inputs: Bitset::with_capacity(self.counts.inputs),
            b_aux: Bitset::with_capacity(self.counts.aux),
        };
        for variable in 0..variables {
            if is_input.get(variable) {
                densities.b_inputs.push(b.get(variable));
            } else {
                densities.a_aux.push(a.get(variable));
                densities.b_aux.push(b.get(variable));
            }
        }
        densities
    }

    /// Gives back what the allocator gave too much of while a file was read.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.procedures.iter_mut().for_each(Procedure::shrink_to_fit);
        self.calls.iter_mut().for_each(|call| call.externals.shrink_to_fit());
        self.coefficients.shrink_to_fit();
    }

    /// Bytes taken from the allocator.
    pub(crate) fn bytes(&self) -> u64 {
        let calls =
            self.calls.iter().map(|call| call.externals.capacity() * size_of::<u32>() + size_of::<StoredCall>());
        let coefficients = self.coefficients.capacity() * size_of::<Scalar>();
        self.procedures.iter().map(Procedure::bytes).sum::<u64>() + (calls.sum::<usize>() + coefficients) as u64
    }
}

fn digest(trace: &Trace) -> Digest {
    let mut hash = Sha256::new();
    hash.update(b"cuzk circuit 1");
    for count in [trace.variables, trace.inputs, trace.rows, trace.bodies.len(), trace.calls.len()] {
        hash.update((count as u64).to_le_bytes());
    }
    for coefficient in trace.coefficients.values() {
        hash.update(coefficient.to_bytes_le());
    }
    for body in &trace.bodies {
        update(&mut hash, &[body.externals, body.locals]);
        update(&mut hash, &body.inputs);
        body.matrices.iter().flat_map(|matrix| matrix.arrays()).for_each(|array| update(&mut hash, array));
    }
    for call in &trace.calls {
        update(&mut hash, &[call.body as u32]);
        update(&mut hash, &call.externals);
    }
    hash.finalize().into()
}

fn update(hash: &mut Sha256, array: &[u32]) {
    hash.update((array.len() as u64).to_le_bytes());
    let mut block = Vec::with_capacity(4096);
    for values in array.chunks(1024) {
        block.clear();
        block.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        hash.update(&block);
    }
}

/// Scalars as 32 bytes each, the least significant first.
mod canonical_scalars {
    use blstrs::Scalar;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(scalars: &[Scalar], serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<[u8; 32]> = scalars.iter().map(Scalar::to_bytes_le).collect();
        bytes.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Scalar>, D::Error> {
        let scalar = |bytes: &[u8; 32]| {
            Option::from(Scalar::from_bytes_le(bytes))
                .ok_or_else(|| D::Error::custom("a coefficient is no field element"))
        };
        Vec::<[u8; 32]>::deserialize(deserializer)?.iter().map(scalar).collect()
    }
}
