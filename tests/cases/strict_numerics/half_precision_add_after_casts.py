# touchstone: 1
# torch: 2.13.0
# note: casts to float16 around an addition that is fused (pytorch/pytorch#182131)
# expect: torch:inductor Differs/precision/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float32, (seed, 0), kind)
    c = data((2, 3, 4), torch.bool, (seed, 1), kind)
    return (x * 0.1, c), ()


def program(x, c):
    z = torch.where(c, torch.full_like(x, 0.5), torch.full_like(x, -0.5))
    return z.to(torch.float16) + x.to(torch.float16)


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform"),
    dict(inputs="inputs", seed=2, kind="uniform"),
]
