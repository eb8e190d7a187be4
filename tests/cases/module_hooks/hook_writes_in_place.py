# touchstone: 1
import torch


def clear_a_row(module, args, result):
    result[0].zero_()


def write_input(module, args):
    args[0].add_(1)


def inputs(seed, kind):
    m = torch.nn.Linear(3, 3)
    m.register_forward_pre_hook(write_input)
    m.register_forward_hook(clear_a_row)
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x, m), ()


def program(x, m):
    y = x * 1
    return m(y), y


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
