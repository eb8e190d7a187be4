# touchstone: 1
import torch


def scale_by_the_largest(module, args, result):
    return result * result.max().item()


def inputs(seed, kind):
    m = torch.nn.Linear(3, 3)
    m.register_forward_hook(scale_by_the_largest)
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x, m), ()


def program(x, m):
    return m(x).sin()


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
