# touchstone: 1
# torch: 2.13.0
# note: one matrix times two constants, one result used twice
# inductor: freezing
# fires: freezing_patterns/matmul_fuse_pattern_two
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
    m = m
    return (x, m), ()


def program(x, m):
    a = x @ m.a
    b = x @ m.b
    return a + b, a


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
COMPILE = dict(options={"cpp.enable_concat_linear": True})
