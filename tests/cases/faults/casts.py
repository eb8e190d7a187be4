# touchstone: 1
# torch: 2.13.0
# expect: fault:cast_rounds_to_nearest Differs/values
# expect: fault:casts_merged Differs/values
# expect: fault:flag_cast_dropped Differs/values
# expect: fault:truncating_cast_dropped Differs/values
# expect: fault:wrapping_cast_dropped Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.half().float(), x.int().float(), (x * 1000).long().to(torch.int8).long(), x.bool().float(), x.int(), x.half() + x.double()


CALLS = [
    dict(inputs="inputs", seed=1, kind="uniform"),
    dict(inputs="inputs", seed=2, kind="uniform"),
]
