# touchstone: 1
# expect: torch:fault:relu_is_a_clamp Agreed
import torch


def inputs(seed, kind):
    x = data((8,), torch.float32, (seed, 0), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.relu(x)


CALLS = [
    dict(inputs="inputs", seed=1, kind="special", backward=[0]),
    dict(inputs="inputs", seed=2, kind="special", backward=[0]),
]
