# touchstone: 1
import torch


def shift_output(module, args, result):
    return result + args[0]


def scale(module, grad_input, grad_output):
    return (grad_input[0] * 3,)


def inputs(seed, kind):
    m = torch.nn.Linear(3, 3)
    m.register_full_backward_hook(scale)
    m.register_forward_hook(shift_output)
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x, m), ()


def program(x, m):
    with torch.no_grad():
        y = m(x)
    return y, m(x)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[1], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[1], tangent_seed=2),
]
