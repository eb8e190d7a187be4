# touchstone: 1
# torch: 2.13.0
# note: a constant, and linears that are taken from it, and its multiples: with bias and without, over two and over three dimensions
# inductor: freezing
# fires: binary_folding/folded_op#17
# fires: mkldnn_fusion/weight_pack_pass.linear
# fires: mkldnn_fusion/weight_pack_pass.linear#2
import torch


def inputs(seed, kind):
    torch.manual_seed(7)
    m = torch.nn.Module()
    m.c = torch.nn.Parameter(torch.full((8,), 2.0))
    m.first = torch.nn.Linear(4, 8)
    m.second = torch.nn.Linear(4, 8)
    m.third = torch.nn.Linear(4, 8, bias=False)
    m.fourth = torch.nn.Linear(4, 8, bias=False)
    x = data((3, 4), torch.float32, (seed, 0), kind)
    y = data((2, 3, 4), torch.float32, (seed, 1), kind)
    return (x, y, m), ()


def program(x, y, m):
    return m.c - m.first(x), 2.0 / m.second(y), m.c * m.third(x), 1.0 + m.fourth(y)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
COMPILE = dict(options={"enable_linear_binary_folding": True})
