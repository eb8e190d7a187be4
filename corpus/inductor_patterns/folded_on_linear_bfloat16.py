# touchstone: 1
# torch: 2.13.0
# note: a linear in bfloat16 and constants in float32 and bfloat16
# inductor: freezing
# fires: mkldnn_fusion/weight_pack_pass.linear
import torch


def inputs(seed, kind):
    m = torch.nn.Module()
    m.w = torch.nn.Parameter(data((8, 4, 3, 3), torch.bfloat16, (seed, 7), kind))
    m.t = torch.nn.Parameter(data((4, 8, 3, 3), torch.bfloat16, (seed, 8), kind))
    m.l = torch.nn.Parameter(data((8, 4), torch.bfloat16, (seed, 9), kind))
    m.c = torch.nn.Parameter(torch.full((8,), 1.01, dtype=torch.float32))
    x = data((3, 4), torch.bfloat16, (seed, 0), kind)
    m = m
    return (x, m), ()


def program(x, m):
    return torch.nn.functional.linear(x, m.l).float() * m.c, torch.nn.functional.linear(x + 1, m.l) * m.c


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
COMPILE = dict(options={"enable_linear_binary_folding": True})
