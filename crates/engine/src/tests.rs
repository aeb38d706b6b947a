//! The pipeline with work whose steps do what a test tells them.

mod cancelling;
mod failing;
mod fake;
mod identity;
mod permits;
