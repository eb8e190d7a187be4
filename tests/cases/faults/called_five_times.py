# touchstone: 1
# torch: 2.13.0
# expect: fault:fifth_call_raises BackendRejected/forward
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
    dict(inputs="inputs", seed=4, backward=[0]),
    dict(inputs="inputs", seed=5, backward=[0]),
    dict(inputs="inputs", seed=6, backward=[0]),
]
