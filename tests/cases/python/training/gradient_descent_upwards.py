# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    w = data((3, 2), torch.float32, (seed, 0), kind)
    p = torch.nn.Parameter(w)
    x = data((3, 2), torch.float32, (seed, 1), kind)
    return (torch.optim.SGD([p], lr=0.1, maximize=True, weight_decay=0.5), p, x), ()


def program(opt, p, x):
    opt.zero_grad()
    loss = (p * x).square().sum()
    loss.backward()
    opt.step()
    return p.detach() * 1, loss.detach()


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
    dict(inputs=None),
]
