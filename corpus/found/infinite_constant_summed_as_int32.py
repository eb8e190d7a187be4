# touchstone: 1
# torch: 2.13.0
# note: Inductor evaluates the sum of a constant at compile time, and makes a whole number of its infinity. A bug (pytorch/pytorch#190421).
# expect: torch:inductor BackendRejected/compile
import torch


def inputs(seed, kind):
    x = data((2,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = torch.log(torch.full((2,), 0.0))
    return torch.sum(y, dtype=torch.int32).float() + x


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
