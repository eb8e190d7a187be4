# touchstone: 1
# torch: 2.13.0
# note: Inductor folds x * 0 into 0 where the 0 is a whole number. A bug: NaN and infinity times 0 are NaN (pytorch/pytorch#186281).
# expect: torch:inductor Differs/values
import torch


def inputs(seed, kind):
    x = torch.tensor([float("nan"), float("inf"), 1.0])
    return (x,), ()


def program(x):
    return x * 0


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
    dict(inputs="inputs", seed=3),
]
