# touchstone: 1
import torch


def double_input(module, args):
    return (args[0] * 2,)


def shift_output(module, args, result):
    return result + args[0]


def inputs(seed, kind):
    m = torch.nn.Module()
    m.first = torch.nn.Linear(3, 3)
    m.second = torch.nn.Linear(3, 3)
    m.first.register_forward_hook(shift_output)
    m.second.register_forward_pre_hook(double_input)
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x, m), ()


def program(x, m):
    y = m.first(x)
    return m.second(torch.relu(y))


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
