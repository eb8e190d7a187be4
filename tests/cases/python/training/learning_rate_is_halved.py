# touchstone: 1
# torch: 2.13.0
# note: Dynamo leaves the key `capturable` in a group of parameters that the Program has written to. A bug: the optimizer's state is another.
# expect: torch:eager Differs/input_metadata/call 0
# expect: torch:aot_eager Differs/input_metadata/call 0
import torch


def inputs(seed, kind):
    w = data((3, 2), torch.float32, (seed, 0), kind)
    p = torch.nn.Parameter(w)
    x = data((3, 2), torch.float32, (seed, 1), kind)
    return (torch.optim.SGD([p], lr=0.1), p, x), ()


def program(opt, p, x):
    for group in opt.param_groups:
        group["lr"] = group["lr"] / 2
    opt.zero_grad()
    (p * x).sum().backward()
    opt.step()
    return p.detach() * 1


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
    dict(inputs=None),
]
