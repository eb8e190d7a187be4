# touchstone: 1
# expect: torch:fault:elementwise_goes_before_the_expansion Differs
import torch


def inputs(seed, kind):
    x = data((1, 3), torch.float32, (seed, 0), kind)
    y = data((2, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x.expand(2, 3) + y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
