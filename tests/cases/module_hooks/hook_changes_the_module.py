# touchstone: 1
import torch


def count(module, args, result):
    module.running.mul_(0.5).add_(result.detach().mean())


def inputs(seed, kind):
    m = torch.nn.Linear(3, 3)
    m.register_buffer("running", torch.zeros(()))
    m.register_forward_hook(count)
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    return (x, m), ()


def program(x, m):
    m(x)
    y = m(x)
    return y, m.running


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
]
