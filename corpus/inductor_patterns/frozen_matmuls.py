# touchstone: 1
# torch: 2.13.0
# note: one matrix times three constants, and times two
# inductor: freezing
# fires: mkldnn_fusion/weight_pack_pass.linear
import torch


def inputs(seed, kind):
    m = torch.nn.Module()
    m.a = torch.nn.Parameter(data((16, 16), torch.float32, (seed, 0), kind))
    m.b = torch.nn.Parameter(data((16, 16), torch.float32, (seed, 1), kind))
    m.c = torch.nn.Parameter(data((16, 16), torch.float32, (seed, 2), kind))
    m.d = torch.nn.Parameter(data((16,), torch.float32, (seed, 3), kind))
    m.e = torch.nn.Parameter(data((16,), torch.float32, (seed, 4), kind))
    m.f = torch.nn.Parameter(data((16,), torch.float32, (seed, 5), kind))
    x = data((5, 16), torch.float32, (seed, 0), kind)
    y = data((4, 16), torch.float32, (seed, 1), kind)
    m = m
    return (x, y, m), ()


def program(x, y, m):
    return x @ m.a, x @ m.b, x @ m.c, y @ m.a, y @ m.b


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
