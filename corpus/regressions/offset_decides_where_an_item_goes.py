# touchstone: 1
# torch: 2.13.0
# note: a storage offset in the target of an assignment, in a function that the Program calls
# expect: torch:aot_function Differs/input_metadata
import torch


def inputs(seed, kind):
    base = data((6,), torch.float32, (seed, 0), kind)
    x = base[0:3]
    return (x, [1, 2, 3]), (base,)


def inputs2(seed, kind):
    base = data((6,), torch.float32, (seed, 0), kind)
    x = base[2:5]
    return (x, [1, 2, 3]), (base,)


def helper(x, parts):
    parts[x.storage_offset()] = 7


def program(x, parts):
    helper(x, parts)
    return x + 1, parts


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs2", seed=2),
    dict(inputs="inputs", seed=6),
    dict(inputs="inputs2", seed=7),
]
