//! The last resort around calls into the proof crates.

use std::fmt::Display;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;

/// Runs code of the proof crates on checked data; an error or a panic of theirs becomes its message.
///
/// Whatever `run` was changing may be half changed after a panic: callers drop it.
pub(crate) fn guarded<T, E: Display>(run: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(format!("{error:#}")),
        Err(panic) => {
            let message = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
            Err(format!("panic: {}", message.unwrap_or("without a message")))
        }
    }
}

/// Builds a circuit and synthesises it, with the gadgets' own errors kept and all others turned into one.
pub(crate) fn guarded_synthesis<C, E, CS>(
    cs: &mut CS,
    build: impl FnOnce() -> Result<C, E>,
) -> Result<(), SynthesisError>
where
    C: Circuit<Scalar>,
    E: Display,
    CS: ConstraintSystem<Scalar>,
{
    let synthesised = guarded(|| -> Result<_, E> { Ok(build()?.synthesize(cs)) });
    synthesised.unwrap_or_else(|message| Err(io::Error::other(message).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_errors_and_panics_come_back() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        assert_eq!(guarded(|| Ok::<_, String>(1)), Ok(1));
        assert_eq!(guarded(|| Err::<(), _>("no")), Err("no".to_owned()));
        let length = std::hint::black_box(3);
        let panic = guarded(|| Ok::<_, String>([0, 1][length]));
        assert!(panic.is_err_and(|message| message.starts_with("panic: index out of bounds")));
    }
}
