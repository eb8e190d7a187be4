# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, y), ()


def program(x, y):
    start = {"n": torch.zeros((), dtype=torch.int64), "z": [x.detach()]}
    return torch.while_loop(lambda d: d["n"] < 2, lambda d: ({"n": d["n"] + 1, "z": [d["z"][0].exp()]},), (start,))


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], tangent_seed=1),
    dict(inputs="inputs", seed=8, backward=[0], tangent_seed=2),
    dict(inputs="inputs", seed=9, backward=[0], tangent_seed=3),
]
