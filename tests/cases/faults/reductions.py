# touchstone: 1
# torch: 2.13.0
# expect: fault:dtype_of_cumsum_dropped Differs/dtype
# expect: fault:dtype_of_sum_dropped Differs/dtype
# expect: fault:extremes_merged Differs/values
# expect: fault:keepdim_dropped Differs/shape
# expect: fault:keepdim_of_extremes_dropped Differs/shape
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    return (x,), ()


def program(x):
    return x.sum(0), x.sum(1), torch.amax(x, 0), torch.amin(x, 0), x.mean(0), x.mean(1), x.sum(0, keepdim=True), torch.amax(x, 1, keepdim=True), x.sum(1, dtype=torch.float64), torch.cumsum(x, 0), torch.cumsum(x, 1), torch.cumsum(x, 1, dtype=torch.float64), torch.var(x, 1, correction=0), torch.var(x, unbiased=False)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
