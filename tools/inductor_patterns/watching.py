"""Which patterns fire while a Case is compiled by Inductor: each Case in a process of its own, forked from one that has Inductor ready.

Only Inductor's passes run, and no code is generated: the graphs run as AOTAutograd made them.
"""

import copy
import functools
import json
import os
import pathlib
import re
import signal
import traceback

import torch
from torch._inductor import compile_fx, pattern_matcher
from torch._inductor.fx_passes.post_grad import view_to_reshape
from torch._inductor.virtualized import V

from . import backends

DATA = pathlib.Path(__file__).resolve().parents[2] / "program" / "language" / "data.py"
MODES = {"enable": torch.enable_grad, "no_grad": torch.no_grad, "inference": torch.inference_mode}
KINDS = (pattern_matcher.LoweringPatternEntry, pattern_matcher.GraphPatternEntry, pattern_matcher.ReplacementPatternEntry)


def outline(graph):
    return [(node.name, str(node.target), str(node.args), str(node.kwargs)) for node in graph.nodes]


def watch(patterns, note):
    """From now on `note(name)` is called whenever a pattern has matched, passed its check, and changed the graph."""
    names = {id(pattern.entry): name for name, pattern in patterns.items()}

    def watched(apply):
        def apply_and_note(entry, match, graph, node):
            before = outline(graph)
            apply(entry, match, graph, node)
            if id(entry) in names and outline(graph) != before:
                note(names[id(entry)])

        return apply_and_note

    for kind in KINDS:
        kind.apply = watched(kind.apply)


def backend_of(path):
    """What the header `# inductor:` of a Case says."""
    found = re.search(r"^# inductor: (\w+)$", path.read_text(), re.MULTILINE)
    return getattr(backends, found[1]) if found else functools.partial(backends.compiled, {})


def configure():
    """As Touchstone's worker does, and without what would spare a compile its passes."""
    import torch._functorch.config
    import torch._inductor.config

    torch.set_num_threads(1)
    torch._functorch.config.donated_buffer = False
    torch._inductor.config.compile_threads = 1
    torch._inductor.config.fallback_random = True
    torch._inductor.config.force_disable_caches = True


def passes_alone(graph, inputs, is_inference=False, **_):
    """In place of `compile_fx_inner`: the passes behind the partition see a copy of `graph`, which itself is what runs."""
    seen = torch.fx.GraphModule(graph, copy.deepcopy(graph.graph))  # constants are shared
    view_to_reshape(seen)
    with torch.no_grad():
        mode = compile_fx.fake_tensor_prop(seen, inputs)
    with V.set_fake_mode(mode):
        compile_fx._recursive_post_grad_passes(seen, is_inference=is_inference)

    def interpreted(arguments):
        return graph(*arguments)

    interpreted._boxed_call = True
    return interpreted


def tensors(value):
    """Those that a Program returned, in the order in which `backward` counts them."""
    value = list(value.values()) if isinstance(value, dict) else value
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for part in value for t in tensors(part)] if isinstance(value, (list, tuple)) else []


def run(path):
    """Makes the calls of a Case in the short form, compiled by Inductor: forward, and backward where the call has one."""
    case = {}
    exec(DATA.read_text(), case)
    exec(compile(path.read_text(), str(path), "exec"), case)
    chosen = {"dynamic": False, "fullgraph": True, **case.get("COMPILE", {})}
    backend = functools.partial(backend_of(path), inner_compile=passes_alone, options=chosen.pop("options", None))
    compiled = torch.compile(case["program"], backend=backend, **chosen)
    for call in case["CALLS"]:
        torch.manual_seed(call.get("rng_seed", 0))
        if call["inputs"]:
            arguments, _ = case[call["inputs"]](call.get("seed", 0), call.get("kind", "grid"))
        with MODES[call.get("grad_mode", "enable")]():
            outputs = tensors(compiled(*arguments))
        if call.get("backward"):
            roots = [outputs[root] for root in call["backward"] if outputs[root].requires_grad]
            torch.autograd.backward(roots, [torch.ones_like(root) for root in roots])


def fired(path, patterns, seconds=120):
    """([names of patterns that fired], the error that ended the Case or "")."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        signal.alarm(seconds)
        names, error = {}, ""
        try:
            configure()
            watch(patterns, lambda name: names.setdefault(name))
            run(path)
        except BaseException as raised:
            error = "".join(traceback.format_exception_only(raised)).strip()[-300:]
        os.write(writer, json.dumps([list(names), error]).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return tuple(json.loads(text)) if text else ([], "the process ended early")


def written(text, names):
    """`text` of a Case with a `# fires:` line for each of these patterns, and no other, where Touchstone prints such lines."""
    lines = [line for line in text.splitlines() if not line.startswith("# fires: ")]
    place = next(number for number, line in enumerate(lines) if line.startswith("# expect: ") or not line.startswith("#"))
    return "\n".join([*lines[:place], *(f"# fires: {name}" for name in sorted(names)), *lines[place:]]) + "\n"
