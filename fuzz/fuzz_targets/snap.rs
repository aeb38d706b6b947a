#![no_main]

#[path = "../targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|payload: &[u8]| {
    let _ = targets::snap(payload);
});
