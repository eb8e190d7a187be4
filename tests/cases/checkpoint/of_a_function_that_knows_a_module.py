# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind).requires_grad_()
    m = torch.nn.Linear(3, 3)
    return (x, m), ()


def program(x, m):
    scale = x * 2
    def through(t):
        return m(t).sin() * scale
    return torch.utils.checkpoint.checkpoint(through, x, use_reentrant=False)


CALLS = [
    dict(inputs="inputs", seed=7, rng_seed=1, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, rng_seed=2, backward=[0], tangent_seed=2),
]
