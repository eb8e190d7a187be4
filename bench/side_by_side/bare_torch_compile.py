"""The floor: torch.compile and the calls of given case files, with nothing observed, compared or isolated.

Usage: bare_torch_compile.py --backend NAME FILE…
Runs every file in this one process after a few warm-up compiles: reset, compile, then for each entry of CALLS the inputs, the
forward, the function between, and the backward. Prints one JSON object: cases, calls, seconds by part, errors by class.
`--backend none` runs the Programs without compiling them.
"""

import argparse
import json
import time
import warnings

import torch

warnings.filterwarnings("ignore")


def load(path):
    scope = {"__name__": "case"}
    with open(path) as file:
        text = file.read()
    exec(compile(text, path, "exec"), scope)
    import linecache

    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    return scope


def tensors_of(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_of(item)]
    return []


def run_calls(scope, program, seconds):
    arguments, watched = (), ()
    for call in scope["CALLS"]:
        start = time.perf_counter()
        if call.get("inputs") is not None:
            arguments, watched = scope[call["inputs"]](call.get("seed", 0), call.get("kind", "grid"))
        torch.manual_seed(call.get("rng_seed", 0))
        ready = time.perf_counter()
        seconds["inputs"] += ready - start
        mode = call.get("grad_mode", "enable")
        with torch.set_grad_enabled(mode == "enable"), torch.inference_mode(mode == "inference"):
            result = program(*arguments)
        outputs = tensors_of(result)
        if call.get("between"):
            with torch.no_grad():
                scope[call["between"]](arguments, outputs)
        if call.get("backward") is not None:
            flat = tensors_of(arguments)
            roots = [flat[int(root.split()[1])] if isinstance(root, str) else outputs[root] for root in call["backward"]]
            for time_left in reversed(range(call.get("backward_times", 1))):
                torch.autograd.backward(roots, [torch.ones_like(root) for root in roots], retain_graph=time_left > 0)
        seconds["calls"] += time.perf_counter() - ready


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", required=True)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.backend != "none":
        import torch._dynamo
        import torch._functorch.config
        import torch._inductor.config

        torch._dynamo.config.recompile_limit = 256
        torch._functorch.config.donated_buffer = False
        torch._inductor.config.fallback_random = True
        torch._inductor.config.force_disable_caches = True

    def compiled(scope):
        if options.backend == "none":
            return scope["program"]
        torch._dynamo.reset()
        settings = scope.get("COMPILE", {})
        return torch.compile(
            scope["program"], backend=options.backend, dynamic=settings.get("dynamic", False), fullgraph=settings.get("fullgraph", False)
        )

    scopes = [load(path) for path in options.files]
    for scope in scopes[:3]:  # warm: lazy imports and first-use caches are not the floor
        try:
            run_calls(scope, compiled(scope), {"inputs": 0.0, "calls": 0.0})
        except Exception:
            pass
    seconds = {"inputs": 0.0, "calls": 0.0}
    errors = {}
    start = time.perf_counter()
    calls = 0
    for scope in scopes:
        calls += len(scope["CALLS"])
        try:
            run_calls(scope, compiled(scope), seconds)
        except Exception as error:  # a Case on purpose wrong, or a bug: the rest of its calls is not made
            errors[type(error).__name__] = errors.get(type(error).__name__, 0) + 1
    total = time.perf_counter() - start
    print(json.dumps({"cases": len(scopes), "calls": calls, "seconds": total, "split": seconds, "errors": errors}))


if __name__ == "__main__":
    main()
