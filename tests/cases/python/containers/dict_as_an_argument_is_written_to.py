# touchstone: 1
# torch: 2.13.0
import torch


def inputs(seed, kind):
    x = data((3, 2), torch.float32, (seed, 0), kind).requires_grad_()
    y = data((3, 2), torch.float32, (seed, 1), kind)
    return ({"a": [y]}, x), ()


def program(d, x):
    d["sum"] = d["a"][0] + x
    d["a"].append(x * 2)
    n = sum(isinstance(v, list) for v in d.values())
    return d["sum"] * n


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0]),
    dict(inputs="inputs", seed=8, backward=[0]),
]
