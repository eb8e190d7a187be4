# touchstone: 1
# torch: 2.13.0
# note: a write between forward and backward makes eager raise and gives a root, a view of a leaf that is itself a view, another grad_fn
# expect: torch:aot_function Limit/A16
# expect: torch:aot_eager Limit/A16
# expect: torch:aot_eager_decomp_partition Limit/A16
# expect: torch:inductor Limit/A16
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b1 = data((4,), torch.float32, (seed, 1), kind)
    b3 = data((3, 1), torch.float32, (seed, 1), kind)
    x1 = torch.as_strided(b1, (1, 3), (1, 1), 1).requires_grad_()
    return (seed, x1, b3), ()


def program(x0, x1, x4):
    y1 = torch.flatten(x4)
    y4 = x1.unsqueeze(-3)
    y5 = torch.cat([y1, y1], 0)
    y7 = y5[None]
    y7.index_add_(1, torch.tensor([4, 1, 4]), x1)
    return y7, y4


def touch(args, outs):
    args[1].mul_(1)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1], between="touch"),
    dict(inputs="inputs", seed=2, backward=[0, 1], between="touch"),
]
