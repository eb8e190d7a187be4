# touchstone: 1
# torch: 2.13.0
# note: what was taken apart again is returned as it is. What differs is a defect of Inductor's (docs/findings.md, 14.7)
# fires: post_grad/cat_splitwithsizes_replace
# expect: torch:inductor Differs/offset/call 0 output 1
import torch


def inputs(seed, kind):
    x = data((4, 3), torch.float32, (seed, 0), kind)
    y = data((4, 5), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    a, b = torch.split(torch.cat([x, y], 1), [3, 5], 1)
    return a, b


CALLS = [
    dict(inputs="inputs", seed=1, grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, grad_mode="no_grad"),
]
