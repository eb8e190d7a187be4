# touchstone: 1
# expect: torch:fault:pure_calls_are_moved_to_their_users Agreed
import torch


def inputs(seed, kind):
    x = data((4,), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a = x.sin()
    b = x.cos()
    x.add_(1)
    return b * a, x.exp()


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
