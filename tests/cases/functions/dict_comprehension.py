# touchstone: 1
import torch


def inputs(seed, kind):
    x = data((2, 3), torch.float32, (seed, 0), kind)
    w = data((2, 3), torch.float32, (seed, 1), kind).requires_grad_()
    return (x, w), ()


def program(x, w):
    named = {"a": x, "b": w}
    changed = {name + "_": value * 2 for name, value in named.items()}
    return changed, list(changed.keys())


CALLS = [
    dict(inputs="inputs", seed=7),
    dict(inputs="inputs", seed=8),
]
