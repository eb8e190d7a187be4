# touchstone: 1
# torch: 2.13.0
# note: a scaled int8 value minus its maximum: both wrap. What differs is a defect of Inductor's (docs/findings.md, 14.1)
# fires: joint_graph/mul_softmax_pattern
# expect: torch:inductor Differs/values/call 0 output 0
import torch


def inputs(seed, kind):
    x = data((4, 8), torch.int8, (seed, 0), kind)
    return (x,), ()


def program(x):
    s = x * 3
    return s - s.amax(dim=-1, keepdim=True)


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform", grad_mode="no_grad"),
    dict(inputs="inputs", seed=2, kind="uniform", grad_mode="no_grad"),
]
