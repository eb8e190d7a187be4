# touchstone: 1
# torch: 2.13.0
# note: an LSTM
# inductor: freezing
import torch


def inputs(seed, kind):
    torch.manual_seed(7)
    m = torch.nn.LSTM(4, 3)
    x = data((5, 2, 4), torch.float32, (seed, 0), kind)
    m = m
    return (x, m), ()


def program(x, m):
    y, (h, c) = m(x)
    return y, h, c


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs=None, grad_mode="no_grad"),
]
