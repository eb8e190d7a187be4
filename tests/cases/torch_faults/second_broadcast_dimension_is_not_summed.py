# touchstone: 1
# expect: torch:fault:second_broadcast_dimension_is_not_summed Differs
import torch


def inputs(seed, kind):
    x = data((3,), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((2, 2, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x * y


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
