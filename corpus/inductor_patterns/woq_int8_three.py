# touchstone: 1
# torch: 2.13.0
# note: three of them over one matrix
# inductor: freezing
import torch


def inputs(seed, kind):
    m = torch.nn.Module()
    m.register_buffer("w", data((32, 16), torch.int8, (seed, 7), kind))
    m.register_buffer("v", data((32, 16), torch.int8, (seed, 6), kind))
    m.register_buffer("u", data((32, 16), torch.int8, (seed, 5), kind))
    m.s = torch.nn.Parameter(data((32,), torch.bfloat16, (seed, 8), kind))
    x = data((3, 16), torch.bfloat16, (seed, 0), kind)
    m = m
    return (x, m), ()


def program(x, m):
    return torch.nn.functional.linear(x, m.w.to(torch.bfloat16)) * m.s, torch.nn.functional.linear(x, m.v.to(torch.bfloat16)) * m.s, torch.nn.functional.linear(x, m.u.to(torch.bfloat16)) * m.s


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
