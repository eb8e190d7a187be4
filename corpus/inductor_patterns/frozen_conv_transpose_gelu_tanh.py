# touchstone: 1
# torch: 2.13.0
# note: a transposed convolution and gelu_tanh behind it
# inductor: freezing
# fires: mkldnn_fusion/unary_fusion#33
# fires: mkldnn_fusion/weight_pack_pass.convolution
import torch


def inputs(seed, kind):
    m = torch.nn.Module()
    m.w = torch.nn.Parameter(data((4, 8, 3, 3), torch.float32, (seed, 7), kind))
    x = data((2, 4, 6, 6), torch.float32, (seed, 0), kind)
    m = m
    return (x, m), ()


def program(x, m):
    return torch.nn.functional.gelu(torch.nn.functional.conv_transpose2d(x, m.w), approximate="tanh")


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
