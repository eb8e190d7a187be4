#!/bin/sh
# Runs the native suites and a campaign of the native pipelines from a build of the preset `sanitize`:
#
#     cmake --preset sanitize && ninja -C build-sanitize backends_tests graph_tests generators_tests touchstone-test-tool
#     tools/run_sanitized.sh build-sanitize [CASES]
#
# Ends with the first report. libtorch is not instrumented, so AddressSanitizer is told that containers that crossed into it
# carry no annotations (detect_container_overflow) and leaves leaks alone (detect_leaks): PyTorch leaks autograd graphs that
# are cycles, and `touchstone-test-tool compile-cases` is what watches memory.
set -eu
build=${1:?the folder of a sanitized build}
cases=${2:-2000}
root=$(cd "$(dirname "$0")/.." && pwd)
export OMP_NUM_THREADS=1
export ASAN_OPTIONS="detect_container_overflow=0:detect_leaks=0:halt_on_error=1:abort_on_error=0"
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:suppressions=$root/tools/sanitizers/undefined.txt"

for suite in graph generators backends; do
  echo "== $suite"
  "$build/tests/${suite}_tests" --gtest_brief=1
done
for backend in aot_eager aot_eager_default_partitioner eager; do
  echo "== $backend, $cases Cases"
  "$build/harness/touchstone-test-tool" compile-cases --backend "$backend" --cases "$cases" --warm-up 100 --max-growth 100000
done
echo "No report."
