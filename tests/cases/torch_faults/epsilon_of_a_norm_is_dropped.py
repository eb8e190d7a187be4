# touchstone: 1
# expect: torch:fault:epsilon_of_a_norm_is_dropped Differs
import torch


def inputs(seed, kind):
    x = data((2, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return torch.nn.functional.layer_norm(x, (4,))


CALLS = [
    dict(inputs="inputs", seed=1, kind="ones"),
    dict(inputs="inputs", seed=2, kind="ones"),
]
