# touchstone: 1
# torch: 2.13.0
# note: a view that is a leaf gets a history as its base is written to; accumulating into it raises, also under compiled autograd; PyTorch's own compiled autograd stops at an internal assertion there
# expect: aot_joint Vacuous
# expect: torch:eager InternalError/backward
# expect: torch:aot_eager InternalError/backward
# expect: torch:aot_eager_decomp_partition InternalError/backward
# expect: torch:inductor InternalError/backward
# expect: simple_ts_compile Unsupported
# expect: ts_compile Unsupported
import torch


def inputs(seed, kind):
    b0 = data((1, 1), torch.float32, (seed, 1), kind)
    b1 = data((1, 1), torch.float32, (seed, 1), kind)
    x0 = b0.requires_grad_()
    x1 = b1[1:].requires_grad_()
    return (x0, x1, b1), ()


def program(x0, x1, x3):
    y0 = torch.sub(x1, x3)
    x3 += x0
    return (y0,)


CALLS = [
    dict(inputs="inputs", backward=[0], compiled_autograd=True),
    dict(inputs="inputs", seed=1, backward=[0], compiled_autograd=True),
    dict(inputs="inputs", seed=1, backward=[0]),
]
