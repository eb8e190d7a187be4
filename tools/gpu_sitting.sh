#!/bin/sh
# Everything that wants a GPU, in one sitting that is meant for less than ten minutes, and one table of what came of it:
#
#     TOUCHSTONE_TORCH=/path/to/python ./touchstone build     # an interpreter whose PyTorch has CUDA
#     tools/gpu_sitting.sh [OUT]
#
# OUT (by default `gpu_sitting`) gets the table as `table.md`, the whole output of each step, and what campaigns found. A step
# is ended after its time and the next one begins. Exit status 1 where a step failed or found something.
#
#     DEVICE   cuda unless given; `cpu` tries the script itself where there is no GPU
#     SCALE    the campaigns' seconds times so much: 1 unless given
#     JOBS     workers of a campaign: 3 unless given (the contexts of many processes take turns on one GPU)
#     BUILD    the build folder: build
#     SEED     of the campaigns; the date unless given
#     STEPS    regular expression: the steps whose names it matches, all unless given
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-gpu_sitting}
device=${DEVICE:-cuda}
scale=${SCALE:-1}
jobs=${JOBS:-3}
build=${BUILD:-$root/build}
seed=${SEED:-$(date +%Y%m%d)}
steps=${STEPS:-.}
touchstone="$build/harness/touchstone"
native=eager,aot_joint,aot_functional,aot_eager_default_partitioner,aot_eager,aot_eager_decomp_partition,debug_nop,invoke_subgraph

mkdir -p "$out" || exit 2
table="$out/table.md"
if [ ! -x "$touchstone" ]; then
  echo "There is no $touchstone: ./touchstone build makes it." >&2
  exit 3
fi
if ! "$touchstone" run "$root/corpus/features/three_relus.py" --backends eager --device "$device" > "$out/device.txt" 2>&1; then
  cat "$out/device.txt" >&2
  exit 3
fi
failed=0
printf '| step | exit | seconds | what it says last |\n|---|---|---|---|\n' > "$table"

# step NAME LIMIT COMMAND...
step() {
  name=$1
  limit=$2
  shift 2
  echo "$name" | grep -qE "$steps" || return 0
  log="$out/$(echo "$name" | tr ' ,' '__').txt"
  echo "== $name" >&2
  begin=$(date +%s)
  timeout -k 10 "$limit" "$@" > "$log" 2>&1
  status=$?
  seconds=$(($(date +%s) - begin))
  case $status in
    0) ;;
    *) failed=1 ;;
  esac
  said=$(grep -E 'judgements|Cases in |PASSED|FAILED|^[0-9]+ calls|finding' "$log" | tail -n 3 | tr '|\n' '/;' | cut -c 1-220)
  [ "$status" -eq 124 ] && said="ended after its $limit s; $said"
  printf '| %s | %s | %s | %s |\n' "$name" "$status" "$seconds" "${said:-nothing}" >> "$table"
}

seconds_of() { # of a campaign
  awk -v seconds="$1" -v scale="$scale" 'BEGIN { printf "%.1f", seconds * scale }'
}

campaign() { # NAME SECONDS ARGUMENTS...
  name=$1
  length=$(seconds_of "$2")
  shift 2
  step "$name" "$(awk -v seconds="$length" 'BEGIN { printf "%d", seconds + 120 }')" \
    "$touchstone" fuzz --seconds "$length" --seed "$seed" --jobs "$jobs" --device "$device" --findings "$out/findings" \
    --reduce-seconds 20 "$@"
}

# The same graphs for a device that is claimed and on the CPU; kernels that this device alone has; scalars that move there.
step "compare-devices" 60 "$touchstone" compare-devices "$root/corpus/edge_classes"
step "kernels and scalars" 60 "$build/tests/backends_tests" --gtest_brief=1 \
  --gtest_filter='CudnnBatchNormTest*:CompiledAutogradScalarsTest*:ValueFreeTracingTest*'
# What is stored, under every native backend; then beside the installed PyTorch.
step "cases of cuda" 60 "$touchstone" run "$root/tests/cases/cuda" --device "$device" --jobs "$jobs" \
  --backends "$native,torch:eager_python,torch:aot_eager"
step "edge classes" 60 "$touchstone" run "$root/corpus/edge_classes" --device "$device" --jobs "$jobs" --backends "$native"
step "regressions and features" 90 "$touchstone" run "$root/corpus/regressions" "$root/corpus/features" \
  --device "$device" --jobs "$jobs" --backends "$native"
step "edge classes, torch" 120 "$touchstone" run "$root/corpus/edge_classes" --device "$device" --jobs "$jobs" \
  --backends torch:eager_python,torch:aot_eager
# Campaigns under a fresh seed. The fill patterns and red zones of the CPU's memory are on in all of them; the caching allocator
# of the device has none.
campaign "aot_eager" 60 --backends aot_eager
campaign "other native backends" 60 --backends eager,aot_joint,aot_eager_decomp_partition
campaign "compiled autograd" 40 --backends eager,aot_eager --compiled-autograd
campaign "sequences of calls" 30 --backends aot_eager --sequences
campaign "torch aot_eager" 60 --backends torch:aot_eager --judge-only
campaign "torch inductor" 60 --backends torch:inductor --judge-only

echo
cat "$table"
exit $failed
