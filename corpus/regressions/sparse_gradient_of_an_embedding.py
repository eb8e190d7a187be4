# touchstone: 1
# torch: 2.13.0
# note: a gradient that is sparse, under compiled autograd
# expect: aot_joint Vacuous
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w = data((5, 4), torch.float32, (seed, 0), kind).requires_grad_()
    i = data((3,), torch.int64, (seed, 1), "ones")
    return (w, i), ()


def program(w, i):
    return torch.nn.functional.embedding(i, w, sparse=True)


CALLS = [
    dict(inputs="inputs", seed=7, backward=[0], compiled_autograd=True),
    dict(inputs="inputs", seed=8, backward=[0], compiled_autograd=True),
    dict(inputs="inputs", seed=9, backward=[0]),
]
