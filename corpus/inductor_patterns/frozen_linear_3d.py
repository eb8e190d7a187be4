# touchstone: 1
# torch: 2.13.0
# note: a linear over three dimensions in bfloat16, with a bias added afterwards
# inductor: freezing
# fires: mkldnn_fusion/recover_linear.reshape_linear_reshape_pattern
# fires: mkldnn_fusion/weight_pack_pass.linear
import torch


def inputs(seed, kind):
    m = torch.nn.Module()
    m.w = torch.nn.Parameter(data((8, 4, 3, 3), torch.bfloat16, (seed, 7), kind))
    m.t = torch.nn.Parameter(data((4, 8, 3, 3), torch.bfloat16, (seed, 8), kind))
    m.l = torch.nn.Parameter(data((8, 4), torch.bfloat16, (seed, 9), kind))
    m.b = torch.nn.Parameter(data((8,), torch.bfloat16, (seed, 5), kind))
    x = data((2, 3, 4), torch.bfloat16, (seed, 0), kind)
    b = m.b
    m = m
    return (x, b, m), ()


def program(x, b, m):
    return torch.nn.functional.linear(x, m.l), torch.nn.functional.linear(x, m.l) + m.b


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
