# touchstone: 1
# torch: 2.13.0
# note: the program asks for a gradient of an argument that does not hang on the other one: nothing breaks, and a backward from what both make is left.
# expect: torch:aot_function Unsupported
# expect: torch:aot_eager BackendRejected/backward
# expect: torch:aot_eager_decomp_partition BackendRejected/backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    w1 = data((1, 1), torch.float32, (seed, 1), kind).requires_grad_()
    b1 = w1.clone()
    b2 = data((1, 1), torch.float32, (seed, 2), kind).requires_grad_()
    return (b1, b2), (w1,)


def program(x1, x2):
    y1 = torch.mm(x2, x1)
    y2 = torch.autograd.grad(x2.sum(), [x2])
    return y1, y2


CALLS = [
    dict(inputs="inputs", seed=1, backward=[0]),
    dict(inputs="inputs", seed=2, backward=[0]),
    dict(inputs="inputs", seed=3, backward=[0]),
    dict(inputs="inputs", seed=4, backward=[0]),
]
