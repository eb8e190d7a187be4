# touchstone: 1
# torch: 2.13.0
# note: three weights of int8 over one matrix, put together
# inductor: freezing
# fires: quantization/woq.woq_int8#4
import torch


def inputs(seed, kind):
    m = torch.nn.Module()
    m.register_buffer("w", data((32, 16), torch.int8, (seed, 7), kind))
    m.register_buffer("v", data((32, 16), torch.int8, (seed, 6), kind))
    m.register_buffer("u", data((32, 16), torch.int8, (seed, 5), kind))
    m.s = torch.nn.Parameter(data((32,), torch.bfloat16, (seed, 8), kind))
    m.t = torch.nn.Parameter(data((32,), torch.bfloat16, (seed, 9), kind))
    x = data((3, 16), torch.bfloat16, (seed, 0), kind)
    m = m
    return (x, m), ()


def program(x, m):
    return x @ m.w.t().to(torch.bfloat16) * m.s, x @ m.v.t().to(torch.bfloat16) * m.t, x @ m.u.t().to(torch.bfloat16) * m.s


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
COMPILE = dict(options={"cpp.enable_concat_linear": True})
