# touchstone: 1
# expect: torch:fault:small_saved_values_are_flushed Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((4,), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    z = x * 1e-10
    return torch.tanh(z) * torch.exp(y) * 10000000000.0


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
