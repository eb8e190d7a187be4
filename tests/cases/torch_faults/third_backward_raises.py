# touchstone: 1
# expect: torch:fault:third_backward_raises BackendRejected/backward
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x.sin()


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
]
