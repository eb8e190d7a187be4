# touchstone: 1
# expect: torch:fault:unsqueeze_counts_before_it_adds Differs/shape/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.unsqueeze(-1) * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
