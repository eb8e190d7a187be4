"""Runs the comparison of a `_test_fn.py` file once, in the way that is asked for, and prints what came of it as a line of JSON.

Arguments: the file, and an object with

    backend     what torch.compile is given; "none": nothing is compiled
    compile     arguments of torch.compile in place of the file's, {"dynamic": false}
    config      settings, {"torch._inductor.config.pattern_matcher": false}
    same        true: what torch._dynamo.utils.same says of what differs, beside a run in double precision

The line has `result` (right, wrong, raises) and `text`; and for `same` what it said, or why it could not be asked.
"""

import contextlib
import importlib.util
import io
import json
import sys

import torch


def load(file):
    spec = importlib.util.spec_from_file_location("touchstone_case", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def compiled_with(arguments):
    original = torch.compile
    torch.compile = lambda *args, **others: original(*args, **{**others, **arguments})
    try:
        yield
    finally:
        torch.compile = original


@contextlib.contextmanager
def configured(settings):
    with contextlib.ExitStack() as stack:
        for name, value in settings.items():
            package, _, field = name.partition(".config.")
            stack.enter_context(importlib.import_module(package + ".config").patch({field: value}))
        yield


def judge(module, asked, backend):
    """What came of it, and what differs, by name: eager's and the compiled program's."""
    said = io.StringIO()
    try:
        with module._settings(), configured(asked.get("config", {})), compiled_with(asked.get("compile", {})), contextlib.redirect_stdout(said):
            module._check(backend)
        answer = {"result": "right", "text": ""}
    except AssertionError as difference:
        names = [line.removesuffix(" differs") for line in str(difference).splitlines() if line.endswith(" differs")]
        raised = [line for line in said.getvalue().splitlines() if " raises " in line]
        isRaised = raised and names and all(name.endswith(" raised") for name in names)
        answer = {"result": "raises" if isRaised else "wrong", "text": "\n".join([*raised, str(difference)])}
    except Exception as error:
        answer = {"result": "raises", "text": f"{type(error).__name__}: {error}"}
    return answer, getattr(module._check, "different", {})


def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for part in value for t in tensors(part)] if isinstance(value, (list, tuple)) else []


class DrawsNumbers(Exception):
    """In double precision the program draws others."""


def in_double(module):
    """All that is compared, of eager alone, with inputs in double precision."""
    original, original_program = module.data, module.program

    def data(*args):
        values = original(*args)
        return values.to(torch.complex128) if values.is_complex() else values.double() if values.is_floating_point() else values

    def program(*args):
        before = torch.get_rng_state()
        result = original_program(*args)
        if not torch.equal(before, torch.get_rng_state()):
            draws.append(True)
        return result

    draws = []
    module.data, module.program = data, program
    try:
        module._check("none")
    finally:
        module.data, module.program = original, original_program
    if draws:
        raise DrawsNumbers
    return module._check.compared


def ask_same(module, different):
    differing = {name: (tensors(eager), tensors(found)) for name, (eager, found) in different.items()}
    differing = {name: pair for name, pair in differing.items() if pair[0] and pair[1]}
    if not differing:
        return {"same": "nothing", "reference": "it compares values, and what differs here is none"}
    answer = {"dtypes": sorted({str(t.dtype) for pair in differing.values() for t in pair[0]})}
    references, why = {}, ""
    try:
        with module._settings(), contextlib.redirect_stdout(io.StringIO()):
            references = {name: tensors(eager) for name, (eager, _) in in_double(module).items()}
        if any(len(references.get(name, ())) != len(pair[0]) for name, pair in differing.items()):
            references, why = {}, "in double precision it returns something else"
        elif any(t.dtype in (torch.float32, torch.complex64) for name in differing for t in references[name]):
            references, why = {}, "the program makes tensors of single precision itself"
    except DrawsNumbers:
        why = "the program draws random numbers, which are others in double precision"
    except Exception as error:
        why = f"in double precision it raises {type(error).__name__}"
    try:
        said = all(torch._dynamo.utils.same(eager, found, references.get(name), equal_nan=True, log_error=lambda *args: None)
                   for name, (eager, found) in differing.items())
        return {**answer, "same": said, "reference": why or "double precision"}
    except Exception as error:
        return {**answer, "same": "nothing", "reference": f"it raises {type(error).__name__}: {error}"[:200]}


def main(file, asked):
    told, sys.stdout = sys.stdout, sys.stderr
    module = load(file)
    answer, different = judge(module, asked, asked["backend"])
    if asked.get("same"):
        answer.update(ask_same(module, different))
    print(json.dumps(answer), file=told, flush=True)


main(sys.argv[1], json.loads(sys.argv[2]))
