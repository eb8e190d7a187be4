# touchstone: 1
# torch: 2.13.0
# note: the gradient is of no elements, and could all the same be differentiated again
# expect: ts_compile Unsupported
# expect: simple_ts_compile Unsupported
import torch


def inputs(seed, kind):
    b7 = data((1,), torch.float32, (seed, 1), kind).requires_grad_()
    return (b7,), ()


def program(x4):
    return x4[:0].prod()


CALLS = [
    dict(inputs="inputs", backward=[0], create_graph=True),
    dict(inputs="inputs", seed=1, backward=[0], create_graph=True),
]
