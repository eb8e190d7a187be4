# touchstone: 1
# torch: 2.13.0
# note: a scale that is a root of a size, and variances, of which a backward divides by a number of elements, for other sizes
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x = data((2, 3, 4), torch.float64, (seed, 1), kind).requires_grad_()
    return (x,), ()


def inputs_2(seed, kind):
    x = data((5, 7, 6), torch.float64, (seed, 1), kind).requires_grad_()
    return (x,), ()


def program(x):
    return torch.nn.functional.scaled_dot_product_attention(x, x, x), x.var(), x.std(1, correction=0)


CALLS = [
    dict(inputs="inputs", backward=[0, 1, 2]),
    dict(inputs="inputs_2", backward=[0, 1, 2]),
    dict(inputs="inputs_2", seed=1, backward=[1]),
]
COMPILE = dict(dynamic=True)
