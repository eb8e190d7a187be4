# touchstone: 1
# torch: 2.13.0
# note: two products read one leaf under autocast, which casts it once; a backward that was not planned is traced by itself, and casts it once, too
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    x0 = data((1, 2), torch.float32, (seed, 1), kind).requires_grad_()
    x1 = data((2, 1), torch.float32, (seed, 2), kind)
    x2 = data((2,), torch.float32, (seed, 3), kind)
    x3 = data((), torch.float32, (seed, 4), kind)
    return (x0, x1, x2, x3), ()


def program(x0, x1, x2, x3):
    return torch.addmm(x3, x0, x1), x0 @ x2


CALLS = [
    dict(inputs="inputs", autocast=torch.bfloat16, backward=[1]),
    dict(inputs="inputs", seed=1, autocast=torch.bfloat16, backward=[1]),
]
COMPILE = dict(dynamic=True)
