# touchstone: 1
# torch: 2.13.0
# note: under vmap `addr` is computed in the wider dtype and rounded once.
import torch


def inputs(seed, kind):
    x = data((2,), torch.bfloat16, (seed, 1), kind)
    return (x,), ()


def program(x):
    return torch.func.vmap(lambda a, b: torch.addr(a[:1, None], a, b))(torch.stack([x, x]), torch.stack([x, x * 3]))


CALLS = [
    dict(inputs="inputs", kind="uniform"),
    dict(inputs="inputs", seed=1, kind="uniform"),
]
