# touchstone: 1
# expect: torch:fault:denormals_are_flushed Differs
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x * 1e-39 * 1e+30


CALLS = [
    dict(inputs="inputs", seed=1, kind="ones"),
    dict(inputs="inputs", seed=2, kind="ones"),
]
