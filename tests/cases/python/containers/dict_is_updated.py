# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    d = {"a": x, "b": y}
    d.update({"b": x * y, "c": 3})
    e = d.setdefault("d", [x])
    e.append(y)
    return d


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
