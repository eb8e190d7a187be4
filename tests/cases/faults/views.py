# touchstone: 1
# torch: 2.13.0
# expect: fault:detach_copies Differs/partition
# expect: fault:expand_copies Differs/strides
# expect: fault:expanded_result_copied Differs/strides
# expect: fault:reshape_copies Differs/partition
# expect: fault:square_view_transposed Differs/values
# expect: fault:unsqueeze_copies Differs/partition
# expect: fault:view_copies Differs/partition
# expect: fault:view_without_dimensions_copied Differs/offset
import torch


def inputs(seed, kind):
    x = data((4, 4), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x[1:], x.t(), x[2, 1], x.unsqueeze(0), x.diagonal(), x.reshape(16), x.view(2, 8), x.expand(2, 4, 4), x.detach(), x.reshape(16)[4:]


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
