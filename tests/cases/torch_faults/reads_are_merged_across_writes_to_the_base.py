# touchstone: 1
# expect: torch:fault:reads_are_merged_across_writes_to_the_base Differs/values/call 0 output 1
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    v = x[1:]
    y = v.sin()
    x.add_(1)
    return y, v.sin()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
