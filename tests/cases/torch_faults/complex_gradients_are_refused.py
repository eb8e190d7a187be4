# touchstone: 1
# expect: torch:fault:complex_gradients_are_refused BackendRejected/backward
import torch


def inputs(seed, kind):
    x = data((4,), torch.complex64, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return x * 2


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
