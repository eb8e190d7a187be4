# touchstone: 1
# torch: 2.13.0
# note: a list, a dict and a buffer among the arguments are changed
# expect: torch:aot_function Differs/input_metadata
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, [y], {"a": y}), ()


def program(x, parts, table):
    parts.append(x * 2)
    parts[0] = parts[0] + 1
    table["b"] = parts[1].view(-1)
    table["c"] = 3
    return x + parts[0]


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
