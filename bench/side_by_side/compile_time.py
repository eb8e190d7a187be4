"""How long the native AOT pipeline takes to compile a training program, beside PyTorch's own.

    python bench/side_by_side/compile_time.py --bench build/bench/touchstone_bench --operations 50 --repeat 5

The program is a chain of sin and mul on 16x16 tensors that require grad. PyTorch's time is that of a first call after a
reset less that of a second one, which only calls; the native time is that of the benchmark `compile/N`: tracing forward
and backward, functionalization, partition, the Graphs made ready. Both are wall time in this one run, A B A B; the table
has medians and, in parentheses, the smallest and largest.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import torch
import torch._dynamo
from functorch.compile import aot_function, nop


def chain(operations):
    lines = ["def program(x, w):", "    y = x"]
    lines += ["    y = torch.sin(y)" if i % 2 == 0 else "    y = torch.mul(y, w)" for i in range(operations)]
    space = {"torch": torch}
    exec("\n".join(lines + ["    return y"]), space)
    return space["program"]


def arguments():
    return [torch.randn(16, 16, requires_grad=True) for _ in range(2)]


def first_less_second(compiled):
    x, w = arguments()
    times = []
    for _ in range(2):
        begin = time.perf_counter()
        compiled(x, w)
        times.append(time.perf_counter() - begin)
    return times[0] - times[1]


def dynamo(operations):
    torch._dynamo.reset()
    return first_less_second(torch.compile(chain(operations), backend="aot_eager", fullgraph=True))


def aot(operations):
    return first_less_second(aot_function(chain(operations), nop))


def native(bench, operations):
    command = [bench, f"--benchmark_filter=^compile/{operations}$", "--benchmark_format=json"]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    found = json.loads(output)["benchmarks"]
    if not found:
        sys.exit(f"The benchmark has no size {operations}. Choose one of those that `{bench} --benchmark_list_tests` names.")
    return found[0]["real_time"] * 1e-6  # it reports microseconds


def text(values, scale, unit):
    return f"{statistics.median(values) * scale:.3g} ({min(values) * scale:.3g}-{max(values) * scale:.3g}) {unit}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True, help="the built touchstone_bench")
    parser.add_argument("--operations", type=int, default=50)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)
    dynamo(3), aot(3)  # imports and caches
    peers = {"torch:aot_eager": lambda: dynamo(options.operations), "aot_function": lambda: aot(options.operations)}
    times = {name: [] for name in ["native", *peers]}
    for _ in range(options.repeat):
        times["native"].append(native(options.bench, options.operations))
        for name, measure in peers.items():
            times[name].append(measure())
    print(f"torch {torch.__version__}, {options.operations} operations, {options.repeat} repetitions")
    print(f"native aot_eager   {text(times['native'], 1e3, 'ms')}")
    for name in peers:
        ratios = [peer / own for peer, own in zip(times[name], times["native"])]
        print(f"{name:18} {text(times[name], 1e3, 'ms')}, {text(ratios, 1, 'times native')}")


if __name__ == "__main__":
    main()
