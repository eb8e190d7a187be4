# touchstone: 1
# torch: 2.13.0
# note: a backward that was not planned is compiled while another one runs
# expect: ts_compile Unsupported
# expect: simple_ts_compile Unsupported
import torch


def inputs(seed, kind):
    w6 = data((1, 2), torch.float32, (seed, 1), kind).requires_grad_()
    b6 = w6.clone()
    return (b6,), (w6,)


def program(x5):
    return (torch.nn.functional.max_pool1d(x5, 1),)


CALLS = [
    dict(inputs="inputs", backward=[0]),
    dict(inputs="inputs", seed=1, backward=[0]),
]
COMPILE = dict(dynamic=True)
