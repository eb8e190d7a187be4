# touchstone: 1
# torch: 2.13.0
# note: weights of int8 times a scale, over three dimensions and batches
# inductor: freezing
import torch


def inputs(seed, kind):
    m = torch.nn.Module()
    m.register_buffer("w", data((32, 16), torch.int8, (seed, 7), kind))
    m.register_buffer("v", data((32, 16), torch.int8, (seed, 6), kind))
    m.register_buffer("u", data((32, 16), torch.int8, (seed, 5), kind))
    m.s = torch.nn.Parameter(data((32,), torch.bfloat16, (seed, 8), kind))
    x = data((3, 16), torch.bfloat16, (seed, 0), kind)
    y = data((2, 3, 16), torch.bfloat16, (seed, 1), kind)
    m = m
    return (x, y, m), ()


def program(x, y, m):
    return x @ m.w.to(torch.bfloat16).t() * m.s, torch.nn.functional.linear(y, m.w.to(torch.bfloat16)) * m.s


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
