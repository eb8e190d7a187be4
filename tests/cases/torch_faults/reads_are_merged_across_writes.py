# touchstone: 1
# expect: torch:fault:reads_are_merged_across_writes Differs/values/call 0 output 1
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x.sin()
    x.add_(1)
    return y, x.sin()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
