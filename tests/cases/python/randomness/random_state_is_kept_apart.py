# touchstone: 1
# torch: 2.13.0
# expect: torch:eager Vacuous
# expect: torch:aot_eager Vacuous
import torch


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    with torch.random.fork_rng():
        a = torch.rand(3, 2)
    return x * a + y * torch.rand(3, 2)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
