# touchstone: 1
# expect: torch:fault:dead_code_is_dropped Agreed
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    y = x.cos()
    z = torch.rand(4)
    return x.sin() * torch.rand(4)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
]
