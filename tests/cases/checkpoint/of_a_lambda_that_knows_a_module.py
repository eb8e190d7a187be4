# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    m = torch.nn.Linear(3, 3)
    return (x, m), ()


def program(x, m):
    y = torch.utils.checkpoint.checkpoint(lambda t: m(t).sin(), x * 2, use_reentrant=False)
    return y * 2


CALLS = [
    dict(inputs="inputs", seed=7, rng_seed=1, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, rng_seed=2, backward=[0], tangent_seed=2),
]
