# touchstone: 1
# torch: 2.13.0
# note: a convolution in bfloat16, a batch norm in float32
# inductor: freezing
# fires: mkldnn_fusion/weight_pack_pass.convolution
import torch


def inputs(seed, kind):
    m = torch.nn.Module()
    m.w = torch.nn.Parameter(data((8, 4, 3, 3), torch.bfloat16, (seed, 7), kind))
    m.t = torch.nn.Parameter(data((4, 8, 3, 3), torch.bfloat16, (seed, 8), kind))
    m.l = torch.nn.Parameter(data((8, 4), torch.bfloat16, (seed, 9), kind))
    m.n = torch.nn.BatchNorm2d(8).eval()
    x = data((2, 4, 6, 6), torch.bfloat16, (seed, 0), kind)
    m = m
    return (x, m), ()


def program(x, m):
    return m.n(torch.nn.functional.conv2d(x, m.w).float())


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
