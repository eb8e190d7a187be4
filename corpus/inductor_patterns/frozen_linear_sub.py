# touchstone: 1
# torch: 2.13.0
# note: a linear in bfloat16 and a tensor, sub, in both orders
# inductor: freezing
# fires: mkldnn_fusion/binary_unary_fusion#15
# fires: mkldnn_fusion/weight_pack_pass.linear
import torch


def inputs(seed, kind):
    m = torch.nn.Module()
    m.w = torch.nn.Parameter(data((8, 4, 3, 3), torch.bfloat16, (seed, 7), kind))
    m.t = torch.nn.Parameter(data((4, 8, 3, 3), torch.bfloat16, (seed, 8), kind))
    m.l = torch.nn.Parameter(data((8, 4), torch.bfloat16, (seed, 9), kind))
    x = data((3, 4), torch.bfloat16, (seed, 0), kind)
    y = data((3, 8), torch.bfloat16, (seed, 1), kind)
    m = m
    return (x, y, m), ()


def program(x, y, m):
    return torch.nn.functional.linear(x, m.l) - y, y - torch.nn.functional.linear(x + 1, m.l)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
