# touchstone: 1
# torch: 2.13.0
# note: linears mul a constant: with bias, without, over two and three dimensions
# inductor: freezing
# fires: mkldnn_fusion/weight_pack_pass.linear
# fires: mkldnn_fusion/weight_pack_pass.linear#2
import torch


def inputs(seed, kind):
    torch.manual_seed(7)
    m = torch.nn.Linear(16, 32)
    m.c = torch.nn.Parameter(torch.full((32,), 2.0, dtype=torch.float32))
    x = data((3, 16), torch.float32, (seed, 0), kind)
    y = data((2, 3, 16), torch.float32, (seed, 1), kind)
    m = m
    return (x, y, m), ()


def program(x, y, m):
    return m(x) * m.c, torch.nn.functional.linear(x, m.weight) * m.c, m(y) * m.c, torch.nn.functional.linear(y, m.weight) * m.c


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
COMPILE = dict(options={"enable_linear_binary_folding": True})
