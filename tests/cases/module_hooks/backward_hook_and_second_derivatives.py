# touchstone: 1
import torch


def scale(module, grad_input, grad_output):
    return (grad_input[0] * 3,)


def inputs(seed, kind):
    m = torch.nn.Linear(3, 3)
    m.register_full_backward_hook(scale)
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x, m), ()


def program(x, m):
    return m(x).sin()


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], via="grad", tangent_seed=1, derivatives=2),
    dict(inputs="inputs", seed=8, backward=[0], via="grad", tangent_seed=2, derivatives=2),
]
