# touchstone: 1
# torch: 2.13.0
# note: the largest value of a window of minus infinities is, for Inductor, the padding, which has no place in the argument: the backward stops at a check of bounds. A bug.
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
# expect: torch:inductor BackendRejected/backward
import torch


def inputs(seed, kind):
    x = torch.full((3, 2, 4), -float("inf")).requires_grad_()
    return (x,), ()


def program(x):
    return torch.nn.functional.max_pool2d(x, 2, padding=1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
]
