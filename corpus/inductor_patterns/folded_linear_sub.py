# touchstone: 1
# torch: 2.13.0
# note: a linear sub a constant, and one without bias
# inductor: freezing
# fires: mkldnn_fusion/weight_pack_pass.linear
# fires: mkldnn_fusion/weight_pack_pass.linear#2
import torch


def inputs(seed, kind):
    torch.manual_seed(7)
    m = torch.nn.Linear(16, 32)
    m.c = torch.nn.Parameter(torch.full((32,), 2.0, dtype=torch.float32))
    x = data((3, 16), torch.float32, (seed, 0), kind)
    m = m
    return (x, m), ()


def program(x, m):
    return m(x) - m.c, x @ m.weight.t() - m.c, torch.nn.functional.linear(x, m.weight) - 2.0


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
