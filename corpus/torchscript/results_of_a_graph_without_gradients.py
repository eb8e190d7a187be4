# touchstone: 1
# torch: 2.13.0
# note: a Graph of AOT autograd runs below autograd; TorchScript, which goes by the grad mode alone, made results that require grad.
import torch


def inputs(seed, kind):
    b1 = data((1,), torch.float32, (seed, 1), kind).requires_grad_()
    return (b1,), ()


def program(x2):
    with torch.no_grad():
        y0 = torch.sin(x2)
    y1 = torch.exp(y0)
    return y1


CALLS = [
    dict(inputs="inputs"),
    dict(inputs="inputs"),
    dict(inputs="inputs", seed=1),
]
