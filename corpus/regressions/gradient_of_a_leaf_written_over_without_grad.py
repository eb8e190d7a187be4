# touchstone: 1
# torch: 2.13.0
# note: a leaf is written over by a constant without grad, so that the decomposed backward reads no input; with create_graph its gradient requires grad
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w0 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    return (w0,), ()


def program(x0):
    with torch.no_grad():
        x0[:1] = 0
    return torch.tensordot(x0, x0)


CALLS = [
    dict(inputs="inputs", backward=[0], create_graph=True),
    dict(inputs="inputs", seed=1, backward=[0], create_graph=True),
]
