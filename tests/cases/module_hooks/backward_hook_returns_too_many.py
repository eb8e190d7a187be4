# touchstone: 1
import torch


def two(module, grad_input, grad_output):
    return grad_input[0], grad_output[0]


def inputs(seed, kind):
    m = torch.nn.Linear(3, 3)
    m.register_full_backward_hook(two)
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x, m), ()


def program(x, m):
    return m(x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
