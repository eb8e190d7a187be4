# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    p = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    x = data((3, 2), torch.float32, (seed, 1), kind)
    return (p, x), ()


def program(p, x):
    loss = (p * x).square().sum()
    loss.backward()
    torch.nn.utils.clip_grad_value_([p], 0.5)
    return p.grad * 1


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
