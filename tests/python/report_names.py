"""Says what eager Python does for each spelling of a list: operators dispatched, and the result.

    report_names.py SPELLINGS

The list begins with `NAME = EXPRESSION` lines that make the variables, up to an empty line; then one spelling a line: an
expression, or a statement `TARGET = VALUE` or `TARGET += VALUE` on the variable x, whose result is x. Every spelling
sees fresh variables. For each, three lines are printed: the spelling, the operators in order of dispatch, the result.
"""

import sys

import torch
from torch.profiler import profile

FUNCTIONS = {"torch": torch, "slice": slice, "float": float}


def describe(value):
    if isinstance(value, torch.Tensor):
        flags = "g" if value.requires_grad else "-"
        return (
            f"{str(value.dtype)[6:]}{tuple(value.shape)}{tuple(value.stride())}{flags}"
            f"{describe(value.detach().tolist())}".replace(" ", "").replace(",)", ")")
        )
    if isinstance(value, torch.dtype):
        return str(value)
    if isinstance(value, (list, tuple)):
        name = "list" if isinstance(value, list) else "tuple"
        return name + "[" + ",".join(describe(item) for item in value) + "]"
    if value is None or isinstance(value, (bool, int, str)):
        return repr(value)
    if isinstance(value, complex):
        return f"({value.real:.5g},{value.imag:.5g})"
    return f"{value:.5g}"


def operators(profiler):
    events = [event for event in profiler.profiler.kineto_results.events() if event.name().startswith("aten::")]
    events.sort(key=lambda event: (event.start_ns(), -event.end_ns()))
    names = []
    for event in events:
        overload = event.overload_name()
        names.append(event.name()[6:] + (f".{overload}" if overload else ""))
    return names


def run(spelling, assignments):
    variables = dict(FUNCTIONS)
    torch.manual_seed(0)
    for assignment in assignments:
        exec(assignment, variables)
    config = torch._C._profiler._ExperimentalConfig(capture_overload_names=True)
    result = None
    with profile(experimental_config=config) as profiler:
        try:
            try:
                code = compile(spelling, "spelling", "eval")
            except SyntaxError:
                exec(spelling, variables)
                result = variables["x"]
            else:
                result = eval(code, variables)
            error = None
        except Exception as exception:
            error = f"{type(exception).__name__}: {str(exception).splitlines()[0] if str(exception) else ''}"
    return operators(profiler), error or describe(result)


def main(path):
    with open(path) as lines:
        text = lines.read()
    head, _, body = text.partition("\n\n")
    assignments = [line for line in head.splitlines() if not line.startswith("#")]
    for spelling in body.splitlines():
        if not spelling or spelling.startswith("#"):
            continue
        names, result = run(spelling, assignments)
        print(spelling)
        print(" ".join(names))
        print(result)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(sys.argv[1])
