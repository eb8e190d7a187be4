# touchstone: 1
# expect: torch:fault:concatenation_drops_empty_parts_and_their_dtype Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    y = data((0,), torch.float64, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return torch.cat([x, y])


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
