"""The floor: torch.compile and the calls of given case files, with nothing observed, compared or isolated.

Usage: bare_torch_compile.py --backend NAME FILE…
Makes the calls of every file in this one process, after a few warm-up compiles: reset, compile, then for each entry of CALLS
what `docs/case_file.md` says: the inputs, the forward under its modes, the function between, the backward passes with their
tangents. A call that raises is counted and the next one is made, as Touchstone does. NAME is what torch.compile takes,
`package.module:attribute`, or `none`: the Programs are run without compiling them.

--lean leaves out what Touchstone's worker leaves out as well: Dynamo's timing of its own guards, and garbage collections over
what lives for ever.

Prints one JSON object: `cases`: for each file its processor and wall seconds and the number of its calls; `errors` by class.
"""

import argparse
import contextlib
import gc
import importlib
import json
import linecache
import os
import sys
import time
import warnings

import torch
import torch._dynamo
import torch._dynamo.guards
import torch._functorch.config
import torch._inductor.config

warnings.filterwarnings("ignore")

WARM_UP_FILES = 3


def load(path):
    with open(path) as file:
        text = file.read()
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)  # Dynamo asks for the source
    scope = {"__name__": "case"}
    exec(compile(text, path, "exec"), scope)
    return scope


def tensors_of(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, torch.nn.Module):
        value = list(value.parameters()) + list(value.buffers())
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_of(item)]
    return []


def tangent(scope, call, number, root):
    values = scope["data"](tuple(root.shape), root.dtype, (call.get("tangent_seed", 0), 1000000 + number), "grid")
    layout = call.get("tangent_layout", "like")
    if root.dim() == 0 or layout == "contiguous":
        return values
    if layout == "like":
        return values if root.is_contiguous() else torch.empty_like(root, requires_grad=False).copy_(values)
    if layout == "transposed":
        reverse = tuple(reversed(range(values.dim())))
        return values.permute(reverse).contiguous().permute(reverse)
    if layout == "expanded":
        return values[:1].expand_as(values)
    return torch.stack([values, torch.zeros_like(values)], -1).flatten(-2)[..., ::2]  # gapped


class Settings:
    """How the Programs are compiled."""

    def __init__(self, backend):
        self.backend = backend
        if ":" in backend:
            sys.path.append(os.getcwd())
            module, _, attribute = backend.partition(":")
            self.backend = getattr(importlib.import_module(module), attribute)

    def compiled(self, scope, function):
        if self.backend == "none":
            return function
        chosen = scope.get("COMPILE", {})
        return torch.compile(
            function,
            backend=self.backend,
            dynamic=chosen.get("dynamic", False),
            fullgraph=chosen.get("fullgraph", False),
            options=chosen.get("options") or None,
        )

    def compiled_autograd(self, scope):
        if self.backend == "none":
            return contextlib.nullcontext()
        return torch._dynamo.compiled_autograd._enable(lambda graph: self.compiled(scope, graph), dynamic=False)


class Calls:
    """The calls of one file."""

    def __init__(self, scope, settings, errors):
        self.scope, self.settings, self.errors = scope, settings, errors
        self.calls = scope["CALLS"]
        self.given = [None] * len(self.calls)
        self.outputs = [None] * len(self.calls)
        self.backward_at = list(range(len(self.calls)))
        for index, call in enumerate(self.calls):
            listed = call.get("backward_after")
            for earlier in listed if isinstance(listed, list) else [] if listed is None else [listed]:
                if self.backward_at[earlier] == earlier:
                    self.backward_at[earlier] = index

    def run(self):
        torch._dynamo.reset()
        self.program = self.settings.compiled(self.scope, self.scope["program"])
        for index in range(len(self.calls)):
            self.attempt(self.forward, index)
            for earlier in range(index + 1):
                if self.backward_at[earlier] == index and self.outputs[earlier] is not None:
                    self.attempt(self.backward, earlier)

    def attempt(self, step, index):
        try:
            step(index)
        except Exception as error:  # a Case that is wrong on purpose, or a defect of the compiler
            self.errors[type(error).__name__] = self.errors.get(type(error).__name__, 0) + 1

    def forward(self, index):
        call = self.calls[index]
        if call.get("reset"):
            torch._dynamo.reset()
            self.program = self.settings.compiled(self.scope, self.scope["program"])
        torch.manual_seed(call.get("rng_seed", 0))
        if call.get("inputs") is not None:
            self.given[index] = self.scope[call["inputs"]](call.get("seed", 0), call.get("kind", "grid"))
        else:
            self.given[index] = self.given[index - 1]
        arguments = self.given[index][0]
        torch.manual_seed(call.get("rng_seed", 0))
        mode, autocast = call.get("grad_mode", "enable"), call.get("autocast")
        with contextlib.ExitStack() as modes:
            if mode == "no_grad":
                modes.enter_context(torch.no_grad())
            elif mode == "inference":
                modes.enter_context(torch.inference_mode())
            if autocast is not None:
                modes.enter_context(torch.autocast("cpu", dtype=autocast))
            outputs = tensors_of(self.program(*arguments))
        if call.get("between"):
            with torch.no_grad():
                self.scope[call["between"]](tuple(arguments), outputs)
        self.outputs[index] = outputs

    def backward(self, index):
        call = self.calls[index]
        if call.get("backward") is None:
            return
        arguments, watched = self.given[index]
        flat = tensors_of(arguments)
        roots = [flat[int(r.split()[1])] if isinstance(r, str) else self.outputs[index][r] for r in call["backward"]]
        leaves = [t for t in dict.fromkeys(flat + tensors_of(watched)) if t.requires_grad and t.is_leaf]
        if call.get("wrt") is not None:
            leaves = [leaves[leaf] for leaf in call["wrt"]]
        again, create_graph = call.get("backward_times", 1), call.get("create_graph", False)
        with self.settings.compiled_autograd(self.scope) if call.get("compiled_autograd") else contextlib.nullcontext():
            for remaining in reversed(range(again)):
                tangents = None
                if call.get("tangent_layout") != "none":
                    tangents = [tangent(self.scope, call, number, root) for number, root in enumerate(roots)]
                keywords = {"retain_graph": create_graph or remaining > 0, "create_graph": create_graph}
                if call.get("via") == "grad":
                    torch.autograd.grad(roots, leaves, tangents, allow_unused=True, **keywords)
                else:
                    inputs = leaves if call.get("wrt") is not None else None
                    torch.autograd.backward(roots, tangents, inputs=inputs, **keywords)


def fresh_cache(backend):
    """Inductor compiles every Program anew, as it does for its first user; the other backends keep no cache on disk."""
    if backend != "inductor":
        return contextlib.nullcontext()
    from torch._inductor.utils import fresh_cache as of_inductor

    return of_inductor()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", required=True)
    parser.add_argument("--lean", action="store_true")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.backend != "none":
        torch._dynamo.config.recompile_limit = 256
        torch._dynamo.config.accumulated_recompile_limit = 4096
        torch._functorch.config.donated_buffer = False
        torch._inductor.config.compile_threads = 1
        torch._inductor.config.fallback_random = True
    if options.lean:
        torch._dynamo.guards.profile_guard_manager = lambda root, local_scope, iterations: 0.0
    settings = Settings(options.backend)
    scopes = [load(path) for path in options.files]
    cases, errors = [], {}
    with open(os.devnull, "w") as nowhere:
        with contextlib.redirect_stdout(nowhere):  # Programs may print
            for scope in scopes[:WARM_UP_FILES]:  # lazy imports and tables of the first compile are not the floor
                with fresh_cache(options.backend):
                    Calls(scope, settings, {}).run()
            if options.lean:
                gc.collect()
                gc.freeze()
            for scope in scopes:
                cpu, wall = time.process_time(), time.perf_counter()
                with fresh_cache(options.backend):
                    Calls(scope, settings, errors).run()
                cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
                cases.append({"cpu": cpu, "wall": wall, "calls": len(scope["CALLS"])})
    print(json.dumps({"cases": cases, "errors": errors}))


if __name__ == "__main__":
    main()
