# touchstone: 1
# torch: 2.13.0
# note: a list of the arguments is appended to; a dict beside it, which the program does not look at, has other contents later
# note: aot_function gets a copy of the list, and does not give it back
# expect: torch:aot_function Differs/input_metadata
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x, [x], {"a": x}), ()


def inputs_2(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x, [x], {"a": [x, 1], "b": 2}), ()


def program(x, parts, table):
    parts.append(x * 2)
    return len(parts)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs_2", seed=2),
    dict(inputs="inputs", seed=3),
]
