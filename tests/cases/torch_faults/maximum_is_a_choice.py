# touchstone: 1
# expect: torch:fault:maximum_is_a_choice Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind)
    y = data((8,), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return torch.maximum(x, y)


CALLS = [
    dict(inputs="inputs", seed=1, kind="special"),
    dict(inputs="inputs", seed=2, kind="special"),
]
