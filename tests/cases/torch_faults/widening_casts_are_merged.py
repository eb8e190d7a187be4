# touchstone: 1
# expect: torch:fault:widening_casts_are_merged Agreed
import torch


def inputs(seed, kind):
    x = data((8,), torch.float16, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.to(torch.float32).to(torch.float64)


CALLS = [
    dict(inputs="inputs", seed=1, kind="special"),
    dict(inputs="inputs", seed=2, kind="special"),
]
