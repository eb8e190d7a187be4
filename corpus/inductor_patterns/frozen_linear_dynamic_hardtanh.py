# touchstone: 1
# torch: 2.13.0
# note: a linear of float32, its rows not known before, and hardtanh behind it
# inductor: freezing
# fires: mkldnn_fusion/hardtanh_fusion#8
# fires: mkldnn_fusion/weight_pack_pass.linear#2
import torch


def inputs(seed, kind):
    torch.manual_seed(7)
    m = torch.nn.Linear(16, 32)
    x = data((3, 16), torch.float32, (seed, 0), kind)
    m = m
    return (x, m), ()


def program(x, m):
    return torch.nn.functional.hardtanh(m(x), -0.5, 0.75)


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
COMPILE = dict(dynamic=True)
