# touchstone: 1
# torch: 2.13.0
# note: Inductor writes a batched product as a sum, which has int64. A bug (pytorch/pytorch#191308).
# expect: torch:inductor Differs/dtype
import torch


def inputs(seed, kind):
    a = data((1, 1, 2), torch.int8, (seed, 0), kind)
    b = data((1, 2, 2), torch.int8, (seed, 1), kind)
    return (a, b), ()


def program(a, b):
    return torch.matmul(a, b)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
