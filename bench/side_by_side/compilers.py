"""How long each compiler takes for a training program, natively and in PyTorch, as ratios of one run.

    python bench/side_by_side/compilers.py --bench build/bench/touchstone_bench --operations 50 --repeat 5

The program is a chain of sin and mul on 16x16 tensors that require grad (none, for those that take no gradients). Native times
are those of the benchmarks `compile by/NAME/N`: capture, the pipeline and the first call. PyTorch's are of a first call less
that of a second one of its compiler of the same name: `aot_function` with it, or `torch.jit.script`; `torch:aot_eager` is
torch.compile. Wall time, A B A B; the table has medians and, in parentheses, the smallest and largest.
"""

import argparse
import json
import os
import statistics
import subprocess
import time
import warnings

import torch
import torch._dynamo
from functorch.compile import aot_function, nop
from torch._functorch import compilers

from compile_time import chain, dynamo, text


def scripted(operations, *passes):
    """torch.jit compiles functions with types, from a file: a module of the same operations does as well."""
    graph = torch.fx.symbolic_trace(chain(operations))
    module = torch.jit.script(graph)
    for each in passes:
        module = each(module.eval())
    return module


def first_less_second(make, grad=True):


    x, w = (torch.randn(16, 16, requires_grad=grad) for _ in range(2))
    begin = time.perf_counter()
    compiled = make()
    compiled(x, w)
    middle = time.perf_counter()
    compiled(x, w)
    return 2 * middle - begin - time.perf_counter()


def peers(operations):
    program = lambda: chain(operations)  # a new one each time: nothing is cached
    jit = torch.jit
    return {
        "aot_eager": lambda: dynamo(operations),
        "aot_eager_default_partitioner": lambda: first_less_second(lambda: aot_function(program(), nop)),
        "debug_nop": lambda: first_less_second(lambda: aot_function(program(), compilers.debug_nop)),
        "ts": lambda: first_less_second(lambda: scripted(operations)),
        "simple_ts_compile": lambda: first_less_second(lambda: scripted(operations, jit.freeze), False),
        "ts_compile": lambda: first_less_second(lambda: scripted(operations, jit.freeze, jit.optimize_for_inference), False),
        "aot_ts": lambda: first_less_second(lambda: aot_function(program(), compilers.ts_compile)),
        "nnc_jit": lambda: first_less_second(lambda: compilers.nnc_jit(program())),
        "memory_efficient_fusion": lambda: first_less_second(lambda: compilers.memory_efficient_fusion(program())),
    }


def native(bench, operations):
    command = [bench, f"--benchmark_filter=^compile by/.*/{operations}$", "--benchmark_format=json"]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return {each["name"].split("/")[1]: each["real_time"] * 1e-6 for each in json.loads(output)["benchmarks"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True, help="the built touchstone_bench")
    parser.add_argument("--operations", type=int, default=50, choices=(1, 10, 50))
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    warm, measured = peers(3), peers(options.operations)
    own, torches, refused = {name: [] for name in measured}, {name: [] for name in measured}, {}
    for measure in warm.values():  # imports and caches
        try:
            measure()
        except Exception:
            pass
    for _ in range(options.repeat):
        for name, seconds in native(options.bench, options.operations).items():
            own[name].append(seconds)
        for name, measure in measured.items():
            try:
                torches[name].append(measure())
            except Exception as error:
                refused[name] = f"{type(error).__name__}: {str(error).splitlines()[0][:60]}"
    print(f"torch {torch.__version__}, {options.operations} operations, {options.repeat} repetitions")
    print(f"{'compiler':30} {'native':28} {'x native aot_eager':24} {'PyTorch':28} x native")
    for name, times in own.items():
        ratios = [mine / base for mine, base in zip(times, own["aot_eager"])]
        line = f"{name:30} {text(times, 1e3, 'ms'):28} {text(ratios, 1, ''):24} "
        if name in refused:
            print(line + refused[name])
        else:
            beyond = [theirs / mine for theirs, mine in zip(torches[name], times)]
            print(line + f"{text(torches[name], 1e3, 'ms'):28} {text(beyond, 1, '')}")


if __name__ == "__main__":
    main()
