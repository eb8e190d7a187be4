# touchstone: 1
# torch: 2.13.0
# expect: fault:diagonal_of_triangle_dropped Differs/values
# expect: fault:product_of_transposed Differs/values
# expect: fault:repeat_transposed BackendRejected/forward
# expect: fault:triangle_of_main_diagonal Differs/values
import torch


def inputs(seed, kind):
    x = data((3, 3), torch.float32, (seed, 0), kind)
    y = data((3, 3), torch.float32, (seed, 1), kind)
    return (x, y), ()


def program(x, y):
    return x.t() @ y.t(), torch.triu(x, -1), torch.tril(x, -1), x.diagonal(1) * 2, x.repeat(2, 3), torch.cumsum(x, 1)


CALLS = [
    dict(inputs="inputs", seed=1),
    dict(inputs="inputs", seed=2),
]
