# touchstone: 1
# torch: 2.13.0
# note: a convolution mul a constant of one value a channel, and a number
# inductor: freezing
# fires: mkldnn_fusion/weight_pack_pass.convolution
import torch


def inputs(seed, kind):
    torch.manual_seed(7)
    m = torch.nn.Conv2d(4, 8, 3)
    m.c = torch.nn.Parameter(torch.full((1, 8, 1, 1), 2.0, dtype=torch.float32))
    x = data((2, 4, 6, 6), torch.float32, (seed, 0), kind)
    m = m
    return (x, m), ()


def program(x, m):
    return m(x) * m.c, m(x * 2) * 3.0


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
