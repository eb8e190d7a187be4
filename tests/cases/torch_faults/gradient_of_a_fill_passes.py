# touchstone: 1
# expect: torch:fault:gradient_of_a_fill_passes Differs
import torch


def inputs(seed, kind):
    x = data((6,), torch.float32, (seed, 0), kind).requires_grad_()
    m = data((6,), torch.bool, (seed, 1), kind)
    return (x, m), ()


def program(x, m):
    return x.masked_fill(m, 0)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
