# touchstone: 1
# torch: 2.13.0
# note: eager multiplies by the number first, Inductor multiplies the two tensors first.
# expect: torch:inductor Differs/values
import torch


def inputs(seed, kind):
    x = torch.tensor([1e+25])
    return (x,), ()


def program(x):
    return torch.addcmul(x, x, x, value=1e-30)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
