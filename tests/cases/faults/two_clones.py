# touchstone: 1
# torch: 2.13.0
# expect: fault:copies_merged Differs/values
# expect: fault:merged_over_write Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    a = x.clone()
    b = x.clone()
    a.add_(1)
    return a, b


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
