# touchstone: 1
# torch: 2.13.0
# note: Inductor computes ldexp in the dtype of the first argument, without promotion. A bug (pytorch/pytorch#197091).
# expect: torch:inductor Differs/dtype
import torch


def inputs(seed, kind):
    a = data((3, 4), torch.float16, (seed, 0), kind)
    b = data((3, 4), torch.float32, (seed, 1), kind)
    m = data((3, 4), torch.bool, (seed, 2), kind)
    return (a, b, m), ()


def program(a, b, m):
    return torch.ldexp(a, b), torch.ldexp(m, a)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
