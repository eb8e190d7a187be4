# touchstone: 1
# torch: 2.13.0
# expect: fault:slices_merged_without_step Differs/values
# expect: fault:step_of_slice_dropped Differs/values
import torch


def inputs(seed, kind):
    x = data((12, 2), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x[1:9:2][1:3] * 2


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
