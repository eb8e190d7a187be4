# touchstone: 1
# expect: torch:planted_backends:storage_bytes Differs/storage_bytes/call 0 arg 0
# expect: torch:planted_backends:honest Agreed
import torch


def inputs(seed, kind):
    base = data((8,), torch.float32, (seed, 0), kind)
    x = torch.as_strided(base, (2, 3), (4, 1), 0)
    return (x,), ()


def program(x):
    return torch.sin(x)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
