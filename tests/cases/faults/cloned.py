# touchstone: 1
# torch: 2.13.0
# expect: fault:write_made_functional Differs/values
# expect: fault:write_to_local_dropped Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = x.clone()
    y.add_(1)
    return y


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
