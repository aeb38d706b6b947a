#!/usr/bin/env bash
# Our CPU prover and parameter generator beside bellperson's, in one run: CPU seconds, wall seconds and peak memory of
# each side, and as the last line `ratio N`, bellperson's CPU seconds over ours for a 2 KiB PoRep proof, or for the last of the
# circuits that are named as arguments (`porep-2k snap-2k wpost-2k winning-2k winning-32g`).
# Parameters are generated under .cache/parameters unless FIL_PROOFS_PARAMETER_CACHE names another directory.
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo run --release --quiet --example compare_bellperson -- \
    "${FIL_PROOFS_PARAMETER_CACHE:-.cache/parameters}" "$@"
