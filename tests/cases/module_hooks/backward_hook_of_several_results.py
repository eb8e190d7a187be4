# touchstone: 1
import torch


def look(module, grad_input, grad_output):
    if grad_output[1] is None:
        return grad_input[0] * 2, grad_input[1]
    return grad_input[0] * 3, grad_input[1]


def inputs(seed, kind):
    m = torch.nn.GRU(3, 3)
    m.register_full_backward_hook(look)
    x = data((2, 1, 3), torch.float32, (seed, 0), kind).requires_grad_()
    s = data((1, 1, 3), torch.float32, (seed, 1), kind)
    return (x, s, m), ()


def program(x, s, m):
    y, h = m(x, s)
    return y, h


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0, 1], tangent_seed=2),
]
