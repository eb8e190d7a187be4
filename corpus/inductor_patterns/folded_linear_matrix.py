# touchstone: 1
# torch: 2.13.0
# note: a linear and a constant that has a row for each row
# inductor: freezing
# fires: mkldnn_fusion/weight_pack_pass.linear#2
import torch


def inputs(seed, kind):
    torch.manual_seed(7)
    m = torch.nn.Linear(16, 32)
    m.c = torch.nn.Parameter(data((3, 32), torch.float32, (seed, 8), kind))
    m.d = torch.nn.Parameter(data((3, 1), torch.float32, (seed, 9), kind))
    x = data((3, 16), torch.float32, (seed, 0), kind)
    m = m
    return (x, m), ()


def program(x, m):
    return m(x) * m.c, m(x + 1) + m.d


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
