//! Where in a request something stands, spelt only when there is something to say about it.

use std::fmt;

/// A path such as `vanilla_proof.Phase1Out.vanilla_proofs[0][1].comm_d_proofs`.
///
/// Each step borrows the one before, on the stack: walking a payload of a million numbers allocates nothing for it.
#[derive(Clone, Copy)]
pub(crate) struct FieldPath<'a> {
    before: Option<&'a FieldPath<'a>>,
    step: Step,
}

#[derive(Clone, Copy)]
enum Step {
    Name(&'static str),
    Index(usize),
}

impl<'a> FieldPath<'a> {
    /// A top-level field.
    pub(crate) const fn root(name: &'static str) -> Self {
        Self { before: None, step: Step::Name(name) }
    }

    /// A named field of what stands here.
    pub(crate) const fn field(&'a self, name: &'static str) -> FieldPath<'a> {
        FieldPath { before: Some(self), step: Step::Name(name) }
    }

    /// An element of the list that stands here, counted from 0.
    pub(crate) const fn index(&'a self, index: usize) -> FieldPath<'a> {
        FieldPath { before: Some(self), step: Step::Index(index) }
    }
}

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(before) = self.before {
            before.fmt(f)?;
        }
        match self.step {
            Step::Name(name) if self.before.is_none() => f.write_str(name),
            Step::Name(name) => write!(f, ".{name}"),
            Step::Index(index) => write!(f, "[{index}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_like_an_expression() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let root = FieldPath::root("vanilla_proof");
        let list = root.field("vanilla_proofs");
        let (outer, inner) = (list.index(0), 7);
        assert_eq!(outer.index(inner).field("c_x").to_string(), "vanilla_proof.vanilla_proofs[0][7].c_x");
    }
}
