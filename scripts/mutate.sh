#!/usr/bin/env bash
# Damages good requests of each kind, a million times each or as often as the first argument says, and parses them: no
# panic, a field's name in every refusal, memory in proportion to the input. The test command does 20,000 of each.
set -euo pipefail
cd "$(dirname "$0")/.."
CUZK_MUTATIONS="${1:-1000000}" cargo test --release --workspace --test mutated -- --nocapture
