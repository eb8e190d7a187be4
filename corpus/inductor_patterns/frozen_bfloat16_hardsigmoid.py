# touchstone: 1
# torch: 2.13.0
# note: a convolution, a transposed convolution and a linear in bfloat16, each with hardsigmoid behind it
# inductor: freezing
# fires: mkldnn_fusion/unary_fusion#10
# fires: mkldnn_fusion/unary_fusion#11
# fires: mkldnn_fusion/unary_fusion#12
# fires: mkldnn_fusion/weight_pack_pass.convolution
# fires: mkldnn_fusion/weight_pack_pass.linear
import torch


def inputs(seed, kind):
    m = torch.nn.Module()
    m.w = torch.nn.Parameter(data((8, 4, 3, 3), torch.bfloat16, (seed, 7), kind))
    m.t = torch.nn.Parameter(data((4, 8, 3, 3), torch.bfloat16, (seed, 8), kind))
    m.l = torch.nn.Parameter(data((8, 4), torch.bfloat16, (seed, 9), kind))
    x = data((2, 4, 6, 6), torch.bfloat16, (seed, 0), kind)
    y = data((3, 4), torch.bfloat16, (seed, 1), kind)
    m = m
    return (x, y, m), ()


def program(x, y, m):
    a = torch.nn.functional.conv2d(x, m.w)
    b = torch.nn.functional.conv_transpose2d(x, m.t)
    c = torch.nn.functional.linear(y, m.l)
    return torch.nn.functional.hardsigmoid(a), torch.nn.functional.hardsigmoid(b), torch.nn.functional.hardsigmoid(c)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
