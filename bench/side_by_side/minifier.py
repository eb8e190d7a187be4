"""`touchstone reduce` beside PyTorch's own minifier: `minifier.py BINARY [--programs 10] [--work FOLDER]`.

Each program fails for a cause that is planted in the forward graph (tests/python/planted_causes.py), so that both can express it:
Touchstone reduces the Case; the minifier (`torch._functorch.fx_minifier`, which `TORCHDYNAMO_REPRO_AFTER="aot"` runs) gets the
forward graph of the same Case and its inputs, and is asked whether the graph with the cause differs from the graph without, in
this process. Prints operators at the start and left over, and seconds, of both.
"""

import argparse
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import time

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch._functorch.fx_minifier import minifier

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))
import planted_causes  # noqa: E402

# Causes that show in values, dtypes or layouts of a forward graph.
CAUSES = ("product_of_a_transposed", "sum_of_a_sum", "sum_behind_relu", "product_of_one_by_itself", "concatenation_of_one_twice",
          "sine_of_a_part", "layout_of_a_sum", "dtype_of_a_maximum")  # fmt: skip


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--programs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("minified"), help="folder; made where it is not there")
    return parser.parse_args()


def touchstone(given, *arguments):
    command = [str(given.binary.resolve()), *map(str, arguments)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, errors="replace")


def flags(cause):
    return ["--python-path", str(ROOT / "tests" / "python"), "--base", "torch:aot_eager",
            "--backend", f"torch:planted_causes:{cause}"]  # fmt: skip


def collect(given, cause, count):
    """Cases that fail by the cause, as they were found: inference, one call's inputs, nothing written."""
    folder = given.work / cause
    if len(list(folder.glob("*.py"))) < count:
        arguments = [*flags(cause)[:-2], "--backends", flags(cause)[-1], "--seed", given.seed, "--cases", 2000]
        touchstone(given, "fuzz", *arguments, "--without", "backward,mutation,aliased_inputs,rng,modules", "--min-operations", 12,
                   "--operators", planted_causes.operators_near(cause), "--max-findings", 2 * count, "--reduce-seconds", 0, "--findings", folder, "--json")  # fmt: skip
    return sorted(folder.glob("*-values-*.py")) + sorted(folder.glob("*-strides-*.py")) + sorted(folder.glob("*-dtype-*.py"))


def loaded(file):
    spec = importlib.util.spec_from_file_location("case", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def forward_graph(file):
    """The forward graph of the Case's first call and its inputs; None where there is more than one graph."""
    case, found = loaded(file), []

    def keep(module, example_inputs):
        def run(*arguments):
            found.append((module, [each.detach().clone() if isinstance(each, torch.Tensor) else each for each in arguments]))
            return torch.fx.Interpreter(module).run(*arguments)

        return make_boxed_func(run)

    call = case.CALLS[0]
    arguments, _ = getattr(case, call["inputs"])(call.get("seed", 0), call.get("kind", "grid"))
    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(case.program, backend=aot_autograd(fw_compiler=keep, bw_compiler=keep))(*arguments)
    plain = len(found) == 1 and all(isinstance(each, torch.Tensor) for each in found[0][1])
    return found[0] if plain else None


def operators(module):
    return sum(node.op == "call_function" and "getitem" not in str(node.target) for node in module.graph.nodes)


def described(value):
    return (value.dtype, tuple(value.shape), value.stride()) if isinstance(value, torch.Tensor) else value


def differs(left, right):
    if isinstance(left, (tuple, list)):
        return any(map(differs, left, right))
    if not isinstance(left, torch.Tensor):
        return left != right
    return described(left) != described(right) or not torch.equal(left.nan_to_num(), right.nan_to_num())


def minified(cause, module, inputs):
    """Operators left over, and seconds."""
    change = getattr(planted_causes, "_" + cause)

    def fails(candidate, arguments):
        try:
            right = torch.fx.Interpreter(candidate).run(*arguments)
            wrong = planted_causes._Run(candidate, change, {"calls": 1}).run(*arguments)
        except Exception:
            return False
        return differs(right, wrong)

    begin = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        left, _ = minifier(module, inputs, fails, lambda *_: None)
    return operators(left), time.perf_counter() - begin


def main():
    given = options()
    given.work.mkdir(parents=True, exist_ok=True)
    rows = []
    each_cause = -(-given.programs // len(CAUSES))
    for cause in CAUSES:
        taken = 0
        for file in collect(given, cause, each_cause):
            graph = forward_graph(file)
            if graph is None or taken == each_cause or len(rows) == given.programs:
                continue
            start = operators(graph[0])
            try:
                ours = json.loads(touchstone(given, "reduce", file, *flags(cause), "--seconds", 180, "--json").stdout)
                theirs, seconds = minified(cause, *graph)
            except Exception as error:
                print(f"{file.name}: left out: {type(error).__name__}: {str(error)[:120]}", file=sys.stderr)
                continue
            taken += 1
            rows.append((cause, start, ours["operations"], ours["seconds"], theirs, seconds))
            print(f"| {cause} | {start} | {ours['operations']} | {ours['seconds']:.1f} | {theirs} | {seconds:.1f} |", flush=True)
    print(f"{len(rows)} programs; operators left over: touchstone {sum(r[2] for r in rows)}, minifier {sum(r[4] for r in rows)}; "
          f"seconds: {sum(r[3] for r in rows):.0f} and {sum(r[5] for r in rows):.0f}")  # fmt: skip


if __name__ == "__main__":
    main()
