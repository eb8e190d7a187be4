# touchstone: 1
# torch: 2.13.0
# expect: fault:clone_is_alias Differs/strides
# expect: fault:contiguous_does_nothing Differs/strides
# expect: fault:memory_format_of_clone_lost Differs/strides
import torch


def inputs(seed, kind):
    x = data((3, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.t().contiguous(), x.t().clone(memory_format=torch.contiguous_format)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
