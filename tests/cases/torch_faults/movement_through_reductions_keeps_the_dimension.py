# touchstone: 1
# expect: torch:fault:movement_through_reductions_keeps_the_dimension Differs
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.t().amax(0)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
