# touchstone: 1
# torch: 2.13.0
# note: products with alpha=0 count nothing in eager, be they infinite
# expect: torch:aot_eager_decomp_partition Differs/values
import torch


def inputs(seed, kind):
    x0 = data((3, 3), torch.float32, (seed, 1), kind)
    x1 = torch.ones((1, 3))
    return (x0, x1), ()


def program(x0, x1):
    return torch.addmm(x1, x1, x0, alpha=0), torch.addmv(x1[0], x0, x0[0], alpha=0)


CALLS = [
    dict(inputs="inputs", seed=102, kind="special"),
    dict(inputs="inputs", seed=103, kind="special"),
]
