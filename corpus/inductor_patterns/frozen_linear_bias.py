# touchstone: 1
# torch: 2.13.0
# note: a linear in bfloat16 without bias, and an argument added to it
# inductor: freezing
# fires: mkldnn_fusion/recover_linear.linear_bias_pattern
# fires: mkldnn_fusion/weight_pack_pass.linear
import torch


def inputs(seed, kind):
    m = torch.nn.Module()
    m.w = torch.nn.Parameter(data((8, 4, 3, 3), torch.bfloat16, (seed, 7), kind))
    m.t = torch.nn.Parameter(data((4, 8, 3, 3), torch.bfloat16, (seed, 8), kind))
    m.l = torch.nn.Parameter(data((8, 4), torch.bfloat16, (seed, 9), kind))
    x = data((3, 4), torch.bfloat16, (seed, 0), kind)
    b = data((8,), torch.bfloat16, (seed, 1), kind)
    m = m
    return (x, b, m), ()


def program(x, b, m):
    return torch.nn.functional.linear(x, m.l) + b, torch.nn.functional.linear(x + 1, m.l) + 1.0


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
