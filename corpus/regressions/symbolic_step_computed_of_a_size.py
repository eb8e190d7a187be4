# touchstone: 1
# torch: 2.13.0
# note: the length of a slice fits two expressions unless a size was 3
# expect: torch:aot_function Unsupported
import torch


def helper_0(x3, x2):
    return x3, x3


def program(x1, x2, x3):
    y2 = x2[x2 > 0]
    y5, y6 = helper_0(x3, x2)
    return x1, y2[::y2.size(0) // 2 + 1]


def inputs_sizes_2(seed, kind):
    b1 = data((), torch.float32, (seed, 1), kind)
    b3 = torch.ones(())
    b4 = torch.ones(())
    return (b1, b3, b4), ()


def inputs_sizes_4(seed, kind):
    b3 = data((2, 2, 2, 2), torch.float32, (seed, 1), kind)
    b4 = torch.ones((2, 2, 2, 2))
    x1 = torch.ones((2,))
    return (x1, b3, b4), ()


def inputs_sizes_5(seed, kind):
    b1 = torch.ones(())
    b3 = data((2, 2, 2), torch.float32, (seed, 1), kind)
    b4 = torch.ones(())
    return (b1, b3, b4), ()


CALLS = [
    dict(inputs="inputs_sizes_2"),
    dict(inputs="inputs_sizes_4"),
    dict(inputs="inputs_sizes_5"),
    dict(inputs="inputs_sizes_5", seed=1),
]
COMPILE = dict(dynamic=None)
