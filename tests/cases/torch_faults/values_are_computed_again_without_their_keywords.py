# touchstone: 1
# expect: torch:fault:values_are_computed_again_without_their_keywords Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((4,), torch.float32, (seed, 1), kind).requires_grad_()
    w = data((4,), torch.float32, (seed, 2), kind).requires_grad_()
    return (x, y, w), ()


def program(x, y, w):
    z = torch.add(x, y, alpha=2)
    return z * w


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
