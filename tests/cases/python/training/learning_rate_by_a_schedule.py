# touchstone: 1
# torch: 2.13.0
# expect: torch:eager Vacuous
# expect: torch:aot_eager Vacuous
import torch


def inputs(seed, kind):
    w = data((3, 2), torch.float32, (seed, 0), kind)
    p = torch.nn.Parameter(w)
    x = data((3, 2), torch.float32, (seed, 1), kind)
    opt = torch.optim.SGD([p], lr=0.5)
    return (opt, torch.optim.lr_scheduler.StepLR(opt, 1, gamma=0.5), p, x), ()


def program(opt, schedule, p, x):
    opt.zero_grad()
    (p * x).sum().backward()
    opt.step()
    schedule.step()
    return p.detach() * 1, schedule.get_last_lr()


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
    dict(inputs=None),
]
