# touchstone: 1
# torch: 2.13.0
# note: dropout that is trained, and one that drops everything
# fires: replace_random/replace_random#4
import torch


def inputs(seed, kind):
    x = data((4, 8), torch.float32, (seed, 0), kind).detach().requires_grad_()
    return (x,), ()


def program(x):
    y = torch.nn.functional.dropout(x, 0.5)
    return y * 0, torch.nn.functional.dropout(x, 1.0)


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0, 1]),
    dict(inputs="inputs", seed=2, backward=[0, 1]),
]
COMPILE = dict(options={"fallback_random": False})
