# touchstone: 1
# expect: torch:fault:slices_are_taken_again_from_the_start Differs
import torch


def inputs(seed, kind):
    x = data((6,), torch.float32, (seed, 0), kind).requires_grad_()
    w = data((4,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    return x[2:] * w


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
