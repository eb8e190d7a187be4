# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    w = data((3, 2), torch.float32, (seed, 0), kind)
    x = data((3, 2), torch.float32, (seed, 1), kind)
    return (w, x), ()


def program(w, x):
    p = torch.nn.Parameter(w)
    opt = torch.optim.Rprop([p], lr=0.01)
    for i in range(3):
        opt.zero_grad()
        loss = (p * x).square().sum()
        loss.backward()
        opt.step()
    return p.detach() * 1, loss.detach()


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
