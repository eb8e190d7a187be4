# touchstone: 1
# torch: 2.13.0
# expect: fault:offset_in_new_memory_lost Differs/values
# expect: fault:view_of_view_result_copied Differs/offset
# expect: fault:view_result_copied Differs/offset
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    y = torch.sin(x)
    return y, y[0], y[1]


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
