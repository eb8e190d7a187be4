# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    w = data((3, 2), torch.float32, (seed, 0), kind)
    p = torch.nn.Parameter(w)
    q = torch.nn.Parameter(w * 2)
    x = data((3, 2), torch.float32, (seed, 1), kind)
    opt = torch.optim.SGD([{"params": [p], "lr": 0.1}, {"params": [q]}], lr=0.5)
    return (opt, p, q, x), ()


def program(opt, p, q, x):
    opt.zero_grad()
    loss = (p * x + q).square().sum()
    loss.backward()
    opt.step()
    return loss.detach()


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
    dict(inputs=None),
]
