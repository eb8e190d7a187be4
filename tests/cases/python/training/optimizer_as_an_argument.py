# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())
    opt = torch.optim.SGD(m.parameters(), lr=0.5, momentum=0.5)
    x = data((3, 2), torch.float32, (seed, 1), kind)
    return (opt, m, x), ()


def program(opt, m, x):
    opt.zero_grad()
    loss = m(x).square().sum()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(list(m.parameters()), 1.0)
    opt.step()
    return m(x)


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs=None),
    dict(inputs=None),
    dict(inputs=None),
]
